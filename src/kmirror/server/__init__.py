"""What can be called over HTTP: the server, who may do what, and Connect's REST API."""

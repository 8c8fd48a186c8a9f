"""The console's REST API for programs: the models of its answers, and a client for Python."""

"""The console's REST API: its paths, and the stream of live values."""

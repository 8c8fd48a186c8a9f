"""MirrorMaker 2's connectors as a Connect worker runs them: flows that come and go by requests."""

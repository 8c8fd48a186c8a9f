"""`kmirror lab` and `kmirror demo`."""

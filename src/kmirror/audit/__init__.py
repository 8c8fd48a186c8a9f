"""Is what was copied the same on both sides? Window by window, beside the copy."""

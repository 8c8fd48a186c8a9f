"""What `/metrics` serves: the table of metrics, and what fills it."""

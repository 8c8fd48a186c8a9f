"""Which offset on one side is which on the other; pure."""

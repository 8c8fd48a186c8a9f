"""Keeping flows alive: states, restarts, signals."""

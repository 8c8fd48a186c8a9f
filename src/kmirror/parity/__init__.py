"""What of the source besides its records a target is to have: topics, and their settings."""

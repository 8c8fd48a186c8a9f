"""What is written, what arrives, and whether the one is the other."""

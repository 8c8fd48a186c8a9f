"""What a flow says of itself: its status, its progress, what is parked."""

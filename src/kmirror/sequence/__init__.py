"""What of a numbered sequence arrived, in which order, and after how long; pure."""

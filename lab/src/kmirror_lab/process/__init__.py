"""Processes of this machine: started, found again, frozen, and never left behind."""

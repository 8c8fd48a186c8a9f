"""What happens in a process, as data: log lines are made of it, and whatever else subscribes."""

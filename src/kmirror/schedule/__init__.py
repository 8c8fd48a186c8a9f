"""What repeats: periodic tasks, the threads that run them, and log lines that may not."""

"""What is mirrored and what it is called: replication policies, filters, topic selection. Pure."""

"""A flow's two clusters: their clients, their topics, and where partitions go on."""

"""What several tests use: drivers, clusters, records, and how they are compared."""

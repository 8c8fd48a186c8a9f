"""A page to try with: a producer, counting consumers, and who owns what of a consumer group."""

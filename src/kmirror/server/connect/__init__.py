"""Kafka Connect's REST API: paths, verbs, codes, shapes and defaults of Kafka 4.3.1."""

"""Kafka cross-cluster replication whose data pipeline is PySpark."""

__version__ = "0.1.0"

"""Real Kafka clusters on this machine, and an oracle: for tests, benchmarks and the demo."""

__version__ = "0.1.0"

"""
The jars of Kafka itself, of two versions.

`python -m kmirror_lab.jars` fetches those of today's; without it they are fetched at first use.
"""

from __future__ import annotations

from pathlib import Path

from kmirror.jvm import JarSet

KAFKA = JarSet(name="kafka", folder=Path(__file__).parent)
"""Brokers, tools and MirrorMaker 2 of the version that kmirror's clients have."""

KAFKA_2_8 = JarSet(name="kafka-2.8", folder=Path(__file__).parent)
"""Brokers of Kafka 2.8.2, the oldest that kmirror talks to: for tests."""

"""Spark's own source for Kafka, for queries that are moved to the other cluster."""

from __future__ import annotations

from pathlib import Path

from kmirror.jvm import JarSet

SPARK_KAFKA = JarSet(name="spark-kafka", folder=Path(__file__).parent)

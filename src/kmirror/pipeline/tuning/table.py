"""All numbers that lanes decide by, as the connector takes them."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.pipeline.tuning.lane import LANE, OFFSETS, REPORTING
from kmirror.pipeline.tuning.source import FETCH
from kmirror.pipeline.tuning.target import BATCHES, PACE, TARGET, TRANSACTION

PLAN_GROUPS = (FETCH, OFFSETS, BATCHES, PACE, TRANSACTION, LANE, TARGET)
"""What travels with the plan."""


def plan_tuning() -> Mapping[str, Mapping[str, int]]:
    """Give the numbers as the connector reads them, by group and name."""
    return {group.name: group.values for group in PLAN_GROUPS}


def spark_tuning() -> Mapping[str, str]:
    """Give the numbers of the process, which no plan carries, as settings of Spark."""
    return {f"spark.kmirror.{name}": str(value) for name, value in REPORTING.values.items()}

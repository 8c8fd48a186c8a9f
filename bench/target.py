"""What kmirror has to reach, and whether it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Measure(StrEnum):
    """The kinds of measures that have targets."""

    CATCH_UP = "catch-up"
    CPU = "cpu"
    PRODUCER_PERF = "producer-perf"
    LATENCY = "latency"
    COMMITTED = "latency of committed records"
    START = "start"
    MEMORY = "memory"
    LAG = "lag"
    GROUPS = "groups"
    GROUPS_MEMORY = "groups' memory"
    PLAN = "plan"
    CONTROL_CPU = "control plane"
    REQUESTS = "requests"
    PAUSE = "pause"
    SPARK_CLUSTER = "Spark cluster"
    TAKEOVER = "takeover"
    BESIDE = "producers beside a catch-up"
    AGE = "age"
    MANY_FLOWS_START = "start of many flows"
    MANY_FLOWS_MEMORY = "memory of many flows"
    MANY_FLOWS_CPU = "rest of many flows"
    AUDIT = "audit beside a copy"
    PLAN_CHANGE = "changed plan"
    COMMITS = "brokers' share of commits"

    @property
    def more_is_better(self) -> bool:
        """Whether its limits are to be exceeded, not kept."""
        return self in {Measure.CATCH_UP, Measure.PRODUCER_PERF, Measure.SPARK_CLUSTER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """
    One promise and what became of it.

    Args:
        measure: What kind of measure it is about.
        of: Which of that kind: the workload's topic, rate and quantile, or the case.
        limit: The number to reach.
        unit: What follows the limit.
        value: What was measured.
    """

    measure: Measure
    of: str
    limit: float
    unit: str
    value: float

    @property
    def reached(self) -> bool:
        """Whether it was reached."""
        return self.value >= self.limit if self.measure.more_is_better else self.value <= self.limit

    @property
    def words(self) -> str:
        """What was promised, and what was measured."""
        sign = ">=" if self.measure.more_is_better else "<="
        return f"{sign} {self.limit:g} {self.unit}: {self.value:.2f}"

    def __str__(self) -> str:
        return f"{self.words}, {'reached' if self.reached else 'MISSED'}"


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """Divide, if both were measured."""
    return ours / theirs if ours is not None and theirs else None


def ratio_target(
    measure: Measure,
    of: str,
    limit: float,
    ours: float | None,
    theirs: float | None,
    *,
    than: str,
) -> Iterator[Target]:
    """Compare two measurements; give nothing when one of them is missing."""
    value = ratio(ours, theirs)
    if value is not None:
        yield Target(measure=measure, of=of, limit=limit, unit=f"x {than}", value=value)

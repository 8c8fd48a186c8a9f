"""What kmirror has to reach, as a ratio to MM2 in the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bench.contestant import BARE_COPIER, KMIRROR, MM2_DEFAULT, MM2_TUNED
from bench.latency import RATES
from bench.partitions import CASES
from bench.results import Results
from bench.workload import WORKLOADS

_GIB = 2**30
_MIB = 2**20
_BEHIND_S_MAX = 1.0
_GROUPS_ROUND_S_MAX = 2.0
_GROUPS_MIB_MAX = 200.0
_RATIOS_MIN = (
    ("bench-100", MM2_DEFAULT, 4.0),
    ("bench-100", MM2_TUNED, 1.4),
    ("bench-1000", MM2_DEFAULT, 2.8),
    ("bench-1000", MM2_TUNED, 1.8),
    # With whole batches.
    ("bench-100", MM2_DEFAULT, 18.0),
    ("bench-100", MM2_TUNED, 6.0),
    ("bench-1000", MM2_DEFAULT, 5.0),
    ("bench-1000", MM2_TUNED, 3.0),
    ("bench-small", MM2_DEFAULT, 9.0),
    ("bench-lz4", MM2_DEFAULT, 20.0),
    # What it costs that batches are Spark's rows.
    ("bench-100", BARE_COPIER, 0.9),
    ("bench-1000", BARE_COPIER, 0.9),
)
_PRODUCER_PERF_RATIOS_MIN = (("bench-100", 2.5), ("bench-1000", 1.5))
_CPU_RATIO_MAX = 0.1
# The largest p50 at some rates, beside MM2's p50; for all of them, p99 beside its p99.
_P50_RATIOS_MAX = ((100, 0.4), (100, 0.35), (5_000, 0.4))
_P99_RATIO_MAX = 1.2
# Over ten minutes and more, at the low rate: p99.9 beside MM2's p99.
_LONG_S, _LONG_RATE, _P999_RATIO_MAX = 600, 100, 1.0


class Measure(StrEnum):
    """The kinds of measures that have targets."""

    CATCH_UP = "catch-up"
    CPU = "cpu"
    PRODUCER_PERF = "producer-perf"
    LATENCY = "latency"
    MEMORY = "memory"
    LAG = "lag"
    GROUPS = "groups"
    GROUPS_MEMORY = "groups' memory"

    @property
    def more_is_better(self) -> bool:
        """Whether its limits are to be exceeded, not kept."""
        return self in {Measure.CATCH_UP, Measure.PRODUCER_PERF}


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

    def __str__(self) -> str:
        sign = ">=" if self.measure.more_is_better else "<="
        verdict = "reached" if self.reached else "MISSED"
        return f"{sign} {self.limit:g} {self.unit}: {self.value:.2f}, {verdict}"


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """Divide, if both were measured."""
    return ours / theirs if ours is not None and theirs else None


def targets(results: Results) -> list[Target]:
    """Compare what was measured with what was promised."""
    parts = (_catch_up, _cpu, _latency, _partitions, _groups)
    return [target for part in parts for target in part(results)]


def _ratio_target(
    measure: Measure,
    of: str,
    limit: float,
    ours: float | None,
    theirs: float | None,
    *,
    than: str,
) -> Iterator[Target]:
    """Compare two measurements; gives nothing when one of them is missing."""
    value = ratio(ours, theirs)
    if value is not None:
        yield Target(measure=measure, of=of, limit=limit, unit=f"x {than}", value=value)


def _catch_up(results: Results) -> Iterator[Target]:
    def rate(name: str, workload: str) -> float | None:
        return results.catch_up_median(name, workload, lambda run: run.records_per_s)

    for workload, other, limit in _RATIOS_MIN:
        ours, theirs = rate(KMIRROR.name, workload), rate(other.name, workload)
        yield from _ratio_target(Measure.CATCH_UP, workload, limit, ours, theirs, than=other.label)
    for workload, limit in _PRODUCER_PERF_RATIOS_MIN:
        ours, theirs = rate(KMIRROR.name, workload), results.producer_perf_median(workload)
        yield from _ratio_target(
            Measure.PRODUCER_PERF, workload, limit, ours, theirs, than="producer-perf"
        )


def _cpu(results: Results) -> Iterator[Target]:
    for workload in WORKLOADS:
        ours, theirs = (
            results.catch_up_median(name, workload.topic, lambda run: run.cpu_s_per_gb)
            for name in (KMIRROR.name, MM2_DEFAULT.name)
        )
        yield from _ratio_target(
            Measure.CPU, workload.topic, _CPU_RATIO_MAX, ours, theirs, than=MM2_DEFAULT.label
        )


def _latency(results: Results) -> Iterator[Target]:
    for rate in RATES:
        ours = results.latency_of(KMIRROR.name, rate, "read_uncommitted")
        theirs = results.latency_of(MM2_DEFAULT.name, rate, "read_uncommitted")
        if ours is None or theirs is None:
            continue
        mine, other = ours.latency_ms, theirs.latency_ms
        limits = [
            ("p50", limit, mine.p50, other.p50) for at, limit in _P50_RATIOS_MAX if at == rate
        ]
        limits.append(("p99", _P99_RATIO_MAX, mine.p99, other.p99))
        if rate == _LONG_RATE and ours.seconds >= _LONG_S:
            limits.append(("p99.9", _P999_RATIO_MAX, mine.p999, other.p99))
        for name, limit, value, beside in limits:
            than = f"{MM2_DEFAULT.label}'s {name.partition('.')[0]}"
            yield from _ratio_target(
                Measure.LATENCY, f"{rate} {name}", limit, value, beside, than=than
            )


def _partitions(results: Results) -> Iterator[Target]:
    limits = {case.label: case.rss_gib_max for case in CASES}
    for run in results.partitions:
        for measure, limit, unit, value in (
            (Measure.MEMORY, limits[run.case], "GiB", run.peak_rss_bytes / _GIB),
            (Measure.LAG, _BEHIND_S_MAX, "s of records", run.behind_s_max),
        ):
            yield Target(measure=measure, of=run.case, limit=limit, unit=unit, value=value)


def _groups(results: Results) -> Iterator[Target]:
    for run in results.groups:
        for measure, limit, unit, value in (
            (Measure.GROUPS, _GROUPS_ROUND_S_MAX, "s a round", run.round_ms.p50 / 1000),
            (Measure.GROUPS_MEMORY, _GROUPS_MIB_MAX, "MiB more", run.added_rss_bytes / _MIB),
        ):
            yield Target(measure=measure, of=run.label, limit=limit, unit=unit, value=value)

"""What kmirror has to reach, as a ratio to MM2 in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from statistics import median

from bench.contestant import (
    BARE_COPIER,
    KMIRROR,
    MM2_DEFAULT,
    MM2_EXACTLY_ONCE,
    MM2_TUNED,
    Contestant,
)
from bench.latency import RATES
from bench.limit import LimitRun
from bench.partitions import CASES, TAKEN
from bench.quantiles import Quantiles
from bench.results import Results
from bench.takeover import NODES
from bench.workload import LONG_BACKLOG, WORKLOADS

_GIB = 2**30
_MIB = 2**20
_BEHIND_S_MAX = 1.0
_AGE_P99_S_MAX = 1.0
# So many flows in one process, which mostly rest.
_MANY_FLOWS = 100
_FLOWS_START_S_MAX, _FLOWS_GIB_MAX, _FLOWS_CORES_MAX = 60.0, 3.0, 0.15
_GROUPS_ROUND_S_MAX = 2.0
_GROUPS_MIB_MAX = 200.0
_PLAN_S_MAX = 20.0
_CONTROL_CORES_MAX = 0.1
_PAUSE_S_MAX = 2.0
_AUDIT_PERCENT_MAX = 5.0
_SPARK_CLUSTER_RATIO_MIN = 0.9
# By the signal that the copying node got.
_TAKEOVER_S_MAX = {"SIGKILL": {"p50": 3.0, "max": 5.0}, "SIGTERM": {"p50": 1.0, "max": 1.0}}
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
_P50, _P99, _P999 = attrgetter("p50"), attrgetter("p99"), attrgetter("p999")
# For readers of committed records: the largest values at some rates; and beside MM2, exactly once.
_COMMITTED_MS_MAX = (
    (100, "p50", 5.0, _P50),
    (100, "p95", 12.0, attrgetter("p95")),
    (5_000, "p50", 12.0, _P50),
)
_COMMITTED_RATE, _COMMITTED_P99_RATIO_MAX = 5_000, 1.0
_RECOVERY_S_MAX = 6.0
_START_S_MAX = ((False, 4.0), (True, 6.0))

# Of the limit, in percent; the p99 of the target's own producers beside a catch-up, and beside one
# with half of its rate as the limit, by what it is alone.
_OFF_LIMIT_PERCENT_MAX = 5.0
_FREE_RATIO_MAX, _LIMITED_RATIO_MAX = 2.0, 1.2


class Measure(StrEnum):
    """The kinds of measures that have targets."""

    CATCH_UP = "catch-up"
    CPU = "cpu"
    PRODUCER_PERF = "producer-perf"
    LATENCY = "latency"
    COMMITTED = "latency of committed records"
    RECOVERY = "recovery"
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


def targets(results: Results) -> list[Target]:
    """Compare what was measured with what was promised."""
    parts = (
        _catch_up,
        _cpu,
        _latency,
        _committed,
        _recovery,
        _starts,
        _partitions,
        _groups,
        _many_topics,
        _spark_cluster,
        _audits,
        _takeover,
        _beside,
        _many_flows,
    )
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
    def value_of(
        contestant: Contestant, rate: int, of: Callable[[Quantiles], float]
    ) -> float | None:
        return results.latency_median(contestant.name, rate, "read_uncommitted", of)

    for rate in RATES:
        limits = [("p50", limit, _P50, _P50) for at, limit in _P50_RATIOS_MAX if at == rate]
        limits.append(("p99", _P99_RATIO_MAX, _P99, _P99))
        runs = results.latency_runs(KMIRROR.name, rate, "read_uncommitted")
        if rate == _LONG_RATE and any(run.seconds >= _LONG_S for run in runs):
            limits.append(("p99.9", _P999_RATIO_MAX, _P999, _P99))
        for name, limit, of_ours, of_theirs in limits:
            yield from _ratio_target(
                Measure.LATENCY,
                f"{rate} {name}",
                limit,
                value_of(KMIRROR, rate, of_ours),
                value_of(MM2_DEFAULT, rate, of_theirs),
                than=f"{MM2_DEFAULT.label}'s {name.partition('.')[0]}",
            )


def _committed(results: Results) -> Iterator[Target]:
    for rate, name, limit, of in _COMMITTED_MS_MAX:
        value = results.latency_median(KMIRROR.name, rate, "read_committed", of)
        if value is not None:
            yield Target(
                measure=Measure.COMMITTED, of=f"{rate} {name}", limit=limit, unit="ms", value=value
            )
    ours, theirs = (
        results.latency_median(contestant.name, _COMMITTED_RATE, "read_committed", _P99)
        for contestant in (KMIRROR, MM2_EXACTLY_ONCE)
    )
    yield from _ratio_target(
        Measure.COMMITTED,
        f"{_COMMITTED_RATE} p99",
        _COMMITTED_P99_RATIO_MAX,
        ours,
        theirs,
        than=f"{MM2_EXACTLY_ONCE.label}'s p99",
    )


def _recovery(results: Results) -> Iterator[Target]:
    found = results.recoveries_s(KMIRROR.name)
    if found:
        yield Target(
            measure=Measure.RECOVERY,
            of="kill -9",
            limit=_RECOVERY_S_MAX,
            unit="s",
            value=median(found),
        )


def _starts(results: Results) -> Iterator[Target]:
    for take_over, limit in _START_S_MAX:
        runs = results.start_runs(KMIRROR.name, take_over=take_over)
        if runs:
            value = median(run.first_record_s for run in runs)
            yield Target(
                measure=Measure.START, of=str(take_over), limit=limit, unit="s", value=value
            )


def _partitions(results: Results) -> Iterator[Target]:
    memory_gib = {case.label: case.rss_gib_max for case in (*CASES, TAKEN)}
    for run in results.partitions:
        limits = [
            (Measure.MEMORY, memory_gib[run.case], "GiB", run.peak_rss_bytes / _GIB),
            (Measure.AGE, _AGE_P99_S_MAX, "s", run.age_ms.p99 / 1000)
            if run.case == TAKEN.label
            else (Measure.LAG, _BEHIND_S_MAX, "s of records", run.behind_s_max),
        ]
        for measure, limit, unit, value in limits:
            yield Target(measure=measure, of=run.case, limit=limit, unit=unit, value=value)


def _many_flows(results: Results) -> Iterator[Target]:
    for run in results.scale_runs:
        if run.flows < _MANY_FLOWS:
            continue
        for measure, limit, unit, value in (
            (Measure.MANY_FLOWS_START, _FLOWS_START_S_MAX, "s", run.start_s),
            (Measure.MANY_FLOWS_MEMORY, _FLOWS_GIB_MAX, "GiB", run.peak_rss_bytes / _GIB),
            (Measure.MANY_FLOWS_CPU, _FLOWS_CORES_MAX, "of a core", run.rest.cpu_share),
        ):
            yield Target(measure=measure, of=run.label, limit=limit, unit=unit, value=value)


def _groups(results: Results) -> Iterator[Target]:
    for run in results.groups:
        for measure, limit, unit, value in (
            (Measure.GROUPS, _GROUPS_ROUND_S_MAX, "s a round", run.round_ms.p50 / 1000),
            (Measure.GROUPS_MEMORY, _GROUPS_MIB_MAX, "MiB more", run.added_rss_bytes / _MIB),
        ):
            yield Target(measure=measure, of=run.label, limit=limit, unit=unit, value=value)


def _many_topics(results: Results) -> Iterator[Target]:
    for run in results.many_topics:
        for measure, limit, unit, value in (
            (Measure.PLAN, _PLAN_S_MAX, "s", max(run.plan_s, run.plan_again_s)),
            (Measure.CONTROL_CPU, _CONTROL_CORES_MAX, "of a core", run.control_cpu_share),
            (Measure.REQUESTS, 0.0, "above 1 MiB", float(run.refused_requests)),
            (Measure.PAUSE, _PAUSE_S_MAX, "s", run.pause_s),
        ):
            yield Target(measure=measure, of=run.label, limit=limit, unit=unit, value=value)


def _audits(results: Results) -> Iterator[Target]:
    for run in results.audits_beside:
        yield Target(
            measure=Measure.AUDIT,
            of=run.workload,
            limit=_AUDIT_PERCENT_MAX,
            unit="%",
            value=100 * run.share,
        )


def _spark_cluster(results: Results) -> Iterator[Target]:
    of = LONG_BACKLOG.topic
    ours = results.spark_cluster_median(of, lambda run: run.cluster.records_per_s)
    local = results.spark_cluster_median(of, lambda run: run.local.records_per_s)
    limit = _SPARK_CLUSTER_RATIO_MIN
    yield from _ratio_target(Measure.SPARK_CLUSTER, of, limit, ours, local, than="local mode")


def _takeover(results: Results) -> Iterator[Target]:
    for nodes in NODES:
        for ending, limits in _TAKEOVER_S_MAX.items():
            found = results.standstills_s(KMIRROR.name, nodes, ending)
            if found:
                for name, value in (("p50", median(found)), ("max", max(found))):
                    yield Target(
                        measure=Measure.TAKEOVER,
                        of=f"{nodes} {ending} {name}",
                        limit=limits[name],
                        unit="s",
                        value=value,
                    )


def _beside(results: Results) -> Iterator[Target]:
    def median_of(what: Callable[[LimitRun], float | None]) -> float | None:
        return results.limit_median(KMIRROR.name, what)

    off = median_of(lambda run: run.off_limit_percent)
    if off is not None:
        yield Target(
            measure=Measure.BESIDE, of="limit", limit=_OFF_LIMIT_PERCENT_MAX, unit="%", value=off
        )
    alone = median_of(lambda run: run.alone_ms.p99)
    free = median_of(lambda run: run.free.waits_ms.p99)
    limited = median_of(lambda run: None if run.limited is None else run.limited.waits_ms.p99)
    for of, limit, waits in (
        ("free", _FREE_RATIO_MAX, free),
        ("limited", _LIMITED_RATIO_MAX, limited),
    ):
        yield from _ratio_target(Measure.BESIDE, of, limit, waits, alone, than="alone")

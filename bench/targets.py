"""What kmirror has to reach, in each part of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

from bench.catch_up_targets import catch_up_targets
from bench.commits import BY_THE_CLOCK
from bench.contestant import KMIRROR
from bench.latency_targets import latency_targets
from bench.limit import LimitRun
from bench.partitions import CASES, TAKEN
from bench.plan_changes import Change
from bench.results import Results
from bench.takeover import NODES
from bench.target import Measure, Target, ratio_target
from bench.workload import LONG_BACKLOG

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
_PLAN_CHANGE_MS_MAX = 20.0
_COMMITS_RATIO_MAX = 1.15
# By the signal that the copying node got.
_TAKEOVER_S_MAX = {"SIGKILL": {"p50": 3.0, "max": 5.0}, "SIGTERM": {"p50": 1.0, "max": 1.0}}
_START_S_MAX = ((False, 4.0), (True, 6.0))

# Of the limit, in percent; the p99 of the target's own producers beside a catch-up, and beside one
# with half of its rate as the limit, by what it is alone.
_OFF_LIMIT_PERCENT_MAX = 5.0
_FREE_RATIO_MAX, _LIMITED_RATIO_MAX = 2.0, 1.2


def targets(results: Results) -> list[Target]:
    """Compare what was measured with what was promised."""
    parts = (
        catch_up_targets,
        latency_targets,
        _starts,
        _partitions,
        _groups,
        _many_topics,
        _spark_cluster,
        _audits,
        _takeover,
        _beside,
        _many_flows,
        _plan_changes,
        _commits,
    )
    return [target for part in parts for target in part(results)]


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


def _plan_changes(results: Results) -> Iterator[Target]:
    undisturbed = results.plan_changes_ms(Change.NOTHING)
    for change in Change:
        found = results.plan_changes_ms(change)
        if found and change is not Change.NOTHING:
            yield Target(
                measure=Measure.PLAN_CHANGE,
                of=change.value,
                limit=_PLAN_CHANGE_MS_MAX,
                unit="ms more",
                value=median(found) - median(undisturbed),
            )


def _commits(results: Results) -> Iterator[Target]:
    found = [results.commits_of(each.name) for each in (KMIRROR, BY_THE_CLOCK)]
    if all(found):
        ours, clocked = (median(run.brokers_cores for run in runs) for runs in found)
        limit = _COMMITS_RATIO_MAX
        yield from ratio_target(
            Measure.COMMITS, "brokers", limit, ours, clocked, than="commits by the clock"
        )


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
    yield from ratio_target(Measure.SPARK_CLUSTER, of, limit, ours, local, than="local mode")


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
        yield from ratio_target(Measure.BESIDE, of, limit, waits, alone, than="alone")

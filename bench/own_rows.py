"""What is measured of kmirror alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from bench.commits import BY_THE_CLOCK, CommitsRun
from bench.contest_rows import CATCH_UP
from bench.contestant import KMIRROR
from bench.part import Part
from bench.partitions import TAKEN
from bench.plan_changes import Change
from bench.quantiles import QUANTILES
from bench.results import Results
from bench.row import (
    CPU_UNIT,
    MIB,
    RATE_UNIT,
    Aim,
    Group,
    cell,
    ours_alone,
)
from bench.scale_case import Cost
from bench.target import Measure
from bench.workload import LONG_BACKLOG

# Of the kinds of requests so many are named.
_KINDS = 4
_MINUTE_S = 60

Measured = list[tuple[str, str, Aim | None]]


def own(results: Results) -> list[Group]:
    """Give what was measured of kmirror alone."""
    return [
        *_partitions(results),
        *_scale(results),
        *_groups_of_consumers(results),
        *_many_topics(results),
        *_streams(results),
        *_spark_cluster(results),
        *_audits(results),
        *_batches(results),
        *_plan_changes(results),
        *_commits(results),
    ]


def _partitions(results: Results) -> Iterator[Group]:
    for run in results.partitions:
        is_taken = run.case == TAKEN.label
        ages = {"p99": (Measure.AGE, run.case)} if is_taken else {}
        measured: Measured = [
            ("the source took, records/s", f"{run.taken_per_s:,.0f}", None),
            ("peak RSS, MiB", f"{run.peak_rss_bytes / MIB:,.0f}", (Measure.MEMORY, run.case)),
            (
                "largest lag, records",
                f"{max(run.lag):,}",
                None if is_taken else (Measure.LAG, run.case),
            ),
            *(
                (f"age {label}, ms", f"{of(run.age_ms):,.1f}", ages.get(label))
                for label, of in QUANTILES
            ),
        ]
        why = ", what the source takes" if is_taken else ""
        yield ours_alone(
            Part.SCALE if is_taken else Part.PARTITIONS,
            f"{run.partitions:,} partitions, 4 slots, {run.rate:,}/s{why}, read_committed",
            measured,
            key=run.case,
        )


def _scale(results: Results) -> Iterator[Group]:
    for run in results.scale_runs:
        flows = "1 flow" if run.flows == 1 else f"{run.flows} flows"
        measured: Measured = [
            (
                "start to a record of each, s",
                f"{run.start_s:,.1f}",
                (Measure.MANY_FLOWS_START, run.label),
            ),
            (
                "peak RSS, MiB",
                f"{run.peak_rss_bytes / MIB:,.0f}",
                (Measure.MANY_FLOWS_MEMORY, run.label),
            ),
            ("threads", f"{run.threads:,}", None),
            *_cost("at rest", run.rest, (Measure.MANY_FLOWS_CPU, run.label)),
            *_cost(f"at {run.rate:,} records/s", run.busy, None),
        ]
        yield ours_alone(
            Part.SCALE, f"{flows} x {run.partitions:,} partitions in one process", measured
        )


def _cost(when: str, cost: Cost, aim: Aim | None) -> Measured:
    return [
        (f"{when}: all processes, cores", f"{cost.cpu_share:.3f}", aim),
        (f"{when}: of that Python, cores", f"{cost.control_cpu_share:.3f}", None),
        (f"{when}: both brokers, cores", f"{cost.brokers_cpu_share:.3f}", None),
        (
            f"{when}: requests/s to both brokers",
            f"{cost.all_requests_per_s:,.0f} ({_kinds(cost.requests_per_s)})",
            None,
        ),
    ]


def _kinds(requests_per_s: Mapping[str, float]) -> str:
    """Name the most frequent kinds; they come in that order."""
    most = islice(requests_per_s.items(), _KINDS)
    return ", ".join(f"{kind} {rate:,.0f}" for kind, rate in most)


def _groups_of_consumers(results: Results) -> Iterator[Group]:
    for run in results.groups:
        follows = run.follows_ms
        measured: Measured = [
            ("a round, p50, ms", f"{run.round_ms.p50:,.0f}", (Measure.GROUPS, run.label)),
            ("a round, max, ms", f"{run.round_ms.max:,.0f}", None),
            ("target has them, p50, ms", f"{follows.p50:,.0f}", None),
            ("target has them, max, ms", f"{follows.max:,.0f}", None),
            (
                "memory for them, MiB",
                f"{run.added_rss_bytes / MIB:,.0f}",
                (Measure.GROUPS_MEMORY, run.label),
            ),
        ]
        title = f"{run.groups:,} groups x {run.partitions} partitions"
        yield ours_alone(Part.GROUPS, title, measured)


def _many_topics(results: Results) -> Iterator[Group]:
    for run in results.many_topics:
        measured: Measured = [
            ("kmirror plan, none is there, s", f"{run.plan_s:,.1f}", (Measure.PLAN, run.label)),
            ("kmirror apply, s", f"{run.apply_s:,.1f}", None),
            ("kmirror plan, nothing to do, s", f"{run.plan_again_s:,.1f}", None),
            ("start to a record of each, s", f"{run.copied_s:,.1f}", None),
            (
                "control plane at rest, cores",
                f"{run.control_cpu_share:,.3f}",
                (Measure.CONTROL_CPU, run.label),
            ),
            ("all processes at rest, cores", f"{run.cpu_share:,.3f}", None),
            ("RSS at rest, MiB", f"{run.peak_rss_bytes / MIB:,.0f}", None),
            ("pause of one, slowest of five, s", f"{run.pause_s:,.2f}", (Measure.PAUSE, run.label)),
            (
                "requests above 1 MiB",
                f"{run.refused_requests}",
                (Measure.REQUESTS, run.label),
            ),
        ]
        yield ours_alone(
            Part.MANY_TOPICS, f"{run.topics:,} topics x 1 partition, 4 slots", measured
        )


def _streams(results: Results) -> Iterator[Group]:
    for rtt_ms, number in sorted({(run.rtt_ms, run.streams) for run in results.streams}):
        found = [run for run in results.streams if (run.rtt_ms, run.streams) == (rtt_ms, number)]
        twice = sum(run.copied - run.records for run in found)
        measured: Measured = [
            (RATE_UNIT, cell([run.records_per_s for run in found], "{:,.0f}"), None),
            (CPU_UNIT, cell([run.cpu_s_per_gb for run in found], "{:,.1f}"), None),
            ("records copied twice", f"{twice:,}", None),
        ]
        streams = "1 stream" if number == 1 else f"{number} streams"
        where = f", read over {rtt_ms} ms" if rtt_ms else ""
        title = f"kmirror mm1, {streams}, {found[0].records:,} records{where}"
        yield ours_alone(Part.STREAMS, title, measured, runs=len(found), who="at least once")


def _spark_cluster(results: Results) -> Iterator[Group]:
    runs = results.spark_cluster
    measured: Measured = []
    for unit, form, what in CATCH_UP if runs else ():
        aim = (Measure.SPARK_CLUSTER, LONG_BACKLOG.topic) if unit == RATE_UNIT else None
        alone = cell([what(run.local) for run in runs], form)
        spread_out = cell([what(run.cluster) for run in runs], form)
        measured += [
            (f"one process, {unit}", alone, None),
            (f"two executors, {unit}", spread_out, aim),
        ]
    if measured:
        title = f"a Spark cluster, {LONG_BACKLOG.label}"
        yield ours_alone(Part.SPARK_CLUSTER, title, measured, runs=len(runs))


def _batches(results: Results) -> Iterator[Group]:
    for run in results.batches:
        is_one = run.batch_s >= run.seconds
        batches = "one batch" if is_one else f"batches of {run.batch_s} s"
        minutes = run.seconds / _MINUTE_S
        measured: Measured = [
            ("heap in use, MiB", _from_to(run.live_bytes), None),
            ("all processes' memory, MiB", _from_to(run.rss_bytes), None),
            ("full collections of the JVM", f"{run.full_collections}", None),
            ("all together, s", f"{run.full_collections_s:.2f}", None),
        ]
        title = f"{minutes:.0f} minutes at {run.rate:,}/s, {batches}"
        yield ours_alone(Part.BATCHES, title, measured, key=str(run.batch_s))


def _plan_changes(results: Results) -> Iterator[Group]:
    measured: Measured = []
    for change in Change:
        found = results.plan_changes_ms(change)
        if found:
            aim = None if change is Change.NOTHING else (Measure.PLAN_CHANGE, change.value)
            measured.append((f"{change.value}: oldest record, ms", cell(found, "{:,.1f}"), aim))
    if measured:
        title = "2 slots at 1,000/s, read_committed: what partitions that stay notice of a plan"
        yield ours_alone(Part.PLANS, title, measured)


_OF_COMMITS: tuple[tuple[str, str, Callable[[CommitsRun], float], Aim | None], ...] = (
    ("both brokers, cores", "{:.3f}", lambda run: run.brokers_cores, (Measure.COMMITS, "brokers")),
    ("kmirror's processes, cores", "{:.3f}", lambda run: run.cores, None),
    ("markers on the copy's partitions, a second", "{:,.0f}", lambda run: run.markers_per_s, None),
    ("age p50, ms", "{:.1f}", lambda run: run.age_ms.p50, None),
    ("age p99, ms", "{:.1f}", lambda run: run.age_ms.p99, None),
)


def _commits(results: Results) -> Iterator[Group]:
    ours, clocked = (results.commits_of(each.name) for each in (KMIRROR, BY_THE_CLOCK))
    if not ours:
        return
    measured: Measured = []
    for what, form, of, aim in _OF_COMMITS:
        text, beside = (cell([of(run) for run in runs], form) for runs in (ours, clocked))
        measured.append((what, f"{text}; by the clock {beside}", aim))
    title = f"{ours[0].rate:,}/s to {ours[0].partitions} partitions, read_committed"
    yield ours_alone(Part.COMMITS, title, measured)


def _from_to(values: tuple[int, int]) -> str:
    begin, end = (f"{value / MIB:,.0f}" for value in values)
    return f"{begin}, in the end {end}"


def _audits(results: Results) -> Iterator[Group]:
    for run in results.audits:
        yield ours_alone(
            Part.AUDIT,
            f"an audit of {run.workload}, as fast as it can",
            [
                (CPU_UNIT, f"{run.cpu_s_per_gb:,.1f}", None),
                ("the copy's CPU s per GB", f"{run.copy_cpu_s_per_gb:,.1f}", None),
                ("from begin to end, s", f"{run.total_s:,.0f}", None),
                ("start, CPU s", f"{run.start_cpu_s:,.1f}", None),
                ("peak RSS, MiB", f"{run.peak_rss_bytes / MIB:,.0f}", None),
            ],
        )
    for beside in results.audits_beside:
        yield ours_alone(
            Part.AUDIT,
            f"a driver that audits {beside.workload} at {beside.rate / 1e6:,.0f} MB/s",
            [
                ("more than at rest, cores", f"{beside.cores:.3f}", None),
                ("a copy as fast as it can, cores", f"{beside.copy_cores:.2f}", None),
                (
                    "added to the copy's processor time, %",
                    f"{100 * beside.share:.1f}",
                    (Measure.AUDIT, beside.workload),
                ),
            ],
        )

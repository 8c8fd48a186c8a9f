"""How fast a contestant copies what lies in the source already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.arena import Arena
from bench.contestant import Contestant, in_turn
from bench.growth import Growth
from bench.producer_perf import ProducerPerfRun, run_producer_perf
from bench.usage import UsageMeter, cpu_between_s
from bench.workload import Workload, count_records
from kmirror.clock import Clock

_COPY_S_MAX = 900.0
_GB = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUpRun:
    """
    One contestant copied one workload once.

    Args:
        contestant: Its name.
        workload: Its topic.
        records: How many records the workload has.
        size_bytes: The length of each value.
        records_per_s: From the first record seen on the target to the last one, committed.
        bytes_per_s: The same in bytes of values.
        first_record_s: From the start of the process to the first record.
        total_s: From the start of the process to the last record.
        cpu_s: Processor seconds from the first record to the last one.
        cpu_total_s: Processor seconds from the start of the process to the last record.
        cpu_s_per_gb: `cpu_s` for a gigabyte (10^9) of values.
        brokers_cpu_s_per_gb: Processor seconds of both clusters in that time, for a gigabyte.
        peak_rss_bytes: The most memory of all its processes at one moment.
        copied: Records on the target afterwards; more than `records` is duplicates.
    """

    contestant: str
    workload: str
    records: int
    size_bytes: int
    records_per_s: float
    bytes_per_s: float
    first_record_s: float
    total_s: float
    cpu_s: float
    cpu_total_s: float
    cpu_s_per_gb: float
    brokers_cpu_s_per_gb: float
    peak_rss_bytes: int
    copied: int


def run_catch_up(
    folder: Path,
    workloads: Sequence[Workload],
    contestants: Sequence[Contestant],
    *,
    runs: int,
    clock: Clock,
    tell: Callable[[str], None],
) -> Iterator[CatchUpRun | ProducerPerfRun]:
    """
    Let contestants copy workloads, in turn, and Kafka's own producer write as much.

    Args:
        folder: For clusters and logs.
        workloads: What is copied.
        contestants: Who copies it.
        runs: How often each contestant copies each workload.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    for workload in workloads:
        tell(f"catch-up: starting clusters, writing {workload.label}")
        with Arena(folder / workload.topic) as arena:
            workload.write(arena.source)
            for number in range(runs):
                for contestant in in_turn(contestants, number):
                    tell(
                        f"catch-up {workload.label}, run {number + 1} of {runs}: {contestant.label}"
                    )
                    yield copy(arena, contestant, workload, clock)
                tell(f"catch-up {workload.label}, run {number + 1} of {runs}: producer-perf")
                yield run_producer_perf(arena, workload, folder / "producer-perf")


def steps(workloads: Sequence[Workload], contestants: Sequence[Contestant], *, runs: int) -> int:
    """Say how many runs there will be."""
    return runs * len(workloads) * (len(contestants) + 1)


def copy(arena: Arena, contestant: Contestant, workload: Workload, clock: Clock) -> CatchUpRun:
    """
    Let *contestant* copy a workload from its start to the last record.

    Args:
        arena: Where; the workload lies in its source, and nothing else is kept.
        contestant: Who.
        workload: What.
        clock: Where time comes from.
    """
    arena.clear(keep=workload.topic)
    mirror, flow = arena.enter(contestant)
    topic = f"{flow.source}.{workload.topic}"

    def count() -> int:
        return count_records(arena.target, topic, workload.partitions)

    with arena.target_admin() as admin, mirror:
        growth = Growth(admin, topic, workload.partitions, clock)
        began_s = clock.monotonic_s()
        mirror.start()
        with (
            UsageMeter([mirror.process], clock) as usage,
            UsageMeter(arena.brokers(), clock) as brokers,
        ):
            course = growth.follow(workload.records, count, mirror.check, timeout_s=_COPY_S_MAX)
        mirror.stop()
        copied = count()
    rate = course.rate(workload.records)
    cpu_s, brokers_cpu_s = (
        cpu_between_s(meter.samples, course.begin_s, course.end_s) for meter in (usage, brokers)
    )
    copied_bytes = (workload.records - course.begin_records) * workload.size_bytes
    copied_gb = max(copied_bytes, workload.size_bytes) / _GB
    return CatchUpRun(
        contestant=contestant.name,
        workload=workload.topic,
        records=workload.records,
        size_bytes=workload.size_bytes,
        records_per_s=rate,
        bytes_per_s=rate * workload.size_bytes,
        first_record_s=course.begin_s - began_s,
        total_s=course.end_s - began_s,
        cpu_s=cpu_s,
        cpu_total_s=cpu_between_s(usage.samples, began_s, course.end_s) + usage.samples[0].cpu_s,
        cpu_s_per_gb=cpu_s / copied_gb,
        brokers_cpu_s_per_gb=brokers_cpu_s / copied_gb,
        peak_rss_bytes=usage.peak_rss_bytes,
        copied=copied,
    )

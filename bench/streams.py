"""How fast one, two and four streams of `kmirror mm1` drain a backlog, here and over a link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.cluster.mirror import KMIRROR_PROGRAM, Command, Mirror
from kmirror_lab.net import NetLab, NetPlan, net_lab
from kmirror_lab.net.state import Kind
from kmirror_lab.net.up import kind_here
from kmirror_lab.process.host import HERE, Host

from bench.arena import Arena, admin_of
from bench.growth import Growth
from bench.usage import UsageMeter, cpu_between_s
from bench.workload import Workload, count_records
from kmirror.clock import Clock

STREAMS = (1, 2, 4)
RTT_MS = 50
_PARTITIONS = 8
_COPY_S_MAX = 1800.0
_GB = 1e9
# In batches of MirrorMaker 1's time, 16 KiB, the requests would be what is measured.
_LARGE_BATCHES = ("batch.size=262144", "linger.ms=20")
# One stream brings about a megabyte a second over the link.
_FAR_PARTS = 100
_SIDES = ("far", "near")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsRun:
    """
    Some streams drained a backlog once.

    Args:
        streams: How many.
        records: How many the backlog has.
        size_bytes: The length of each value.
        rtt_ms: A round trip to the source; 0 where all is on one machine.
        records_per_s: From the first record seen on the target to the last one.
        cpu_s_per_gb: Processor seconds in that time, for a gigabyte (10^9) of values.
        copied: Records on the target afterwards; more than `records` is duplicates.
    """

    streams: int
    records: int
    size_bytes: int
    rtt_ms: int = 0
    records_per_s: float
    cpu_s_per_gb: float
    copied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """
    Where streams drain.

    Args:
        source, target: The clusters.
        host: Where the target and the streams are.
        rtt_ms: A round trip between them and the source.
        producer: Lines for the streams' producers.
        clock: Where time comes from.
    """

    source: Cluster
    target: Cluster
    host: Host = HERE
    rtt_ms: int = 0
    producer: tuple[str, ...] = ()
    clock: Clock


def run_streams(
    folder: Path, workload: Workload, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[StreamsRun]:
    """
    Let streams drain a backlog, in turn: on this machine, and over a link where one can be made.

    Args:
        folder: For clusters and logs.
        workload: The backlog.
        runs: How often each number of streams does it.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    backlog = replace(workload, topic="bench-streams", partitions=_PARTITIONS)
    yield from _here(folder / "streams", backlog, runs=runs, clock=clock, tell=tell)
    if _has_link():
        far = replace(backlog, records=backlog.records // _FAR_PARTS)
        yield from _far(folder / "streams-far", far, runs=runs, clock=clock, tell=tell)
    else:
        tell("streams: not over a link, which needs root")


def steps(*, runs: int) -> int:
    """Say how many runs there will be."""
    return runs * len(STREAMS) * (2 if _has_link() else 1)


def _has_link() -> bool:
    return kind_here() is not Kind.PROXY


def _here(
    folder: Path, backlog: Workload, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[StreamsRun]:
    tell(f"streams: starting clusters, writing {backlog.label}")
    with Arena(folder) as arena:
        backlog.write(arena.source)
        scene = _Scene(
            source=arena.source, target=arena.target, producer=_LARGE_BATCHES, clock=clock
        )
        for number, streams in product(range(runs), STREAMS):
            tell(f"streams, run {number + 1} of {runs}: {streams}")
            arena.clear(keep=backlog.topic)
            yield _drain(scene, backlog, streams, folder / f"run-{number}-{streams}")


def _far(
    folder: Path, backlog: Workload, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[StreamsRun]:
    """Read over a link with a delay, with MirrorMaker 1's own settings: TCP's window is small."""
    tell(f"streams: starting clusters, {RTT_MS} ms from one to the other")
    with net_lab(folder, NetPlan(names=_SIDES, heap_mb=1024)) as net:
        scene = _Scene(
            source=net.clusters[_SIDES[0]],
            target=net.clusters[_SIDES[1]],
            host=net.host(_SIDES[1]),
            rtt_ms=RTT_MS,
            clock=clock,
        )
        for number, streams in product(range(runs), STREAMS):
            tell(f"streams over {RTT_MS} ms, run {number + 1} of {runs}: {streams}")
            ours = replace(backlog, topic=f"{backlog.topic}-{number}-{streams}")
            _write_far(net, scene.source, ours)
            yield _drain(scene, ours, streams, folder / f"run-{number}-{streams}")


def _write_far(net: NetLab, source: Cluster, backlog: Workload) -> None:
    net.clear()
    with net.host(_SIDES[0]).inside():
        backlog.write(source)
    net.set(delay=f"{RTT_MS / 2:g}ms")


def _drain(scene: _Scene, backlog: Workload, streams: int, folder: Path) -> StreamsRun:
    with ExitStack() as running:
        running.enter_context(scene.host.inside())
        scene.target.create_topic(backlog.topic, partitions=_PARTITIONS)
        admin = running.enter_context(admin_of(scene.target))
        mirror = running.enter_context(_mirror(scene, backlog.topic, streams, folder))

        def count() -> int:
            return count_records(scene.target, backlog.topic, _PARTITIONS)

        growth = Growth(admin, backlog.topic, _PARTITIONS, scene.clock)
        mirror.start()
        with UsageMeter([mirror.process], scene.clock) as usage:
            course = growth.follow(backlog.records, count, mirror.check, timeout_s=_COPY_S_MAX)
        mirror.stop()
        copied = count()
    cpu_s = cpu_between_s(usage.samples, course.begin_s, course.end_s)
    copied_bytes = max(1, backlog.records - course.begin_records) * backlog.size_bytes
    return StreamsRun(
        streams=streams,
        records=backlog.records,
        size_bytes=backlog.size_bytes,
        rtt_ms=scene.rtt_ms,
        records_per_s=course.rate(backlog.records),
        cpu_s_per_gb=cpu_s / (copied_bytes / _GB),
        copied=copied,
    )


def _mirror(scene: _Scene, topic: str, streams: int, folder: Path) -> Mirror:
    """Give `kmirror mm1` with a group of its own, so that it begins at the first record."""
    folder.mkdir(parents=True)
    reads, writes = folder / "consumer.properties", folder / "producer.properties"
    source = (f"bootstrap.servers={scene.source.bootstrap}", f"group.id={folder.name}")
    reads.write_text("\n".join((*source, "auto.offset.reset=earliest", "")))
    target = f"bootstrap.servers={scene.target.bootstrap}"
    writes.write_text("\n".join((target, *scene.producer, "")))

    def command() -> Command:
        return [
            *(*KMIRROR_PROGRAM, "mm1", "--consumer.config", reads, "--producer.config", writes),
            *("--include", topic, "--num.streams", str(streams)),
        ]

    return Mirror("kmirror mm1", command, log=folder / "kmirror.log", host=scene.host)

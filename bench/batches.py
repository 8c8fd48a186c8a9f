"""What Spark's batches cost by their length: a flow with short ones, and one with a single one."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.process import process, session
from kmirror_lab.process.jvm_heap import live_heap
from kmirror_lab.process.waiting import wait_until

from bench.arena import Arena
from bench.contestant import KMIRROR
from bench.first_records import create_topics, write_first_records
from bench.load import Load
from bench.pause import pass_time
from bench.usage import sample
from kmirror.clock import Clock
from kmirror.jvm import find_java
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic

BATCHES_S = (300, 86_400)
_TOPIC, _PARTITIONS, _RATE = "bench-batches", 4, 1_000
# Both have compiled what they run.
_SETTLE_S = 120.0
_HOUR_S = 3600.0
_SECONDS_MIN = 10.0
_START_S_MAX = 300.0
_ANSWER_S_MAX = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchesRun:
    """
    A flow went on for a while.

    Args:
        batch_s: How long each of its batches may last, seconds.
        seconds: How long it was looked at.
        rate: Records a second.
        live_bytes: What of the JVM's heap was in use, at the beginning and in the end.
        rss_bytes: The memory of all its processes, at the beginning and in the end.
        full_collections: How often the JVM stood still to look at its whole heap.
        full_collections_s: For how long, all together.
    """

    batch_s: int
    seconds: float
    rate: int
    live_bytes: tuple[int, int]
    rss_bytes: tuple[int, int]
    full_collections: int
    full_collections_s: float


def run_batches(
    folder: Path, *, scale: float, clock: Clock, tell: Callable[[str], None]
) -> Iterator[BatchesRun]:
    """
    Let flows with batches of different lengths run beside each other.

    Args:
        folder: For clusters and logs.
        scale: The part of the hour.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    seconds = max(_SECONDS_MIN, _HOUR_S * scale)
    tell("batches: starting clusters and drivers")
    with Arena(folder / "batches") as arena, ExitStack() as running:
        places = [TopicPartition(_TOPIC, number) for number in range(_PARTITIONS)]
        new = NewTopic(name=_TOPIC, partitions=_PARTITIONS, replication_factor=1)
        with arena.source_admin() as admin:
            create_topics(admin, [new])
        write_first_records(arena.source, places)
        drivers = [_started(arena, batch_s, running) for batch_s in BATCHES_S]
        log = folder / "batches-load.log"
        load = Load(
            bootstrap=arena.source.bootstrap, topic=_TOPIC, partitions=_PARTITIONS, rate=_RATE
        )
        running.callback(process.kill, load.start(log))
        pass_time(clock, max(_SECONDS_MIN, _SETTLE_S * scale))
        jvms = [_jvm_of(driver) for driver in drivers]
        # Asking for the heap in use is a full collection itself.
        memory = [[_memory(driver, clock)] for driver in drivers]
        before = [_full_collections(jvm) for jvm in jvms]
        tell(f"batches: {seconds:,.0f} s")
        pass_time(clock, seconds)
        for driver in drivers:
            driver.check()
        after = [_full_collections(jvm) for jvm in jvms]
        for driver, looks in zip(drivers, memory, strict=True):
            looks.append(_memory(driver, clock))
            driver.stop()
        assert not log.read_text(), log.read_text()
    for batch_s, looks, begin, end in zip(BATCHES_S, memory, before, after, strict=True):
        (live_begin, rss_begin), (live_end, rss_end) = looks
        yield BatchesRun(
            batch_s=batch_s,
            seconds=seconds,
            rate=_RATE,
            live_bytes=(live_begin, live_end),
            rss_bytes=(rss_begin, rss_end),
            full_collections=end[0] - begin[0],
            full_collections_s=end[1] - begin[1],
        )


def _started(arena: Arena, batch_s: int, running: ExitStack) -> Mirror:
    """Start a driver, and wait until it copies."""
    line = f"{{source}}->{{target}}.kmirror.batch.duration.seconds = {batch_s}"
    mirror, flow = arena.enter(replace(KMIRROR, name=f"batches-{batch_s}", lines=(line,)))
    running.enter_context(mirror)
    mirror.start()
    copy = f"{flow.source}.{_TOPIC}"
    with arena.target_admin() as admin:

        def is_there() -> bool:
            mirror.check()
            return copy in admin.topics()

        wait_until(is_there, f"{copy} is there", timeout_s=_START_S_MAX)
    return mirror


def _jvm_of(driver: Mirror) -> int:
    """Give the number of a driver's JVM."""
    (jvm,) = (
        pid
        for pid in session.members(driver.process)
        if Path(f"/proc/{pid}/comm").read_text().strip() == "java"
    )
    return jvm


def _memory(driver: Mirror, clock: Clock) -> tuple[int, int]:
    """Give the heap in use, and the memory of all processes, bytes."""
    rss_bytes = sample([driver.process], clock).rss_bytes
    return live_heap(_jvm_of(driver), timeout_s=_ANSWER_S_MAX).all_bytes, rss_bytes


def _full_collections(jvm: int) -> tuple[int, float]:
    """Give how many there have been, and how long they have taken, seconds."""
    done = subprocess.run(
        [find_java().tool("jstat"), "-gcutil", str(jvm)],
        capture_output=True,
        text=True,
        timeout=_ANSWER_S_MAX,
        check=True,
    )
    head, values = (line.split() for line in done.stdout.strip().splitlines())
    found = dict(zip(head, values, strict=True))
    return int(found["FGC"]), float(found["FGCT"])

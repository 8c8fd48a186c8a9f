"""How soon records flow again after a contestant was killed and started once more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Consumer
from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.process import process

from bench.arena import Arena
from bench.contestant import KMIRROR, MM2_DEFAULT, MM2_EXACTLY_ONCE
from bench.probe import created_ns, start_reading
from bench.stream import Stream, flowing
from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable

_CONTESTANTS = (MM2_DEFAULT, MM2_EXACTLY_ONCE, KMIRROR)
_PARTITIONS = 4
_RATE = 1_000
_STEADY_S = 5.0
_POLL_S = 0.2
_START_S_MAX = 120.0
# MM2 may wait for its lost worker for `scheduled.rebalance.max.delay.ms`, five minutes.
_RECOVERY_S_MAX = 480.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryRun:
    """
    One contestant was killed once.

    Args:
        contestant: Its name.
        flowing_again_s: From the kill until a read_committed consumer of the target got a
            record that was written after it.
    """

    contestant: str
    flowing_again_s: float


def run_recovery(
    folder: Path, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[RecoveryRun]:
    """
    Kill each contestant in a steady stream, and start it again with the same command at once.

    Args:
        folder: For clusters and logs.
        runs: How often each.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell("recovery: starting clusters")
    with Arena(folder / "recovery") as arena:
        for number in range(runs):
            for contestant in _CONTESTANTS:
                tell(f"recovery, run {number + 1} of {runs}: {contestant.label}")
                logs = folder / f"recovery-{contestant.name}-{number + 1}"
                with flowing(
                    arena, contestant, partitions=_PARTITIONS, folder=logs, clock=clock
                ) as stream:
                    again_s = kill_in_stream(stream)
                yield RecoveryRun(contestant=contestant.name, flowing_again_s=again_s)


def steps(*, runs: int) -> int:
    """Say how many runs there will be."""
    return runs * len(_CONTESTANTS)


def kill_in_stream(stream: Stream, *, start: Callable[[Mirror], None] = Mirror.start) -> float:
    """
    Kill the mirror of a steady stream, start it again at once, and give how long nothing flowed.

    Args:
        stream: Which.
        start: Starts it.
    """
    clock = stream.clock
    reader = start_reading(
        stream.arena.target.bootstrap, stream.copy, stream.partitions, "read_committed"
    )
    writer = stream.load(rate=_RATE).start(stream.folder / "load.log")
    try:
        steady_ns = time.time_ns() + int(_STEADY_S * 1e9)
        _read_until(reader, steady_ns, stream, timeout_s=_START_S_MAX)
        killed_s = clock.monotonic_s()
        stream.mirror.kill()
        # What was written until now may have passed in its last moment.
        gone_ns = time.time_ns()
        start(stream.mirror)
        _read_until(reader, gone_ns, stream, timeout_s=_RECOVERY_S_MAX)
        return clock.monotonic_s() - killed_s
    finally:
        process.end(writer, timeout_s=_START_S_MAX)
        reader.close()


def _read_until(reader: Consumer, moment_ns: int, stream: Stream, *, timeout_s: float) -> None:
    """Read until a record comes that was written after a moment."""
    clock = stream.clock
    deadline_s = clock.monotonic_s() + timeout_s
    while (created_ns(reader, _POLL_S) or 0) <= moment_ns:
        stream.mirror.check()
        if clock.monotonic_s() > deadline_s:
            raise ClusterUnavailable(f"{stream.copy}: nothing new within {timeout_s:g} s")

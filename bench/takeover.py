"""How long a flow stands still when one of several nodes ends, and another one goes on."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from confluent_kafka import Consumer
from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.process import process

from bench.arena import Arena
from bench.contestant import (
    KMIRROR,
    MM2_DEFAULT,
    MM2_EXACTLY_ONCE,
    SEVERAL_NODES,
    Contestant,
    Program,
)
from bench.probe import created_ns, start_reading
from bench.stream import Stream, flowing
from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable

# `info`, because a node says at that level that it copies.
_CONTESTANTS = (
    replace(MM2_DEFAULT, lines=SEVERAL_NODES, level="info"),
    replace(MM2_EXACTLY_ONCE, level="info"),
    replace(KMIRROR, lines=SEVERAL_NODES),
)
NODES = (2, 3)
ENDINGS = (signal.SIGKILL, signal.SIGTERM)
# What a node says when it begins to copy; each line begins with the time.
_COPIES = {
    Program.MIRROR_MAKER: re.compile(
        r"^.*MirrorSourceConnector-\d+\} Source task finished initialization", re.MULTILINE
    ),
    Program.KMIRROR: re.compile(r"^.* plan \d+: ", re.MULTILINE),
}
_PARTITIONS = 4
_RATE = 1_000
_POLL_S = 0.05
# New nodes have joined by then, and have got what they get.
_SETTLE_S = 45.0
# A node that is told to end copies on for some seconds; afterwards another one does.
_AFTER_S = 15.0
_START_S_MAX = 180.0
# MM2 may wait for its lost node for `scheduled.rebalance.max.delay.ms`, five minutes.
_TAKEOVER_S_MAX = 480.0
_NS = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeoverRun:
    """
    The node that copied was ended once.

    Args:
        contestant: Its name.
        nodes: How many there were.
        ending: The signal that it got.
        standstill_s: The longest time, from the signal on, in which a read_committed consumer of
            the target got nothing, while records were written all the time.
    """

    contestant: str
    nodes: int
    ending: str
    standstill_s: float


def run_takeover(
    folder: Path, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[TakeoverRun]:
    """
    End the node that copies, of two and of three.

    Args:
        folder: For clusters and logs.
        runs: How often each.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell("takeover: starting clusters")
    with Arena(folder / "takeover") as arena:
        cases = product(range(runs), NODES, ENDINGS, _CONTESTANTS)
        for at, (number, nodes, ending, contestant) in enumerate(cases):
            what = f"{contestant.label}, {nodes} nodes, {ending.name}"
            tell(f"takeover, run {number + 1} of {runs}: {what}")
            logs = folder / f"takeover-{at + 1:03}"
            with flowing(
                arena, contestant, partitions=_PARTITIONS, folder=logs, clock=clock
            ) as stream:
                standstill_s = _take_over(stream, contestant, nodes, ending)
            yield TakeoverRun(
                contestant=contestant.name,
                nodes=nodes,
                ending=ending.name,
                standstill_s=standstill_s,
            )


def steps(*, runs: int) -> int:
    """Say how many results there will be."""
    return runs * len(NODES) * len(ENDINGS) * len(_CONTESTANTS)


def _take_over(stream: Stream, contestant: Contestant, nodes: int, ending: signal.Signals) -> float:
    with ExitStack() as running:
        joined = [stream.mirror]
        for _ in range(nodes - 1):
            joined.append(running.enter_context(stream.arena.join(contestant)))
            joined[-1].start()
        reader = start_reading(
            stream.arena.target.bootstrap, stream.copy, stream.partitions, "read_committed"
        )
        running.callback(reader.close)
        writer = stream.load(rate=_RATE).start(stream.folder / "load.log")
        running.callback(lambda: process.end(writer, timeout_s=_START_S_MAX))
        reading = _Reading(reader, stream.clock)
        reading.until(time.time_ns() + int(_SETTLE_S * _NS), joined, timeout_s=_START_S_MAX)
        copying = copying_node(contestant.program, [node.log_text() for node in joined])
        others = joined[:copying] + joined[copying + 1 :]
        reading.longest_s = 0.0
        process.send(joined[copying].process, ending)
        if ending is signal.SIGKILL:
            joined[copying].kill()
        after_ns = time.time_ns() + int(_AFTER_S * _NS)
        reading.until(after_ns, others, timeout_s=_TAKEOVER_S_MAX)
        for node in others:
            node.stop()
        return reading.longest_s


def copying_node(program: Program, logs: Sequence[str]) -> int:
    """
    Say which node copies: the one that has said last that it begins to.

    Raises:
        ClusterUnavailable: None has said so.
    """
    said = [(_COPIES[program].findall(log) or [""])[-1].lstrip("[") for log in logs]
    last = max(said)
    if not last:
        raise ClusterUnavailable("no node has said that it copies")
    return said.index(last)


class _Reading:
    """
    Reads a copy, and notes the longest time between two records.

    Args:
        reader: Its consumer.
        clock: Where time comes from.
    """

    def __init__(self, reader: Consumer, clock: Clock) -> None:
        self.longest_s = 0.0
        self._reader = reader
        self._clock = clock
        self._last_s = clock.monotonic_s()

    def until(self, moment_ns: int, nodes: Sequence[Mirror], *, timeout_s: float) -> None:
        """
        Read until a record comes that was written after a moment.

        Raises:
            ClusterUnavailable: None came in time.
            EnvironmentProblem: One of *nodes* has ended.
        """
        deadline_s = self._clock.monotonic_s() + timeout_s
        while True:
            created = created_ns(self._reader, _POLL_S)
            now_s = self._clock.monotonic_s()
            if created is not None:
                self.longest_s = max(self.longest_s, now_s - self._last_s)
                self._last_s = now_s
                if created > moment_ns:
                    return
            elif now_s > deadline_s:
                raise ClusterUnavailable(f"nothing new within {timeout_s:g} s")
            else:
                for node in nodes:
                    node.check()

"""How a start goes: when it has come to each step, and what that has cost by then."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from confluent_kafka import Consumer
from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.process import process

from bench.arena import Arena
from bench.contestant import KMIRROR, MM2_DEFAULT, MM2_EXACTLY_ONCE, Contestant, Program
from bench.probe import created_ns, start_reading
from bench.sampler import Sampler
from bench.stream import Stream, flowing
from bench.usage import UsageSample, cpu_between_s, sample
from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable

_CONTESTANTS = (
    MM2_DEFAULT,
    MM2_EXACTLY_ONCE,
    replace(KMIRROR, options=("--log-level", "debug", "--log-format", "json")),
)
_PARTITIONS = 4
_LOOK_S = 0.05
_RATE = 1_000
_STEADY_S = 5.0
_POLL_S = 0.2
_FLOWS_S_MAX = 120.0
# MM2 may wait for its lost worker for `scheduled.rebalance.max.delay.ms`, five minutes.
_FLOWS_AGAIN_S_MAX = 480.0
# What the log says in other words, by the names of its events.
_EVENTS = {"spark.starting": "the file is read", "plan.made": "the plan is handed out"}
_STEP = "start.step"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartStep:
    """
    A step that was reached.

    Args:
        name: Which.
        at_s: How long after the start of the process.
        cpu_s: What all of the contestant's processes had used by then.
    """

    name: str
    at_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRun:
    """
    One contestant was started once.

    Args:
        contestant: Its name.
        take_over: It was killed in a steady stream before; otherwise all was new.
        first_record_s: Until a read_committed consumer of the target got a record: from the start,
            or from the kill.
        cpu_s: What all of its processes had used by then.
        load: How many processes wanted a processor on average in the last minute.
        steps: kmirror's own, in the order of time.
    """

    contestant: str
    take_over: bool
    first_record_s: float
    cpu_s: float
    load: float
    steps: tuple[StartStep, ...]


STARTS = ((False, "to first record"), (True, "kill -9 to flowing"))
"""Whether somebody was killed before, and what is measured then."""


def run_starts(
    folder: Path, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[StartRun]:
    """
    Start each contestant from nothing, and once more after a `kill -9` in a steady stream.

    Args:
        folder: For clusters and logs.
        runs: How often each.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell("start: starting clusters")
    with Arena(folder / "start") as arena:
        for number in range(runs):
            for contestant in _CONTESTANTS:
                tell(f"start, run {number + 1} of {runs}: {contestant.label}")
                logs = folder / f"start-{contestant.name}-{number + 1}"
                yield from _start_twice(arena, contestant, logs, clock)


def steps(*, runs: int) -> int:
    """Say how many runs there will be."""
    return runs * len(_CONTESTANTS) * 2


def _start_twice(
    arena: Arena, contestant: Contestant, logs: Path, clock: Clock
) -> Iterator[StartRun]:
    watches: list[_Watch] = []

    def start(mirror: Mirror) -> None:
        watches.append(_Watch(mirror, clock))
        watches[-1].begin()

    with flowing(
        arena, contestant, partitions=_PARTITIONS, folder=logs, clock=clock, start=start
    ) as stream:
        yield watches[0].end(contestant, take_over=False)
        flowing_again_s = _kill_in_stream(stream, start)
        again = watches[1].end(contestant, take_over=True)
        yield replace(again, first_record_s=flowing_again_s)


def _kill_in_stream(stream: Stream, start: Callable[[Mirror], None]) -> float:
    """Kill the mirror of a steady stream, start it again, and give how long nothing flowed."""
    clock = stream.clock
    reader = start_reading(
        stream.arena.target.bootstrap, stream.copy, stream.partitions, "read_committed"
    )
    writer = stream.load(rate=_RATE).start(stream.folder / "load.log")
    try:
        steady_ns = time.time_ns() + int(_STEADY_S * 1e9)
        _read_until(reader, steady_ns, stream, timeout_s=_FLOWS_S_MAX)
        killed_s = clock.monotonic_s()
        stream.mirror.kill()
        # What was written until now may have passed in its last moment.
        gone_ns = time.time_ns()
        start(stream.mirror)
        _read_until(reader, gone_ns, stream, timeout_s=_FLOWS_AGAIN_S_MAX)
        return clock.monotonic_s() - killed_s
    finally:
        process.end(writer, timeout_s=_FLOWS_S_MAX)
        reader.close()


def _read_until(reader: Consumer, moment_ns: int, stream: Stream, *, timeout_s: float) -> None:
    """Read until a record comes that was written after a moment."""
    clock = stream.clock
    deadline_s = clock.monotonic_s() + timeout_s
    while (created_ns(reader, _POLL_S) or 0) <= moment_ns:
        stream.mirror.check()
        if clock.monotonic_s() > deadline_s:
            raise ClusterUnavailable(f"{stream.copy}: nothing new within {timeout_s:g} s")


class _Watch:
    """Looks at a mirror from its start on."""

    def __init__(self, mirror: Mirror, clock: Clock) -> None:
        self._mirror = mirror
        self._clock = clock
        self._lines = len(mirror.log_text().splitlines()) if mirror.log.exists() else 0
        self._begun_ns = 0
        self._begun_s = 0.0
        self._usage: Sampler[UsageSample]

    def begin(self) -> None:
        """Start it."""
        self._begun_ns, self._begun_s = time.time_ns(), self._clock.monotonic_s()
        self._mirror.start()
        leaders = [self._mirror.process]
        self._usage = Sampler(lambda: sample(leaders, self._clock), self._clock, pause_s=_LOOK_S)
        self._usage.__enter__()

    def end(self, contestant: Contestant, *, take_over: bool) -> StartRun:
        """Give what was seen, now that a record has come."""
        end_s = self._clock.monotonic_s()
        self._usage.__exit__(None, None, None)
        lines = self._mirror.log_text().splitlines()[self._lines :]
        is_ours = contestant.program is Program.KMIRROR
        return StartRun(
            contestant=contestant.name,
            take_over=take_over,
            first_record_s=end_s - self._begun_s,
            cpu_s=self._cpu_s(end_s - self._begun_s),
            load=os.getloadavg()[0],
            steps=tuple(self._steps(lines)) if is_ours else (),
        )

    def _steps(self, lines: Sequence[str]) -> Iterator[StartStep]:
        for name, at_ns in moments(lines).items():
            at_s = (at_ns - self._begun_ns) / 1e9
            yield StartStep(name=name, at_s=at_s, cpu_s=self._cpu_s(at_s))

    def _cpu_s(self, at_s: float) -> float:
        first = replace(self._usage.samples[0], at_s=self._begun_s, cpu_s=0.0)
        samples = [first, *self._usage.samples]
        return cpu_between_s(samples, self._begun_s, self._begun_s + at_s)


def moments(lines: Sequence[str]) -> Mapping[str, int]:
    """
    Give when each step was reached for the first time, in nanoseconds of the wall clock.

    Args:
        lines: Of a log in JSON, with `--log-level debug`; others are left out.
    """
    found: dict[str, int] = {}
    for line in lines:
        if not line.startswith("{"):
            continue
        fields = json.loads(line)
        name = fields.get("step") if fields["event"] == _STEP else _EVENTS.get(fields["event"])
        if name is not None:
            at = datetime.fromisoformat(fields["time"])
            found.setdefault(name, int(at.timestamp() * 1e3) * 1_000_000)
    return dict(sorted(found.items(), key=lambda each: each[1]))

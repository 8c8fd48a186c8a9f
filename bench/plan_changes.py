"""What a changed plan costs the partitions that stay: how old their records get meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from kmirror_lab.cluster.mirror import Mirror

from bench.arena import Arena
from bench.arrival import written_within_ms
from bench.contestant import KMIRROR_2_SLOTS
from bench.first_records import create_topics
from bench.pause import pass_time
from bench.stream import Stream, flowing
from kmirror.cli.control import author_now, open_actions
from kmirror.clock import Clock
from kmirror.control.actions import ControlActions
from kmirror.plans.topics import NewTopic
from kmirror.wire.control_orders import PauseVerb, Scope

# One in each slot. The idle topics are spread evenly over both, in the order of their names: every
# other one is in the first. With so many of these paused, one of the second slot's has to move, and
# it is an idle one, because the stream's partitions weigh too much. The last one that is resumed
# goes to the second slot, so another one takes its place the next time.
_PARTITIONS, _IDLE, _MANY = 2, 32, 12
_MOVES = _IDLE // 2 - _MANY + 1
_CONTESTANT = replace(
    KMIRROR_2_SLOTS, lines=(*KMIRROR_2_SLOTS.lines, "emit.heartbeats.enabled = false")
)
_RATE = 1_000
_WARM_UP_S = 60.0
# A change is in effect by then, and what moves is copied again.
_WINDOW_S = 1.5
_REPEATS = 8
_CHANGES = 3 * _REPEATS + 2 * _MOVES
# Until the clients that give orders are there.
_SPARE_S = 12
_LOAD_S = _WARM_UP_S + _CHANGES * _WINDOW_S + _SPARE_S


class Change(StrEnum):
    """What happens to a flow."""

    NOTHING = "no new plan"
    PAUSE = "a partition is paused"
    RESUME = "a partition is resumed"
    MOVE = f"{_MANY} partitions are paused, so another one moves"
    RESUME_MANY = f"{_MANY} partitions are resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChangeRun:
    """
    A plan followed another one.

    Args:
        change: Why.
        oldest_ms: How old the oldest record was, of partitions that stay, when a read_committed
            consumer of the target got it.
    """

    change: Change
    oldest_ms: float


def run_plan_changes(
    folder: Path, *, runs: int, clock: Clock, tell: Callable[[str], None]
) -> Iterator[PlanChangeRun]:
    """
    Change the plans of a flow with two slots.

    Args:
        folder: For clusters and logs.
        runs: How many flows, one after the other.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell("plans: starting clusters")
    with Arena(folder / "plans") as arena:

        def start(mirror: Mirror) -> None:
            new = [
                NewTopic(name=name, partitions=1, replication_factor=1) for name in _idle_topics()
            ]
            with arena.source_admin() as admin:
                create_topics(admin, new)
            mirror.start()

        for number in range(runs):
            tell(f"plans: flow {number + 1} of {runs}")
            logs = folder / f"plans-{number + 1}"
            logs.mkdir()
            with flowing(
                arena,
                _CONTESTANT,
                partitions=_PARTITIONS,
                folder=logs,
                clock=clock,
                start=start,
            ) as stream:
                yield from _measure(stream)


def steps(*, runs: int) -> int:
    """Say how many results there will be."""
    return runs * _CHANGES


def _idle_topics() -> list[str]:
    return [f"bench-idle-{number:02}" for number in range(_IDLE)]


def _measure(stream: Stream) -> Iterator[PlanChangeRun]:
    load = stream.load(rate=_RATE, records=int(_LOAD_S * _RATE))
    with ThreadPoolExecutor(1) as pool:
        passing = pool.submit(stream.send, load, ["read_committed"])
        begun = _Changes(stream).make()
        arrivals = passing.result().arrivals["read_committed"]
    for change, begin_ns in begun:
        oldest_ms = max(written_within_ms(arrivals, begin_ns, _WINDOW_S))
        yield PlanChangeRun(change=change, oldest_ms=oldest_ms)


class _Changes:
    """Gives orders to a running flow, one after the other."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._idle = _idle_topics()
        self._begun: list[tuple[Change, int]] = []

    def make(self) -> Sequence[tuple[Change, int]]:
        """Make all changes; give each with its moment, nanoseconds since the epoch."""
        stream = self._stream
        pass_time(stream.clock, _WARM_UP_S)
        file = stream.arena.write_file(_CONTESTANT, stream.folder)
        with open_actions(file, str(stream.arena.flow)) as actions:
            for _ in range(_REPEATS):
                self._order(actions, Change.NOTHING, None, [])
                self._order(actions, Change.PAUSE, PauseVerb.PAUSE, self._idle[:1])
                self._order(actions, Change.RESUME, PauseVerb.RESUME, self._idle[:1])
            firsts = self._idle[::2]
            for last in firsts[_MANY - 1 :]:
                many = [*firsts[: _MANY - 1], last]
                self._order(actions, Change.MOVE, PauseVerb.PAUSE, many)
                self._order(actions, Change.RESUME_MANY, PauseVerb.RESUME, many)
        return self._begun

    def _order(
        self,
        actions: ControlActions,
        change: Change,
        verb: PauseVerb | None,
        topics: Sequence[str],
    ) -> None:
        self._begun.append((change, time.time_ns()))
        clock = self._stream.clock
        ends_s = clock.monotonic_s() + _WINDOW_S
        if verb is not None:
            for topic in topics:
                actions.pause(verb, Scope(topic=topic), author_now("a measurement"))
            effect = actions.await_effect()
            assert effect.generation is not None, "no driver has obeyed"
            assert effect.took_s < _WINDOW_S, effect
        pass_time(clock, ends_s - clock.monotonic_s())

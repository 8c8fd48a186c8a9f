"""A thousand consumer groups: how soon the target has their offsets, and what that costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.process.waiting import wait_until

from bench.arena import Arena
from bench.contestant import KMIRROR_GROUPS
from bench.quantiles import Quantiles, quantiles
from bench.stream import TOPIC, Stream, flowing
from bench.usage import UsageMeter, sample
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.model import TopicPartition
from kmirror.pipeline.gateway import client_jvm
from kmirror.pipeline.jvm_groups import JvmGroups
from kmirror.plans.snapshot import GroupPosition

_GROUPS = 1_000
_GROUPS_MIN = 10
_PARTITIONS = 50
_ROUNDS = 20
_RATE = 20_000
_RECORDS_EACH = 1_500  # of a partition: every group is somewhere else, and goes on
_TIMEOUT_S = 60.0
_FOLLOWS_S_MAX = 120.0
_LOOKED_AT_FIRST = 10  # groups

_ROUND = re.compile(r"offsets of (\d+) groups: round of ([\d.]+) s")

Positions = Mapping[str, Mapping[TopicPartition, GroupPosition]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsRun:
    """
    kmirror followed many groups.

    Args:
        groups: How many.
        partitions: Of each.
        follows_ms: From the end of all their commits on the source until the last of them was seen
            on the target, round by round; looking takes a part of it.
        round_ms: How long a round took that found most groups somewhere else: from asking for their
            offsets on the source until the target has taken all of them. From the log.
        rss_before_bytes: The memory of all kmirror's processes before there was any group.
        peak_rss_bytes: The most of it afterwards.
    """

    groups: int
    partitions: int
    follows_ms: Quantiles
    round_ms: Quantiles
    rss_before_bytes: int
    peak_rss_bytes: int

    @property
    def label(self) -> str:
        """Its name, short."""
        return f"{self.groups}x{self.partitions}"

    @property
    def added_rss_bytes(self) -> int:
        """What the groups cost."""
        return self.peak_rss_bytes - self.rss_before_bytes


def run_groups(
    folder: Path, *, scale: float, clock: Clock, tell: Callable[[str], None]
) -> Iterator[GroupsRun]:
    """
    Measure kmirror with many groups.

    Args:
        folder: For clusters and logs.
        scale: The part of the groups that is used.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    count = max(_GROUPS_MIN, int(_GROUPS * scale))
    tell(f"{count:,} groups x {_PARTITIONS} partitions: {KMIRROR_GROUPS.label}")
    place = folder / "groups"
    with (
        Arena(place) as arena,
        flowing(
            arena, KMIRROR_GROUPS, partitions=_PARTITIONS, folder=place / "logs", clock=clock
        ) as stream,
        client_jvm() as jvm,
    ):
        stream.send(stream.load(rate=_RATE, records=_PARTITIONS * _RECORDS_EACH), ())
        source, target = (
            JvmGroups(
                jvm,
                cluster.name,
                ClientProperties({"bootstrap.servers": cluster.bootstrap}),
                timeout_s=_TIMEOUT_S,
            )
            for cluster in (arena.source, arena.target)
        )
        yield _measure(stream, source, target, count, clock)


def _measure(
    stream: Stream, source: JvmGroups, target: JvmGroups, count: int, clock: Clock
) -> GroupsRun:
    leader = stream.mirror.process
    names = [f"bench-group-{number}" for number in range(count)]
    before = sample([leader], clock).rss_bytes
    follows_ms: list[float] = []
    seen: Positions = {}
    logged = 0
    with UsageMeter([leader], clock) as usage:
        # The first round finds the groups, and is not counted.
        for step in range(_ROUNDS + 1):
            failed = source.commit(_positions(names, step + 1))
            assert not failed, failed
            began_s = clock.monotonic_s()
            moved = _Moved(target, names, seen)
            wait_until(
                moved.all,
                f"the target has all offsets of round {step}",
                timeout_s=_FOLLOWS_S_MAX,
                pause_s=0.1,
            )
            seen = moved.found
            if step == 0:
                logged = stream.mirror.log.stat().st_size
            else:
                follows_ms.append((clock.monotonic_s() - began_s) * 1000)
            stream.mirror.check()
    return GroupsRun(
        groups=count,
        partitions=_PARTITIONS,
        follows_ms=quantiles(follows_ms),
        round_ms=quantiles(_rounds_ms(stream.mirror.log.read_text()[logged:], count)),
        rss_before_bytes=before,
        peak_rss_bytes=usage.peak_rss_bytes,
    )


def _rounds_ms(log: str, count: int) -> list[float]:
    """Give the rounds that had to do with most of *count* groups."""
    rounds = ((int(groups), float(seconds) * 1000) for groups, seconds in _ROUND.findall(log))
    return [took_ms for groups, took_ms in rounds if groups > count / 2]


def _positions(names: Sequence[str], offset: int) -> Positions:
    """Put every group somewhere else; all of them go on with *offset*."""
    return {
        name: {
            TopicPartition(TOPIC, partition): GroupPosition(offset=offset + number)
            for partition in range(_PARTITIONS)
        }
        for number, name in enumerate(names)
    }


class _Moved:
    """Whether every group has gone on, on the target, in every partition."""

    def __init__(self, target: JvmGroups, names: Sequence[str], before: Positions) -> None:
        self.found: Positions = {}
        self._target = target
        self._names = names
        self._before = before

    def all(self) -> bool:
        # Reading all of them takes a processor as much as syncing them does: a few are asked first.
        if not self._have_moved(self._names[:: -(-len(self._names) // _LOOKED_AT_FIRST)]):
            return False
        return self._have_moved(self._names)

    def _have_moved(self, names: Sequence[str]) -> bool:
        self.found = self._target.offsets(names).positions
        return all(self._has_moved(name) for name in names)

    def _has_moved(self, name: str) -> bool:
        now, before = self.found.get(name, {}), self._before.get(name, {})
        return len(now) == _PARTITIONS and all(
            place not in before or before[place].offset < at.offset for place, at in now.items()
        )

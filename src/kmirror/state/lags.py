"""How far behind a flow is, in time, and what that means: by partition, topic and flow; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kmirror.model import TopicPartition
from kmirror.policy.lag_times import LagExactness, PartitionLag
from kmirror.policy.lag_verdicts import (
    LagLimits,
    LagVerdict,
    Look,
    Slo,
    Trend,
    eta_s,
    summed,
    trend,
)

_LOOKS_MAX = 20
# Fewer tell nothing of a trend.
_LOOKS_OF_TREND = 3
# Of two lags that are as long, the one that is known less well counts.
_DOUBT = (LagExactness.LOOKS, LagExactness.TIMESTAMPS, LagExactness.AT_LEAST)
_LOOK_MS = 3_000


class Place(NamedTuple):
    """
    Where a partition is; a tuple, because one is made of each partition every second.

    Args:
        partition: On the source.
        position: The next offset to copy.
        end: Where the source ends.
        committed_ms: When its lane committed last, milliseconds since the epoch; 0 for never.
        copied_ms: The timestamp of the newest record that was copied; -1 when not known.
        rests: It is parked or paused.
        is_parked: It is parked.
    """

    partition: TopicPartition
    position: int
    end: int
    committed_ms: int
    copied_ms: int
    rests: bool
    is_parked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LagStatus:
    """
    A lag at one moment.

    Args:
        seconds: How long ago the source got the oldest record that the target has not; 0 when
            nothing is missing, `None` when it is not known.
        exactness: How that is known; `docs/monitoring.md` says what each of the words means.
        verdict: What it means.
        trend: Where it goes.
        eta_s: In how many seconds it is gone, at the rate of the last minute; `None` when it does
            not shrink.
    """

    seconds: float | None = None
    exactness: LagExactness = LagExactness.LOOKS
    verdict: LagVerdict = LagVerdict.OK
    trend: Trend = Trend.UNKNOWN
    eta_s: float | None = None


NO_LAG = LagStatus()
"""Of what was not looked at yet."""


@dataclass(slots=True)
class LagSum:
    """Partitions together: of a topic, a flow or a group; begin, add each, ask for the status."""

    looks: list[Look] = field(default_factory=list)
    records: int = 0
    seconds: float = 0.0
    exactness: LagExactness = LagExactness.LOOKS
    verdict: LagVerdict = LagVerdict.OK

    def begin(self) -> None:
        """Forget the partitions of the look before, and keep where the lag has gone since."""
        self.records, self.seconds = 0, 0.0
        self.exactness, self.verdict = LagExactness.LOOKS, LagVerdict.OK

    def add(self, lag: PartitionLag, verdict: LagVerdict) -> None:
        """
        Add a partition.

        Args:
            lag: Its lag.
            verdict: What that means.
        """
        self.records += lag.lag
        self.verdict = max(self.verdict, verdict)
        if lag.seconds > self.seconds:
            self.seconds, self.exactness = lag.seconds, lag.exactness
        elif 0 < lag.seconds == self.seconds:
            self.exactness = max(self.exactness, lag.exactness, key=_DOUBT.index)

    def status(self, now_ms: int) -> LagStatus:
        """
        Return what they come to together.

        Args:
            now_ms: The time, milliseconds since the epoch.
        """
        if not self.looks or now_ms - self.looks[-1].at_ms >= _LOOK_MS:
            self.keep(now_ms)
        return self.kept_status()

    def keep(self, now_ms: int) -> None:
        """Put this look into the window that trends are made of."""
        self.looks.append(Look(now_ms, 0, self.records))
        del self.looks[:-_LOOKS_MAX]

    def kept_status(self) -> LagStatus:
        """Return what they come to together, by the looks that were kept."""
        return LagStatus(
            seconds=self.seconds,
            exactness=self.exactness,
            verdict=summed([self.verdict]),
            trend=trend(self.looks),
            eta_s=eta_s(self.looks) if self.records else None,
        )

    @property
    def rests(self) -> bool:
        """Whether another look at the same would tell the same: nothing lags, or did lately."""
        settled = len(self.looks) >= _LOOKS_OF_TREND and not any(each.lag for each in self.looks)
        return settled and not self.records and self.verdict is LagVerdict.OK


@dataclass(slots=True)
class _Topic:
    """A topic of the flow: how many partitions it has, and the verdicts of those that lag."""

    partitions: int = 0
    sum: LagSum = field(default_factory=LagSum)
    awake: dict[TopicPartition, LagVerdict] = field(default_factory=dict)


class Lags:
    """
    The lags of a flow; look once a second.

    A look costs what moves, lags or is parked. What rests may be left out: it is as it was.
    """

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, PartitionLag] = {}
        self._topics: dict[str, _Topic] = {}
        self._awake_topics: set[str] = set()
        # Places of what lags or is parked.
        self._awake: dict[TopicPartition, Place] = {}
        self._all = LagSum()
        self._seen_ms = self._kept_ms = 0
        # Of the flow, without what is parked or paused; of each topic, with it.
        self.flow = NO_LAG
        self.topics: dict[str, LagStatus] = {}
        # The topics whose lag may be another one than before the last look.
        self.looked: frozenset[str] = frozenset()
        # How many partitions have which verdict.
        self.verdicts: Mapping[LagVerdict, int] = {}
        # The oldest record that only the source has, parked and paused ones included.
        self.rpo_s: float | None = None
        self.looked_ms = 0

    @property
    def awake(self) -> Iterable[TopicPartition]:
        """The partitions that no look may leave out."""
        return self._awake

    def keep(self, partitions: Collection[TopicPartition]) -> None:
        """Forget all partitions but these."""
        for gone in self._partitions.keys() - partitions:
            del self._partitions[gone]
            self._awake.pop(gone, None)
            topic = self._topics[gone.topic]
            topic.partitions -= 1
            topic.awake.pop(gone, None)
            self._awake_topics.add(gone.topic)

    def look(self, now_ms: int, seen_ms: int, places: Iterable[Place], slo: Slo) -> None:
        """
        Take note of where partitions are.

        Args:
            now_ms: The time, milliseconds since the epoch.
            seen_ms: When the source's ends were told.
            places: The partitions of the flow. What is not `awake`, and whose place is the same as
                at the last look, may be left out.
            slo: What its operator wants.
        """
        # A lane commits whenever it has something: there are no habits to learn.
        limits = LagLimits(stop_intervals=0, slo_s=slo.lag_s)
        for place in places:
            lag = self._partitions.get(place.partition)
            if lag is None:
                lag = self._begin(place.partition)
            if place.partition not in self._awake:
                lag.rested(self._seen_ms)
            lag.look(
                now_ms,
                seen_ms,
                position=place.position,
                end=place.end,
                committed_ms=place.committed_ms,
                copied_ms=place.copied_ms,
                limits=limits,
            )
            self._note(place, lag)
        is_kept = not self._kept_ms or now_ms - self._kept_ms >= _LOOK_MS
        self._kept_ms = now_ms if is_kept else self._kept_ms
        self._add_up(now_ms, is_kept=is_kept)
        self._seen_ms, self.looked_ms = seen_ms, now_ms

    def _begin(self, partition: TopicPartition) -> PartitionLag:
        lag = self._partitions[partition] = PartitionLag()
        self._topics.setdefault(partition.topic, _Topic()).partitions += 1
        self._awake_topics.add(partition.topic)
        return lag

    def _note(self, place: Place, lag: PartitionLag) -> None:
        partition, topic = place.partition, self._topics[place.partition.topic]
        if not (lag.lag or place.is_parked):
            self._awake.pop(partition, None)
            topic.awake.pop(partition, None)
            return
        self._awake[partition] = place
        topic.awake[partition] = _verdict(place, lag)
        self._awake_topics.add(partition.topic)

    def _add_up(self, now_ms: int, *, is_kept: bool) -> None:
        self._all.begin()
        verdicts = Counter({LagVerdict.OK: len(self._partitions) - len(self._awake)})
        rpo_s, looked = 0.0, frozenset(self._awake_topics)
        for name in looked:
            topic = self._topics[name]
            if not topic.partitions:
                self._awake_topics.discard(name)
                del self._topics[name]
                self.topics.pop(name, None)
                continue
            topic.sum.begin()
            for partition, verdict in topic.awake.items():
                lag = self._partitions[partition]
                topic.sum.add(lag, verdict)
                verdicts[verdict] += 1
                rpo_s = max(rpo_s, lag.seconds)
                if not self._awake[partition].rests:
                    self._all.add(lag, lag.verdict)
            if is_kept:
                topic.sum.keep(now_ms)
            if topic.sum.rests:
                self._awake_topics.discard(name)
            self.topics[name] = topic.sum.kept_status()
        if is_kept:
            self._all.keep(now_ms)
        self.flow, self.looked = self._all.kept_status(), looked
        self.rpo_s, self.verdicts = rpo_s, +verdicts

    def of(self, partition: TopicPartition) -> PartitionLag | None:
        """Return the lag of one partition; `None` for one that was not looked at."""
        return self._partitions.get(partition)


def _verdict(place: Place, lag: PartitionLag) -> LagVerdict:
    """Count what is parked as stopped; what somebody has paused is as it should be."""
    if place.is_parked:
        return LagVerdict.STOP
    return LagVerdict.OK if place.rests else lag.verdict

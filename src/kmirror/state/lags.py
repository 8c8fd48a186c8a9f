"""How far behind a flow is, in time, and what that means: by partition, topic and flow; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
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

    def status(self, now_ms: int) -> LagStatus:
        """
        Return what they come to together.

        Args:
            now_ms: The time, milliseconds since the epoch.
        """
        if not self.looks or now_ms - self.looks[-1].at_ms >= _LOOK_MS:
            self.looks.append(Look(now_ms, 0, self.records))
            del self.looks[:-_LOOKS_MAX]
        return LagStatus(
            seconds=self.seconds,
            exactness=self.exactness,
            verdict=summed([self.verdict]),
            trend=trend(self.looks),
            eta_s=eta_s(self.looks) if self.records else None,
        )


class Lags:
    """The lags of a flow; look once a second."""

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, PartitionLag] = {}
        self._topics: dict[str, LagSum] = {}
        self._all = LagSum()
        # Of the flow, without what is parked or paused; of each topic, with it.
        self.flow = NO_LAG
        self.topics: Mapping[str, LagStatus] = {}
        # How many partitions have which verdict.
        self.verdicts: Mapping[LagVerdict, int] = {}
        # The oldest record that only the source has, parked and paused ones included.
        self.rpo_s: float | None = None
        self.looked_ms = 0

    def look(self, now_ms: int, seen_ms: int, places: Iterable[Place], slo: Slo) -> None:
        """
        Take note of where the partitions are.

        Args:
            now_ms: The time, milliseconds since the epoch.
            seen_ms: When the source's ends were told.
            places: All partitions of the flow.
            slo: What its operator wants.
        """
        # A lane commits whenever it has something: there are no habits to learn.
        limits = LagLimits(stop_intervals=0, slo_s=slo.lag_s)
        partitions: dict[TopicPartition, PartitionLag] = {}
        topics: dict[str, LagSum] = {}
        verdicts: Counter[LagVerdict] = Counter()
        rpo_s = 0.0
        self._all.begin()
        for place in places:
            lag = self._partitions.get(place.partition) or PartitionLag()
            partitions[place.partition] = lag
            lag.look(
                now_ms,
                seen_ms,
                position=place.position,
                end=place.end,
                committed_ms=place.committed_ms,
                copied_ms=place.copied_ms,
                limits=limits,
            )
            topic = topics.get(place.partition.topic)
            if topic is None:
                topic = topics[place.partition.topic] = self._topic(place.partition.topic)
            rpo_s = max(rpo_s, lag.seconds)
            verdict = _verdict(place, lag)
            verdicts[verdict] += 1
            topic.add(lag, verdict)
            if not place.rests:
                self._all.add(lag, lag.verdict)
        self._partitions, self._topics = partitions, topics
        self.rpo_s, self.looked_ms = rpo_s, now_ms
        self.verdicts = verdicts
        self.flow = self._all.status(now_ms)
        self.topics = {name: topic.status(now_ms) for name, topic in topics.items()}

    def _topic(self, name: str) -> LagSum:
        topic = self._topics.get(name) or LagSum()
        topic.begin()
        return topic

    def of(self, partition: TopicPartition) -> PartitionLag | None:
        """Return the lag of one partition; `None` for one that was not looked at."""
        return self._partitions.get(partition)


def _verdict(place: Place, lag: PartitionLag) -> LagVerdict:
    """Count what is parked as stopped; what somebody has paused is as it should be."""
    if place.is_parked:
        return LagVerdict.STOP
    return LagVerdict.OK if place.rests else lag.verdict

"""How far behind consumer groups of the source are, and what that means; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.model import TopicPartition
from kmirror.policy.lag_times import PartitionLag
from kmirror.policy.lag_verdicts import LagLimits, LagVerdict, Trend
from kmirror.state.lags import LagSum

# Groups times partitions may be many; those beyond are not judged.
_PLACES_MAX = 2_000
# Only changes of a group's offsets are seen. Clients commit every 5 s unless they are told
# otherwise; those that commit once in a while are known by their habits after some commits.
_LIMITS = LagLimits(stop_ms=60_000, stop_intervals=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLag:
    """
    The lag of a group, of the partitions that the flow mirrors.

    Args:
        records: Offsets between its own and the source's ends.
        seconds: How long ago the source got the oldest record that it has not committed.
        verdict: Of its partitions together.
        trend: Where it goes.
    """

    records: int
    seconds: float
    verdict: LagVerdict
    trend: Trend


@dataclass(slots=True)
class _Place:
    """Where a group is in a partition, and when it came there."""

    position: int
    moved_ms: int
    lag: PartitionLag


class GroupLags:
    """The lags of a flow's groups."""

    def __init__(self) -> None:
        self._positions: dict[str, Mapping[TopicPartition, int]] = {}
        self._places: dict[tuple[str, TopicPartition], _Place] = {}
        self._sums: dict[str, LagSum] = {}
        self.groups: Mapping[str, GroupLag] = {}

    def follow(self, positions: Mapping[str, Mapping[TopicPartition, int]]) -> None:
        """Take note of where groups are on the source: all of them."""
        self._positions = dict(positions)

    def look(self, now_ms: int, seen_ms: int, ends: Mapping[TopicPartition, int]) -> None:
        """
        Judge the lags; once a second.

        Args:
            now_ms: The time, milliseconds since the epoch.
            seen_ms: When the source told its ends.
            ends: They.
        """
        places: dict[tuple[str, TopicPartition], _Place] = {}
        sums: dict[str, LagSum] = {}
        groups: dict[str, GroupLag] = {}
        for group, positions in self._positions.items():
            if len(places) >= _PLACES_MAX:
                break
            together = self._sums.get(group) or LagSum()
            together.begin()
            is_known = False
            for partition, position in positions.items():
                if partition not in ends or len(places) >= _PLACES_MAX:
                    continue
                place = self._moved(group, partition, position, now_ms)
                places[group, partition] = place
                place.lag.look(
                    now_ms,
                    seen_ms,
                    position=position,
                    end=ends[partition],
                    committed_ms=place.moved_ms,
                    copied_ms=-1,
                    limits=_LIMITS,
                )
                together.add(place.lag, place.lag.verdict)
                is_known = True
            if is_known:
                sums[group], groups[group] = together, _together(together, now_ms)
        self._places, self._sums, self.groups = places, sums, groups

    def _moved(self, group: str, partition: TopicPartition, position: int, now_ms: int) -> _Place:
        place = self._places.get((group, partition))
        if place is None:
            return _Place(position=position, moved_ms=now_ms, lag=PartitionLag())
        if place.position != position:
            place.position, place.moved_ms = position, now_ms
        return place


def _together(lags: LagSum, now_ms: int) -> GroupLag:
    status = lags.status(now_ms)
    return GroupLag(
        records=lags.records,
        seconds=lags.seconds,
        verdict=status.verdict,
        trend=status.trend,
    )

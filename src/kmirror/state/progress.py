"""Adds the lanes' reports up to a flow's progress; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.desk import LaneReport, LeftOut, PartitionReport
from kmirror.policy.lag_verdicts import Slo
from kmirror.policy.poison import Poison
from kmirror.state.lags import NO_LAG, Lags, Place
from kmirror.state.paused import parked_by_order, paused_by_order
from kmirror.state.status import ParkedPartition, PausedPartition, TopicStatus
from kmirror.wire.control_orders import PauseOrder


@dataclass(slots=True)
class _Partition:
    """One source partition: where it is, and counters that survive a change of lanes."""

    position: int = 0
    next_target: int = 0
    records: int = 0
    bytes: int = 0
    whole_records: int = 0
    unpacked: str = ""
    skipped: int = 0
    kept: int = 0
    left_out_end: int = 0
    slot: int = 0
    copied_ms: int = -1
    lane: tuple[int, int, int] = (0, 0, 0)


class Progress:
    """How far a flow is. Memory grows with partitions, never with records."""

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, _Partition] = {}
        self._parked: dict[TopicPartition, ParkedPartition] = {}
        self._paused: dict[TopicPartition, PausedPartition] = {}
        self._ends: dict[TopicPartition, int] = {}
        # Selected partitions that no plan has, and what they hold; `None` until that is known.
        self.waiting: tuple[TopicPartition, ...] = ()
        self._waiting_records: int | None = None
        self._initial_lag: int | None = None
        self.last_commit_ms = 0
        self._commits_ms: dict[int, int] = {}
        self.ends_seen_ms = 0
        self.lags = Lags()
        self._failures: dict[int, ClientError | None] = {}

    def begin(self, positions: Mapping[TopicPartition, int]) -> None:
        """Take over a new set of mirrored partitions with their positions; forgets the others."""
        self._partitions = {tp: self._partitions.get(tp, _Partition()) for tp in positions}
        for tp, position in positions.items():
            self._partitions[tp].position = position
            # What was left out behind that position may be met again.
            self._partitions[tp].left_out_end = min(self._partitions[tp].left_out_end, position)
        self._parked.clear()
        self._paused.clear()
        self._failures.clear()
        self._ends = {tp: end for tp, end in self._ends.items() if tp in positions}

    def park(self, parked: ParkedPartition) -> None:
        """Note that a partition stands still."""
        self._parked[parked.partition] = parked

    def pause(self, pauses: Mapping[TopicPartition, PauseOrder]) -> None:
        """Note what stands still because somebody wants it so."""
        # What is parked for another cause stays so: that cause does not end with the order.
        pauses = {tp: pause for tp, pause in pauses.items() if tp not in self._parked}
        for parked in parked_by_order(pauses):
            self.park(parked)
        self._paused = {each.partition: each for each in paused_by_order(pauses)}

    def add(self, report: LaneReport) -> list[tuple[PartitionReport, LeftOut]]:
        """Add what a lane reports; gives what was left out since the last report of a partition."""
        self.last_commit_ms = max(self.last_commit_ms, report.last_commit_ms)
        self._failures[report.slot] = report.last_failure
        self._commits_ms[report.slot] = report.last_commit_ms
        news: list[tuple[PartitionReport, LeftOut]] = []
        for entry in report.partitions:
            partition = self._partitions.get(entry.source)
            if partition is not None:
                partition.slot = report.slot
                self._add(partition, entry)
                news += [(entry, each) for each in _left_out(partition, entry)]
        return news

    def _add(self, partition: _Partition, entry: PartitionReport) -> None:
        # A lane that took the partition over anew counts from 0 again.
        before = partition.lane if entry.records >= partition.lane[0] else (0, 0, 0)
        partition.lane = (entry.records, entry.bytes, entry.whole_records)
        partition.records += partition.lane[0] - before[0]
        partition.bytes += partition.lane[1] - before[1]
        partition.whole_records += partition.lane[2] - before[2]
        partition.unpacked = entry.unpacked
        partition.position = entry.position
        partition.next_target = entry.next_target
        partition.copied_ms = max(partition.copied_ms, entry.copied_ms)
        if (cause := entry.parked) is not None:
            self.park(
                ParkedPartition(
                    partition=entry.source,
                    kind=cause.code.value,
                    reason=cause.reason(entry.source),
                    at=cause.offset,
                )
            )

    def wait_for(self, partitions: Collection[TopicPartition]) -> None:
        """Note which selected partitions are in no plan: what they hold is lag."""
        if set(partitions) != set(self.waiting):
            self.waiting, self._waiting_records = tuple(partitions), None

    def set_ends(
        self,
        ends: Mapping[TopicPartition, int],
        starts: Mapping[TopicPartition, int] | None = None,
        *,
        seen_ms: int = 0,
    ) -> None:
        """
        Note where the source's partitions end now.

        Args:
            ends: Their ends, those of partitions in no plan among them.
            starts: Where those in no plan begin.
            seen_ms: When the source told them, milliseconds since the epoch.
        """
        self.ends_seen_ms = seen_ms
        self._ends = {tp: end for tp, end in ends.items() if tp in self._partitions}
        self._waiting_records = sum(
            max(0, ends[tp] - start)
            for tp, start in (starts or {}).items()
            if tp in ends and tp in self.waiting
        )
        if self._initial_lag is None:
            self._initial_lag = self.lag_records

    def look(self, now_ms: int, slo: Slo) -> None:
        """
        Judge the lags; once a second.

        Args:
            now_ms: The time, milliseconds since the epoch.
            slo: What is wanted of the flow.
        """
        if self._ends and self.knows_ends:
            self.lags.look(now_ms, self.ends_seen_ms, self._places(), slo)

    def _places(self) -> Iterator[Place]:
        for tp, partition in self._partitions.items():
            is_parked = tp in self._parked
            yield Place(
                partition=tp,
                position=partition.position,
                end=self._ends[tp],
                committed_ms=self._commits_ms.get(partition.slot, 0),
                copied_ms=partition.copied_ms,
                rests=is_parked or tp in self._paused,
                is_parked=is_parked,
            )

    @property
    def last_failure(self) -> ClientError | None:
        """Why a lane had to begin a transaction again; `None` when all have committed since."""
        return next((cause for cause in self._failures.values() if cause is not None), None)

    @property
    def ends(self) -> Mapping[TopicPartition, int]:
        """Where the source's partitions end, as far as it was told."""
        return self._ends

    @property
    def knows_ends(self) -> bool:
        """Whether the ends of all mirrored partitions are known."""
        return len(self._ends) >= len(self._partitions)

    @property
    def positions(self) -> dict[TopicPartition, int]:
        """The committed position of every mirrored partition."""
        return {tp: partition.position for tp, partition in self._partitions.items()}

    @property
    def parked(self) -> tuple[ParkedPartition, ...]:
        """The partitions that stand still, by name."""
        return tuple(self._parked[tp] for tp in sorted(self._parked))

    @property
    def paused(self) -> tuple[PausedPartition, ...]:
        """The partitions that somebody has paused, by name."""
        return tuple(self._paused[tp] for tp in sorted(self._paused))

    @property
    def lag_records(self) -> int | None:
        """
        Offsets still to copy, those that are paused or in no plan among them.

        Parked partitions are left out; `None` before the ends are known.
        """
        planned = self.planned_lag
        if planned is None or (self.waiting and self._waiting_records is None):
            return None
        paused = sum(
            self._lag(tp, self._partitions[tp]) for tp in self._paused if tp in self._partitions
        )
        return planned + paused + (self._waiting_records or 0 if self.waiting else 0)

    @property
    def planned_lag(self) -> int | None:
        """The same without what is paused or in no plan."""
        if not self.knows_ends:
            return None
        resting = self._parked.keys() | self._paused.keys()
        return sum(
            self._lag(tp, partition)
            for tp, partition in self._partitions.items()
            if tp not in resting
        )

    @property
    def caught_up_share(self) -> float:
        """How much of the lag that was there at the start is copied: 0 to 1."""
        lag = self.lag_records
        if lag is None or self._initial_lag is None:
            return 0.0
        return 1.0 if self._initial_lag == 0 else max(0.0, 1 - lag / self._initial_lag)

    @property
    def records(self) -> int:
        """Records copied by this process."""
        return sum(partition.records for partition in self._partitions.values())

    @property
    def bytes(self) -> int:
        """Bytes of those, as they lie in the source's batches."""
        return sum(partition.bytes for partition in self._partitions.values())

    def load(self, tp: TopicPartition) -> tuple[int, int]:
        """Bytes copied and lag of one partition, for balancing."""
        partition = self._partitions.get(tp)
        return (partition.bytes, self._lag(tp, partition)) if partition is not None else (0, 0)

    def counts(self, tp: TopicPartition) -> tuple[int, int, int]:
        """Return records and bytes copied, and the lag, of one partition."""
        partition = self._partitions.get(tp)
        if partition is None:
            return (0, 0, 0)
        return (partition.records, partition.bytes, self._lag(tp, partition))

    def next_target(self, tp: TopicPartition) -> int | None:
        """Return the next target offset of a partition; `None` when nobody here knows it."""
        partition = self._partitions.get(tp)
        return (partition.next_target or None) if partition is not None else None

    def lag_by_partition(self) -> dict[TopicPartition, int]:
        """Return the lag of every mirrored partition, as far as it is known; from any thread."""
        return {tp: self._lag(tp, partition) for tp, partition in self._partitions.items()}

    def topics(self) -> tuple[TopicStatus, ...]:
        """Return the mirrored topics, by name."""
        by_topic: dict[str, list[TopicPartition]] = {}
        for tp in self._partitions:
            by_topic.setdefault(tp.topic, []).append(tp)
        return tuple(self._topic(name, by_topic[name]) for name in sorted(by_topic))

    def _topic(self, name: str, partitions: Collection[TopicPartition]) -> TopicStatus:
        return TopicStatus(
            topic=name,
            partitions=len(partitions),
            lag_records=sum(self._lag(tp, self._partitions[tp]) for tp in partitions),
            records=sum(self._partitions[tp].records for tp in partitions),
            bytes=sum(self._partitions[tp].bytes for tp in partitions),
            whole_records=sum(self._partitions[tp].whole_records for tp in partitions),
            skipped=sum(self._partitions[tp].skipped for tp in partitions),
            kept=sum(self._partitions[tp].kept for tp in partitions),
            unpacked=next((why for tp in partitions if (why := self._partitions[tp].unpacked)), ""),
            lag=self.lags.topics.get(name, NO_LAG),
        )

    def _lag(self, tp: TopicPartition, partition: _Partition) -> int:
        end = self._ends.get(tp)
        return 0 if end is None else max(0, end - partition.position)


def _left_out(partition: _Partition, entry: PartitionReport) -> list[LeftOut]:
    """Count what is news of it: reports may come twice."""
    news = [each for each in entry.left_out if each.end > partition.left_out_end]
    for each in news:
        partition.left_out_end = each.end
        if each.poison is Poison.DLQ:
            partition.kept += 1
        else:
            partition.skipped += 1
    return news

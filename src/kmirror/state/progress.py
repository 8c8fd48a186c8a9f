"""Adds the lanes' reports up to a flow's progress; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.desk import LaneReport, LeftOut, PartitionReport
from kmirror.policy.lag_verdicts import Slo
from kmirror.policy.poison import Poison
from kmirror.state.lags import Lags, Place
from kmirror.state.paused import parked_by_order, paused_by_order
from kmirror.state.status import ParkedPartition, PausedPartition, TopicStatus
from kmirror.state.topic_sums import TopicSums
from kmirror.wire.control_orders import PauseOrder


@dataclass(slots=True)
class _Partition:
    """One source partition: where it is, and counters that survive a change of lanes."""

    position: int = 0
    next_target: int = 0
    records: int = 0
    bytes: int = 0
    whole_records: int = 0
    skipped: int = 0
    kept: int = 0
    left_out_end: int = 0
    copied_ms: int = -1
    # The lane that reported last, as generation and slot; and what it has counted.
    lane: tuple[int, int] = (0, 0)
    counted: tuple[int, int, int] = (0, 0, 0)


class Progress:
    """
    How far a flow is. Memory grows with partitions, never with records.

    What is told of all partitions together is kept as they change: of ten thousand that rest,
    nobody wants to read the same again every second.
    """

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, _Partition] = {}
        self._topics = TopicSums()
        # Records copied by this process, and bytes of those, as they lie in the source's batches.
        self.records = self.bytes = 0
        self._parked: dict[TopicPartition, ParkedPartition] = {}
        self._parked_by_name: tuple[ParkedPartition, ...] | None = ()
        self._paused: dict[TopicPartition, PausedPartition] = {}
        self._ends: dict[TopicPartition, int] = {}
        # What was told last, as long as all of it was taken over.
        self._told: tuple[object, object] | None = None
        # The lags of partitions that have one.
        self._lagging: dict[TopicPartition, int] = {}
        # Where somebody has to look when the lags are judged.
        self._moved: set[TopicPartition] = set()
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
        before = self._partitions
        for tp in before.keys() - positions.keys():
            self._forget(tp, before[tp])
        self._partitions = {tp: before.get(tp) or _Partition() for tp in positions}
        self._told = None
        self._parked.clear()
        self._parked_by_name = ()
        self._paused.clear()
        self._failures.clear()
        self.lags.keep(self._partitions.keys())
        for tp, position in positions.items():
            partition = self._partitions[tp]
            # What was left out behind that position may be met again.
            partition.left_out_end = min(partition.left_out_end, position)
            if tp not in before:
                self._topics.changing(tp.topic).partitions += 1
            if tp not in before or partition.position != position:
                partition.position = position
                self._move(tp, partition)

    def _forget(self, tp: TopicPartition, partition: _Partition) -> None:
        topic = self._topics.changing(tp.topic)
        topic.partitions -= 1
        topic.lag_records -= self._lagging.pop(tp, 0)
        topic.skipped -= partition.skipped
        topic.kept -= partition.kept
        topic.unpacked.pop(tp, None)
        self._count(tp, -partition.records, -partition.bytes, -partition.whole_records)
        self._ends.pop(tp, None)
        self._moved.discard(tp)

    def _move(self, tp: TopicPartition, partition: _Partition) -> None:
        """Note that a partition is elsewhere, or its end."""
        self._moved.add(tp)
        before, lag = self._lagging.get(tp, 0), self._lag(tp, partition)
        if lag != before:
            self._topics.changing(tp.topic).lag_records += lag - before
            if lag:
                self._lagging[tp] = lag
            else:
                del self._lagging[tp]

    def _count(self, tp: TopicPartition, records: int, size: int, whole_records: int) -> None:
        topic = self._topics.changing(tp.topic)
        topic.records += records
        topic.bytes += size
        topic.whole_records += whole_records
        self.records += records
        self.bytes += size

    def park(self, parked: ParkedPartition) -> None:
        """Note that a partition stands still."""
        self._parked[parked.partition] = parked
        self._parked_by_name = None
        if parked.partition in self._partitions:
            self._moved.add(parked.partition)

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
                self._add(partition, entry, (report.generation, report.slot))
                news += [(entry, each) for each in self._left_out(partition, entry)]
        return news

    def _add(self, partition: _Partition, entry: PartitionReport, lane: tuple[int, int]) -> None:
        # A lane that took the partition over anew counts from 0 again.
        goes_on = lane == partition.lane and entry.records >= partition.counted[0]
        before = partition.counted if goes_on else (0, 0, 0)
        partition.lane = lane
        partition.counted = (entry.records, entry.bytes, entry.whole_records)
        deltas = [now - then for now, then in zip(partition.counted, before, strict=True)]
        partition.records += deltas[0]
        partition.bytes += deltas[1]
        partition.whole_records += deltas[2]
        self._count(entry.source, *deltas)
        self._note_unpacked(entry)
        partition.next_target = entry.next_target
        partition.copied_ms = max(partition.copied_ms, entry.copied_ms)
        if partition.position != entry.position:
            partition.position = entry.position
            self._move(entry.source, partition)
        if (cause := entry.parked) is not None:
            self.park(
                ParkedPartition(
                    partition=entry.source,
                    kind=cause.code.value,
                    reason=cause.reason(entry.source),
                    at=cause.offset,
                )
            )

    def _note_unpacked(self, entry: PartitionReport) -> None:
        unpacked = self._topics.changing(entry.source.topic).unpacked
        if entry.unpacked:
            unpacked[entry.source] = entry.unpacked
        else:
            unpacked.pop(entry.source, None)

    def _left_out(self, partition: _Partition, entry: PartitionReport) -> list[LeftOut]:
        """Count what is news of it: reports may come twice."""
        news = [each for each in entry.left_out if each.end > partition.left_out_end]
        if news:
            partition.left_out_end = news[-1].end
            kept = sum(each.poison is Poison.DLQ for each in news)
            for sums in (partition, self._topics.changing(entry.source.topic)):
                sums.kept += kept
                sums.skipped += len(news) - kept
        return news

    def wait_for(self, partitions: Collection[TopicPartition]) -> None:
        """Note which selected partitions are in no plan: what they hold is lag."""
        if set(partitions) != set(self.waiting):
            self.waiting, self._waiting_records = tuple(partitions), None
            self._told = None

    def set_ends(
        self,
        ends: Mapping[TopicPartition, int],
        starts: Mapping[TopicPartition, int] | None = None,
        *,
        seen_ms: int = 0,
    ) -> None:
        """
        Note where the source's partitions end now; the same objects as before say the same.

        Args:
            ends: Their ends, those of partitions in no plan among them.
            starts: Where those in no plan begin.
            seen_ms: When the source told them, milliseconds since the epoch.
        """
        self.ends_seen_ms = seen_ms
        if self._told is None or ends is not self._told[0] or starts is not self._told[1]:
            self._told = (ends, starts)
            self._take_ends(ends)
            waiting = frozenset(self.waiting)
            self._waiting_records = sum(
                max(0, ends[tp] - start)
                for tp, start in (starts or {}).items()
                if tp in ends and tp in waiting
            )
        if self._initial_lag is None:
            self._initial_lag = self.lag_records

    def _take_ends(self, ends: Mapping[TopicPartition, int]) -> None:
        partitions, before = self._partitions, self._ends
        self._ends = {tp: end for tp, end in ends.items() if tp in partitions}
        moved = [tp for tp, end in self._ends.items() if before.get(tp) != end]
        moved += [tp for tp in before if tp not in self._ends]
        for tp in moved:
            self._move(tp, partitions[tp])

    def look(self, now_ms: int, slo: Slo) -> None:
        """
        Judge the lags; once a second.

        Args:
            now_ms: The time, milliseconds since the epoch.
            slo: What is wanted of the flow.
        """
        if self._ends and self.knows_ends:
            self.lags.look(now_ms, self.ends_seen_ms, self._places(), slo)
            self._moved.clear()
            self._topics.lags_changed(self.lags.looked)

    def _places(self) -> Iterator[Place]:
        """Yield those at which there is something to see."""
        for tp in self._moved.union(self.lags.awake):
            partition, is_parked = self._partitions[tp], tp in self._parked
            yield Place(
                partition=tp,
                position=partition.position,
                end=self._ends[tp],
                committed_ms=self._commits_ms.get(partition.lane[1], 0),
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
        """The partitions that stand still, by name; the same object until that changes."""
        if self._parked_by_name is None:
            self._parked_by_name = tuple(self._parked[tp] for tp in sorted(self._parked))
        return self._parked_by_name

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
        if not self.knows_ends or (self.waiting and self._waiting_records is None):
            return None
        known = sum(
            lag for tp, lag in self._lagging.items() if tp in self._paused or tp not in self._parked
        )
        return known + (self._waiting_records or 0 if self.waiting else 0)

    @property
    def planned_lag(self) -> int | None:
        """The same without what is paused or in no plan."""
        if not self.knows_ends:
            return None
        return sum(
            lag
            for tp, lag in self._lagging.items()
            if tp not in self._parked and tp not in self._paused
        )

    @property
    def is_behind(self) -> bool:
        """Whether anything lags, as far as is known; from any thread."""
        return bool(self._lagging)

    @property
    def caught_up_share(self) -> float:
        """How much of the lag that was there at the start is copied: 0 to 1."""
        lag = self.lag_records
        if lag is None or self._initial_lag is None:
            return 0.0
        return 1.0 if self._initial_lag == 0 else max(0.0, 1 - lag / self._initial_lag)

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
        """Return the mirrored topics, by name; the same object until one changes."""
        return self._topics.shown(self.lags.topics)

    def _lag(self, tp: TopicPartition, partition: _Partition) -> int:
        end = self._ends.get(tp)
        return 0 if end is None else max(0, end - partition.position)

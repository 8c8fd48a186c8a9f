"""What a flow measures beside its progress: rates, latencies, its lanes' time and clients."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.model import TopicPartition
from kmirror.pipeline.desk import LanePlace, LaneReport, PartitionReport
from kmirror.pipeline.figures import HISTOGRAM_BUCKETS, Histogram, LaneFigures
from kmirror.policy.bottlenecks import LaneTimes
from kmirror.state.audit_figures import AuditFigures
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.group_lags import GroupLags
from kmirror.state.statistics import LastMinute, Rate, Sums

_TIMES_WINDOW_S = 10.0
# Groups times partitions may be many; those beyond are not measured.
_CHECKPOINTS_MAX = 2_000

CheckpointKey = tuple[str, TopicPartition]
"""A group, and a partition of the target."""


@dataclass(slots=True)
class PartitionMeter:
    """
    What is measured of a partition.

    Args:
        target: Its topic on the target.
        slot: The slot that has it.
    """

    target: str = ""
    slot: int = 0
    age: LastMinute = field(default_factory=LastMinute)
    latency: LastMinute = field(default_factory=LastMinute)
    records: Rate = field(default_factory=Rate)
    bytes: Rate = field(default_factory=Rate)


class HistogramSums:
    """Times by how long they were, of all lanes that a slot ever had."""

    def __init__(self) -> None:
        self._sums = Sums(HISTOGRAM_BUCKETS + 1)

    def add(self, counted: Histogram) -> None:
        """Take what the slot's lane has counted so far."""
        self._sums.add((counted.sum_ms, *counted.counts))

    @property
    def sum_s(self) -> float:
        """All of them together, seconds."""
        return self._sums.totals[0] / 1000

    @property
    def counts(self) -> list[float]:
        """How many there were, by bucket."""
        return self._sums.totals[1:]


class SlotMeter:
    """What is measured of a slot, whoever its lane is."""

    def __init__(self) -> None:
        self.age = HistogramSums()
        self.latency = HistogramSums()
        self.commits = HistogramSums()
        self.seams = Sums(1)
        self.times = LaneTimes()
        self.clients: dict[tuple[str, int], Mapping[str, float]] = {}
        self.commit_ms = LastMinute()
        self._last = LaneTimes()
        # What was done up to some moment, oldest first.
        self._window: list[tuple[int, LaneTimes]] = []
        self._commits = (0.0, 0.0)

    def add(self, figures: LaneFigures, now_ms: int) -> None:
        """Take what its lane reports."""
        self.age.add(figures.age)
        self.latency.add(figures.latency)
        self.commits.add(figures.commits)
        self.seams.add((figures.seams,))
        self.times = self.times.plus(figures.times.since(self._last))
        self._last = figures.times
        self._window.append((now_ms, self.times))
        while len(self._window) > 2 and now_ms - self._window[1][0] >= _TIMES_WINDOW_S * 1000:
            del self._window[0]
        for client in figures.clients:
            self.clients[client.kind, client.number] = dict(client.values)
        self._take_commits(now_ms)

    def _take_commits(self, now_ms: int) -> None:
        sum_s, count = self.commits.sum_s, sum(self.commits.counts)
        before_s, before = self._commits
        if count > before:
            self.commit_ms.add((sum_s - before_s) * 1000 / (count - before), now_ms)
        self._commits = (sum_s, count)

    @property
    def lately(self) -> LaneTimes:
        """What its lane did in about the last 10 s."""
        return self.times.since(self._window[0][1]) if self._window else LaneTimes()

    def client(self, kind: str, name: str) -> float:
        """Return the largest value of that name of the slot's clients; 0 for none."""
        found = [
            values[name]
            for (of, _), values in self.clients.items()
            if of == kind and name in values
        ]
        return max(found, default=0.0)


class Meter:
    """
    The meters of one flow. The flow's threads write, anybody reads under `lock`.

    Memory grows with partitions and slots, never with records.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.partitions: dict[TopicPartition, PartitionMeter] = {}
        self.slots: dict[int, SlotMeter] = {}
        # Where the slots' lanes run, as far as they have told.
        self.places: dict[int, LanePlace] = {}
        self.checkpoints: dict[CheckpointKey, LastMinute] = {}
        self.groups = GroupLags()
        # What the audit has found; `None` where there is none.
        self.audit: AuditFigures | None = None
        # When the first certificate of a cluster and kind ends, seconds since the epoch.
        self.certificates: Mapping[tuple[str, str], float] = {}
        # When the first certificate ends that a broker shows, by cluster and address.
        self.broker_certificates: Mapping[tuple[str, str], float] = {}
        # When they were looked at, by a clock that goes on; `None` for never.
        self.certificates_looked_s: float | None = None
        # What the flow's canary has seen; `None` without one.
        self.canary: CanaryFigures | None = None
        # When all checkpoints were up to date last; 0 for never.
        self.checkpointed_ms = 0

    def keep(self, *, groups: bool, checkpoints: bool) -> None:
        """Forget what a flow does not measure from now on; it would look like figures of now."""
        with self.lock:
            if not groups:
                self.groups.follow({})
            if not checkpoints:
                self.checkpointed_ms = 0
                self.checkpoints.clear()

    def add(self, report: LaneReport, now_ms: int) -> None:
        """
        Take what a lane reports.

        Args:
            report: It.
            now_ms: The time, milliseconds since the epoch.
        """
        with self.lock:
            for entry in report.partitions:
                self._add(entry, report.slot, now_ms)
            if report.place is not None:
                self.places[report.slot] = report.place
            if report.figures is not None:
                slot = self.slots.setdefault(report.slot, SlotMeter())
                slot.add(report.figures, now_ms)

    def _add(self, entry: PartitionReport, slot: int, now_ms: int) -> None:
        meter = self.partitions.get(entry.source)
        if meter is None:
            meter = self.partitions[entry.source] = PartitionMeter()
        meter.target, meter.slot = entry.target, slot
        if entry.copied is None or entry.copied_ms < 0:
            return  # nothing was committed
        if entry.age_ms >= 0:
            meter.age.add(entry.age_ms, now_ms)
        if entry.latency_ms >= 0:
            meter.latency.add(entry.latency_ms, now_ms)

    def checkpointed(
        self, written: Mapping[str, tuple[TopicPartition, ...]], *, took_ms: float, now_ms: int
    ) -> None:
        """
        Note that checkpoints are up to date.

        Args:
            written: Of which groups and target partitions checkpoints were written.
            took_ms: How long the target took.
            now_ms: The time, milliseconds since the epoch.
        """
        with self.lock:
            self.checkpointed_ms = now_ms
            for group, partitions in written.items():
                for partition in partitions:
                    key = (group, partition)
                    if key not in self.checkpoints and len(self.checkpoints) >= _CHECKPOINTS_MAX:
                        continue
                    self.checkpoints.setdefault(key, LastMinute()).add(took_ms, now_ms)

"""What a load came to: what was written, what was read, and whether the one is the other; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.load.course import Moment
from kmirror.sequence.audit import Counts, SequenceAudit
from kmirror.sequence.latencies import Spread
from kmirror.wire.load_stamps import LoadStamp

RUNS_MAX = 1_000
"""So many runs of a topic are followed; records of more count as not stamped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPartition:
    """
    What a run wrote to a partition.

    Args:
        partition: Which.
        sent: How many records; their numbers begin at 0.
        failed: The numbers of those that were not acknowledged: they may be there or not.
    """

    partition: int
    sent: int
    failed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRun:
    """
    What a run wrote.

    Args:
        run: Its name in stamps.
        topic: The topic.
        partitions: By partition.
    """

    run: str
    topic: str
    partitions: tuple[WrittenPartition, ...]

    @property
    def acknowledged(self) -> int:
        """How many records are there for certain."""
        return sum(each.sent - len(each.failed) for each in self.partitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """
    What was measured of records that went or came.

    Args:
        records, bytes: How many; keys and values count as bytes.
        took_s: From the first to the last.
        latency: How long they took.
        curve: Pairs of a time in seconds and the part of all that did not take longer.
        moments: The same, second by second.
    """

    records: int
    bytes: int
    took_s: float
    latency: Spread
    curve: tuple[tuple[float, float], ...]
    moments: tuple[Moment, ...]

    @property
    def records_per_s(self) -> float:
        """Records a second."""
        return self.records / self.took_s if self.took_s else 0.0

    @property
    def bytes_per_s(self) -> float:
        """Bytes a second."""
        return self.bytes / self.took_s if self.took_s else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """
    What `produce` did.

    Args:
        written: What it wrote.
        measured: Until brokers acknowledged it.
        failures: Why records were not acknowledged, and how many.
        transactions: How many were committed.
        aborted: How many records were in transactions that were aborted on purpose.
    """

    written: WrittenRun
    measured: Measured
    failures: Mapping[str, int] = field(default_factory=dict)
    transactions: int = 0
    aborted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRun:
    """
    What was found of a run.

    Args:
        run: Its name in stamps.
        counts: What became of its records.
        aborted: Records that it had aborted: a read_committed reader must find none.
        missing: By partition, runs of numbers that are lost: first one, and end.
    """

    run: str
    counts: Counts
    aborted: int
    missing: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether each record is there once, in order, up to the last one that came."""
        return self.counts.is_exact and not self.aborted


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumed:
    """
    What `consume` found.

    Args:
        measured: Records by the time since they were written.
        runs: Those that were found, by name.
        unstamped: Records that no run has written.
    """

    measured: Measured
    runs: tuple[FoundRun, ...]
    unstamped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    Whether what was read is what was written.

    Args:
        acknowledged: Records that have to be there.
        counts: What became of them; `lost` are acknowledged ones that did not come at all.
        aborted: Records that were aborted, and came.
    """

    acknowledged: int
    counts: Counts
    aborted: int

    @property
    def is_exact(self) -> bool:
        """Whether each record is there once, and in order."""
        return self.counts.is_exact and not self.aborted


class Audits:
    """
    Follows the runs of a topic, as their records come.

    Args:
        from_beginning: Reading begins with the first record of each run; otherwise somewhere in
            the middle of it, and what was before is not missed.
        only: The one run that counts; `None` for all.
    """

    def __init__(self, *, from_beginning: bool = True, only: str | None = None) -> None:
        self._from_beginning = from_beginning
        self._only = only
        self._of: dict[tuple[str, int], SequenceAudit] = {}
        self._runs: set[str] = set()
        self._aborted: dict[str, int] = {}
        self.unstamped = 0

    def add(self, stamp: LoadStamp | None) -> bool:
        """Take a record; tells whether its time counts."""
        if stamp is None or (self._only is not None and stamp.run != self._only):
            self.unstamped += 1
            return False
        if stamp.is_aborted:
            self._aborted[stamp.run] = self._aborted.get(stamp.run, 0) + 1
            return False
        found = self._of.get((stamp.run, stamp.partition))
        if found is None:
            if len(self._runs) >= RUNS_MAX and stamp.run not in self._runs:
                self.unstamped += 1
                return False
            self._runs.add(stamp.run)
            first = 0 if self._from_beginning else stamp.number
            found = self._of[stamp.run, stamp.partition] = SequenceAudit(first=first)
        found.add(stamp.number)
        return True

    @property
    def distinct(self) -> int:
        """How many different records came so far."""
        return sum(each.counts.distinct for each in list(self._of.values()))

    def found(self) -> tuple[FoundRun, ...]:
        """Say what became of each run."""
        names = sorted({run for run, _ in self._of} | self._aborted.keys())
        return tuple(self._run(name) for name in names)

    def _run(self, name: str) -> FoundRun:
        parts = sorted((number, each) for (run, number), each in self._of.items() if run == name)
        return FoundRun(
            run=name,
            counts=sum((each.counts for _, each in parts), Counts()),
            aborted=self._aborted.get(name, 0),
            missing=tuple((number, each.missing) for number, each in parts if each.missing),
        )

    def verdict(self, written: WrittenRun) -> Verdict:
        """Compare what came with what a run wrote."""
        counts, lost = Counts(), 0
        for part in written.partitions:
            audit = self._of.get((written.run, part.partition), SequenceAudit())
            counts += audit.counts
            lost += audit.counts.lost + max(0, part.sent - audit.next_number)
            # What was not acknowledged need not be there.
            lost -= sum(not audit.has(number) for number in part.failed)
        return Verdict(
            acknowledged=written.acknowledged,
            counts=Counts(
                arrived=counts.arrived,
                distinct=counts.distinct,
                duplicated=counts.duplicated,
                reordered=counts.reordered,
                lost=lost,
            ),
            aborted=self._aborted.get(written.run, 0),
        )

"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kmirror.model import TopicPartition


class Fault(StrEnum):
    """A broken promise; the values name the invariant."""

    LOST = "I1 lost"
    DUPLICATED = "I2 duplicated"
    REORDERED = "I3 out of order"
    CHANGED = "I4 changed"
    INVENTED = "I5 invented"
    HANGING = "I9 hanging transaction"
    LEDGER_LOST = "ledger: acknowledged, but not in the source"
    LEDGER_ABORTED = "ledger: aborted, but in the source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """
    One difference, with the offsets where to look.

    Args:
        fault: What kind.
        source: The source partition.
        source_offset: The record there; None if there is none.
        target: The target partition.
        target_offset: The record there, or the one that should have been preceded by it.
        detail: What differs, in words.
    """

    fault: Fault
    source: TopicPartition
    source_offset: int | None
    target: TopicPartition
    target_offset: int | None
    detail: str

    def __str__(self) -> str:
        return (
            f"{self.fault}: {self.source}@{_offset(self.source_offset)} / "
            f"{self.target}@{_offset(self.target_offset)}: {self.detail}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionVerdict:
    """
    What was found in one partition.

    Args:
        source: The source partition.
        target: The target partition.
        source_records: Records read there.
        target_records: Records read there.
        counts: How many differences of each kind, only kinds that occurred.
        first: The first difference.
    """

    source: TopicPartition
    target: TopicPartition
    source_records: int
    target_records: int
    counts: dict[Fault, int]
    first: Difference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found in all partitions."""

    partitions: tuple[PartitionVerdict, ...]

    @property
    def ok(self) -> bool:
        """Whether both sides are the same."""
        return not self.counts

    @property
    def records(self) -> int:
        """How many source records were compared."""
        return sum(partition.source_records for partition in self.partitions)

    @property
    def counts(self) -> dict[Fault, int]:
        """How many differences of each kind, only kinds that occurred."""
        total: dict[Fault, int] = {}
        for partition in self.partitions:
            for fault, count in partition.counts.items():
                total[fault] = total.get(fault, 0) + count
        return total

    def __str__(self) -> str:
        lines = [f"{self.records} records in {len(self.partitions)} partitions: "]
        lines[0] += ", ".join(f"{n} x {fault}" for fault, n in self.counts.items()) or "the same"
        lines += [f"  {partition.first}" for partition in self.partitions if partition.first]
        return "\n".join(lines)


def _offset(offset: int | None) -> str:
    return "-" if offset is None else str(offset)

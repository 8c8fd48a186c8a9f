"""What a comparison found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from kmirror.model import TopicPartition

Kind = Literal["key", "value", "headers", "timestamp", "missing", "extra", "record", "reordered"]


class Verdict(StrEnum):
    """
    The result of a comparison; the worst comes last.

    `BEHIND`: the copy is the beginning of what the source holds; nothing in it differs.
    """

    IDENTICAL = "identical"
    BEHIND = "behind"
    NOT_COMPARED = "not compared"
    DIFFERENT = "different"


def worst(verdicts: Collection[Verdict]) -> Verdict:
    """Sum up; a comparison of nothing proves nothing."""
    found = [verdict for verdict in Verdict if verdict in verdicts]
    return found[-1] if found else Verdict.NOT_COMPARED


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """
    The first place where two partitions differ.

    Args:
        kind: What differs: a part of the record, or all of it; or a record is missing from or extra
            on the target, or at another place there.
        index: How many records before it were equal.
        source_offset: The source record's offset; `None` when the source has no more.
        target_offset: The target record's offset; `None` when the target has no more. When it is
            reordered, both are of the same record.
        words: The same for humans. Record contents never appear, only sizes and checksums.
    """

    kind: Kind
    index: int
    source_offset: int | None
    target_offset: int | None
    words: str


def records(count: int, kind: str = "") -> str:
    """Return a number of records in words."""
    noun = "record" if count == 1 else "records"
    return f"{count} {kind} {noun}" if kind else f"{count} {noun}"


def reordered(
    index: int, source_offset: int, target_offset: int, *, later: int = 0, earlier: int = 0
) -> Difference:
    """
    Describe a record that is at another place on the target.

    Args:
        index: How many records before the first difference were equal.
        source_offset: The record's offset on the source.
        target_offset: Its offset on the target.
        later: Behind how many records it should have come before.
        earlier: Before how many records it should have come behind.
    """
    place = f"{records(later)} later" if later else f"{records(earlier)} earlier"
    return Difference(
        kind="reordered",
        index=index,
        source_offset=source_offset,
        target_offset=target_offset,
        words=f"reordered: the record of source offset {source_offset} comes {place} on the "
        f"target, at offset {target_offset}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionResult:
    """
    One partition and its copy.

    Args:
        source: The partition.
        target: Its copy.
        source_records: Records read on the source.
        target_records: Records read on the target.
        equal_records: How many were equal, in order, from the first compared one on; of compacted
            logs those that are on both sides.
        compacted_keys: Of how many keys the last record was compared; `None` where neither side is
            compacted, and every record was.
        source_hash: Order-sensitive hash of the compared source records.
        target_hash: The same of the target's; equal to it when the records are.
        older_on_source: Source records before the first one that was copied.
        older_on_target: Copied records that the source no longer holds.
        older_allowed: Older records on the source are expected: copying began at the latest one,
            or the target's retention removed them.
        behind: Source records at the end that are not copied yet; all before them are equal.
        newer_on_target: Records copied after the position that was compared up to.
        timestamps_compared: False when the target stamps records itself (LogAppendTime).
        open_transaction: Records behind the compared ones on the target are not committed yet.
        audited: The source offsets of which all is on the target, and identical: the first one and
            the one behind the last; `None` when something differs.
        compared: The source offsets that were compared: the first, and the one behind the last.
        difference: The first difference.
        error: Why the partition could not be compared.
    """

    source: TopicPartition
    target: TopicPartition
    source_records: int = 0
    target_records: int = 0
    equal_records: int = 0
    compacted_keys: int | None = None
    source_hash: str = ""
    target_hash: str = ""
    older_on_source: int = 0
    older_on_target: int = 0
    older_allowed: bool = False
    behind: int = 0
    newer_on_target: int = 0
    timestamps_compared: bool = True
    open_transaction: bool = False
    audited: tuple[int, int] | None = None
    compared: tuple[int, int] | None = None
    difference: Difference | None = None
    error: str = ""

    @property
    def verdict(self) -> Verdict:
        """Whether the target holds all that it should, and nothing else."""
        started_late = self.older_on_source > 0 and not self.older_allowed
        if self.difference or self.error or started_late:
            return Verdict.DIFFERENT
        return Verdict.BEHIND if self.behind else Verdict.IDENTICAL

    @property
    def identical(self) -> bool:
        """Whether nothing differs, and nothing is left to copy."""
        return self.verdict is Verdict.IDENTICAL


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """
    The results of one flow.

    Args:
        partitions: Every partition's result, by source partition.
        reason: Why there are none.
    """

    partitions: tuple[PartitionResult, ...] = ()
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """What all partitions amount to."""
        return worst({result.verdict for result in self.partitions})

    @property
    def records(self) -> int:
        """How many source records were equal on the target."""
        return sum(result.equal_records for result in self.partitions)

    @property
    def behind(self) -> int:
        """How many source records are not copied yet."""
        return sum(result.behind for result in self.partitions)

"""What a comparison found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kmirror.model import TopicPartition

Kind = Literal["key", "value", "headers", "timestamp", "missing", "extra", "record", "order"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """
    The first place where two partitions differ.

    Args:
        kind: What differs: a part of the record, all of it, or its place; or a record is missing
            from or extra on the target.
        index: How many records before it were equal.
        source_offset: The source record's offset; `None` when the source has no more.
        target_offset: The target record's offset; `None` when the target has no more.
        words: The same for humans. Record contents never appear, only sizes and checksums.
    """

    kind: Kind
    index: int
    source_offset: int | None
    target_offset: int | None
    words: str


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
    difference: Difference | None = None
    error: str = ""

    @property
    def identical(self) -> bool:
        """Whether the target holds all that it should, and nothing else."""
        started_late = self.older_on_source > 0 and not self.older_allowed
        return not (self.difference or self.error or self.behind or started_late)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """Every partition's result, by source partition."""

    partitions: tuple[PartitionResult, ...]

    @property
    def identical(self) -> bool:
        """Whether every partition is; a comparison of nothing proves nothing and is not."""
        return bool(self.partitions) and all(result.identical for result in self.partitions)

    @property
    def records(self) -> int:
        """How many source records were equal on the target."""
        return sum(result.equal_records for result in self.partitions)

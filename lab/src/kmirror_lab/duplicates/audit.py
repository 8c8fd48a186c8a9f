"""The audit: sequence numbers of a source partition beside those of its copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kmirror.sequence.audit import SequenceAudit


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """
    What became of the records of a partition, or of several.

    Args:
        produced: Records in the source.
        mirrored: Records in the target.
        distinct: Different ones of the source's among them.
        duplicated: Copies behind the first of a record.
        copies_max: How often the most frequent one is there.
        reordered: First copies that stand behind the first copy of a later record.
        lost: Records that are not there although later ones of their partition are.
        outstanding: Records that are not there, and none behind them either.
        invented: Records that the source does not have.
    """

    produced: int = 0
    mirrored: int = 0
    distinct: int = 0
    duplicated: int = 0
    copies_max: int = 0
    reordered: int = 0
    lost: int = 0
    outstanding: int = 0
    invented: int = 0

    def __add__(self, other: Audit) -> Audit:
        return Audit(
            produced=self.produced + other.produced,
            mirrored=self.mirrored + other.mirrored,
            distinct=self.distinct + other.distinct,
            duplicated=self.duplicated + other.duplicated,
            copies_max=max(self.copies_max, other.copies_max),
            reordered=self.reordered + other.reordered,
            lost=self.lost + other.lost,
            outstanding=self.outstanding + other.outstanding,
            invented=self.invented + other.invented,
        )

    @property
    def exact(self) -> bool:
        """Whether what is there is the beginning of the source, each record once, in order."""
        return not (self.duplicated or self.reordered or self.lost or self.invented)


def audit(source: Sequence[int], target: Iterable[int]) -> Audit:
    """
    Compare one partition with its copy.

    A record that is there again counts as duplicated only, wherever its later copies stand.

    Args:
        source: Sequence numbers in the order of the source's offsets, no two the same.
        target: Those of the copy, in the order of its offsets.
    """
    place = {number: index for index, number in enumerate(source)}
    assert len(place) == len(source), "a sequence number is there twice in the source"
    sequence, copies, invented = SequenceAudit(), Counter[int](), 0
    for number in target:
        index = place.get(number)
        if index is None:
            invented += 1
            continue
        sequence.add(index)
        copies[index] += 1
    found = sequence.counts
    return Audit(
        produced=len(source),
        mirrored=found.arrived + invented,
        distinct=found.distinct,
        duplicated=found.duplicated,
        copies_max=max(copies.values(), default=0),
        reordered=found.reordered,
        lost=found.lost,
        outstanding=len(source) - sequence.next_number,
        invented=invented,
    )


def new_offsets(copy: Iterable[tuple[int, int]]) -> list[int]:
    """
    Return the offset of each record of a copy that had not been there before.

    Args:
        copy: Offset and sequence number of each record, in order.
    """
    seen: set[int] = set()
    found = []
    for offset, number in copy:
        if number not in seen:
            seen.add(number)
            found.append(offset)
    return found


def last_new(copy: Iterable[tuple[int, int]]) -> int:
    """Return the last of `new_offsets`; -1 without any."""
    return max(new_offsets(copy), default=-1)


@dataclass(frozen=True, slots=True)
class Sample:
    """
    Where the partitions of the copy ended at a time.

    Args:
        at_s: When.
        ends: Partition to the offset that its next record would have.
        produced: Records in the source.
    """

    at_s: float
    ends: Mapping[int, int]
    produced: int = 0


def arrived_s(samples: Sequence[Sample], last: Mapping[int, int]) -> float:
    """
    Say when the last new record was there: the first time at which it was seen.

    Args:
        samples: In the order of time.
        last: Partition to offset, of `last_new`.
    """
    for sample in samples:
        if all(sample.ends.get(place, 0) > offset for place, offset in last.items()):
            return sample.at_s
    return samples[-1].at_s if samples else 0.0

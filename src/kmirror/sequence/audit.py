"""
The audit of a sequence: what is lost, there twice, or out of order, as the records come.

Records of a sequence are numbered from 0, in the order in which they were written. A number is
`lost` when a later one has come and it has not; it may still come, and is then out of order.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum


class Arrival(Enum):
    """What the arrival of a number means."""

    NEW = "new"
    LATE = "out of order"
    AGAIN = "again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """
    What became of a sequence, or of several.

    Args:
        arrived: Records that came.
        distinct: Different ones among them.
        duplicated: Those behind the first one of their number.
        reordered: First ones that came behind the first one of a later number.
        lost: Numbers that did not come although later ones of their sequence did.
    """

    arrived: int = 0
    distinct: int = 0
    duplicated: int = 0
    reordered: int = 0
    lost: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            arrived=self.arrived + other.arrived,
            distinct=self.distinct + other.distinct,
            duplicated=self.duplicated + other.duplicated,
            reordered=self.reordered + other.reordered,
            lost=self.lost + other.lost,
        )

    @property
    def is_exact(self) -> bool:
        """Whether what came is the beginning of the sequence, each number once, in order."""
        return not (self.duplicated or self.reordered or self.lost)


class SequenceAudit:
    """
    Follows one sequence. Memory grows with gaps, never with records.

    Args:
        first: The first number that counts: who comes later does not miss those before.
    """

    def __init__(self, *, first: int = 0) -> None:
        self._next = first
        # What has not come of that before `_next`: starts and ends of runs, in order.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._missing = 0
        self._arrived = 0
        self._duplicated = 0
        self._reordered = 0

    def add(self, number: int) -> Arrival:
        """Take the number of a record that came."""
        self._arrived += 1
        if number == self._next:
            self._next += 1
            return Arrival.NEW
        if number > self._next:
            self._starts.append(self._next)
            self._ends.append(number)
            self._missing += number - self._next
            self._next = number + 1
            return Arrival.NEW
        at = bisect_right(self._starts, number) - 1
        if at < 0 or number >= self._ends[at]:
            self._duplicated += 1
            return Arrival.AGAIN
        self._fill(at, number)
        self._reordered += 1
        return Arrival.LATE

    def _fill(self, at: int, number: int) -> None:
        """Take *number* out of the run *at*."""
        start, end = self._starts[at], self._ends[at]
        self._missing -= 1
        if end - start == 1:
            del self._starts[at], self._ends[at]
        elif number == start:
            self._starts[at] = number + 1
        elif number == end - 1:
            self._ends[at] = number
        else:
            self._ends[at] = number
            self._starts.insert(at + 1, number + 1)
            self._ends.insert(at + 1, end)

    def has(self, number: int) -> bool:
        """Whether *number* has come, or was before the first that counts."""
        at = bisect_right(self._starts, number) - 1
        return number < self._next and (at < 0 or number >= self._ends[at])

    @property
    def next_number(self) -> int:
        """The number behind the largest that came."""
        return self._next

    @property
    def missing(self) -> tuple[tuple[int, int], ...]:
        """The runs that did not come although later ones did: first number, and end."""
        return tuple(zip(self._starts, self._ends, strict=True))

    @property
    def counts(self) -> Counts:
        """What became of it so far."""
        return Counts(
            arrived=self._arrived,
            distinct=self._arrived - self._duplicated,
            duplicated=self._duplicated,
            reordered=self._reordered,
            lost=self._missing,
        )

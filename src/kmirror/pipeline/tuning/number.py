"""One number that lanes decide by, and the numbers of one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LIMIT = "a limit, not a matter of speed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """
    One number.

    Args:
        name: As the connector's record has it, in snake case; it ends in the unit if it has one.
        value: Its value.
        unit: What it counts.
        why: What it decides, and why it is not another.
        measurement: What showed that, or what would: a test, a program of `bench`, an observation.
    """

    name: str
    value: int
    unit: str
    why: str
    measurement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """
    The numbers of one question.

    Args:
        name: As the connector's record has it.
        question: The question.
        numbers: The numbers.
    """

    name: str
    question: str
    numbers: tuple[Number, ...]

    @property
    def values(self) -> Mapping[str, int]:
        """The value of each number, by its name."""
        return {number.name: number.value for number in self.numbers}

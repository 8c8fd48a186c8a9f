"""What advice is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from kmirror.tune.scenarios import Scenario


class Level(Enum):
    """How much a finding matters, the worst first."""

    DANGER = "danger"
    WARNING = "warning"
    ADVICE = "advice"
    NOTE = "note"


class Program(Enum):
    """The program that runs the file."""

    MM2 = "mm2"
    KMIRROR = "kmirror"


BOTH = frozenset(Program)
MM2_ONLY = frozenset({Program.MM2})
KMIRROR_ONLY = frozenset({Program.KMIRROR})
"""Advice for these speaks of kmirror alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """
    A setting that a finding is about.

    Args:
        key: As written, or as it would be written.
        value: As written, `[hidden]` where it must not be shown, or the program's default.
        where: `file:line`; None for a default.
    """

    key: str
    value: str
    where: str | None

    def __str__(self) -> str:
        return f"{self.key} = {self.value} ({self.where or 'the default'})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """
    A line to add to the file.

    Args:
        key, value: The line.
        because: The sentence it answers; not part of what it is.
    """

    key: str
    value: str
    because: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    One piece of advice; where both programs differ, the level is MirrorMaker 2's.

    Args:
        level: How much it matters.
        flow: `S->T`; empty for the whole file.
        lines: The settings it is about.
        says: What is the matter, in one sentence.
        why: The reason, with its arithmetic.
        instead: What to write.
        scenario: The experiment with MirrorMaker 2 that shows it; None where there is none.
        kmirror: What kmirror does about it; empty where it is the same.
        concerns: The programs to which it matters.
    """

    level: Level
    flow: str
    lines: tuple[Line, ...]
    says: str
    why: str = ""
    instead: tuple[Setting, ...] = ()
    scenario: Scenario | None = None
    kmirror: str = ""
    concerns: frozenset[Program] = BOTH

"""A line of what was measured, and lines that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.contestant import CONTESTANTS, KMIRROR
from bench.part import Part
from bench.quantiles import spread
from bench.target import Measure

ABSENT = "-"
MIB = 2**20
RATE_UNIT = "records/s"
CPU_UNIT = "CPU s per GB"
NAMES = tuple(contestant.name for contestant in CONTESTANTS)

Aim = tuple[Measure, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    A line of the table.

    Args:
        measure: What was measured.
        cells: A text for each contestant.
        aim: Which targets belong to it, if any.
    """

    measure: str
    cells: list[str]
    aim: Aim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """
    Lines that belong together.

    Args:
        part: The part that measured them.
        title: What was done.
        rows: What was measured.
        runs: How often each contestant did the same.
        key: Its name within the part, where the title has a number that was measured.
        note: What else a reader has to know.
        who: Who was measured alone, where that is no contestant.
    """

    part: Part
    title: str
    rows: list[Row]
    runs: int = 1
    key: str = ""
    note: str = ""
    who: str = ""


def cell(values: Sequence[float], form: str) -> str:
    """Write what was measured of a contestant: the median, and how far runs lie apart."""
    return spread(values, form) if values else ABSENT


def ours_alone(
    part: Part,
    title: str,
    measured: Sequence[tuple[str, str, Aim | None]],
    *,
    runs: int = 1,
    key: str = "",
    who: str = "",
) -> Group:
    """Give what is measured of kmirror alone: measures, their texts and targets; see `Group`."""
    return Group(
        part=part,
        title=title,
        runs=runs,
        key=key,
        who=who,
        rows=[
            Row(
                measure=measure,
                cells=[text if each is KMIRROR else ABSENT for each in CONTESTANTS],
                aim=aim,
            )
            for measure, text, aim in measured
        ],
    )

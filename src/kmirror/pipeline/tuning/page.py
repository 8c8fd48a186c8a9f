"""Writes docs/design/tuning.md from the numbers: `python -m kmirror.pipeline.tuning.page`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from kmirror.pipeline.tuning.lane import REPORTING
from kmirror.pipeline.tuning.number import Group
from kmirror.pipeline.tuning.table import PLAN_GROUPS

_INTRODUCTION = """# Tuning numbers

Every number by which the lanes decide. They are no settings: kmirror adapts to links and loads by
these rules, and what an operator sets is in [configuration](../configuration.md). Python writes
them into the plan of each flow (`kmirror/pipeline/tuning`); the connector has none of its own.

The last column names what holds a number: a test that fails with another one, a program that
measures it, or what was observed. *A limit* keeps a queue or a wait from being endless.
"""


def tuning_page() -> str:
    """Give the page."""
    sections = (_section(group) for group in (*PLAN_GROUPS, REPORTING))
    return "\n".join([_INTRODUCTION, *sections])


def _section(group: Group) -> str:
    return "\n".join(_lines(group)) + "\n"


def _lines(group: Group) -> Iterator[str]:
    yield f"## `{group.name}`"
    yield ""
    yield group.question
    yield ""
    yield "| number | value | unit | why | measurement |"
    yield "|---|---|---|---|---|"
    for each in group.numbers:
        yield (
            f"| `{each.name}` | {each.value:,} | {each.unit} | {each.why} | {each.measurement} |"
        )


if __name__ == "__main__":
    sys.stdout.write(tuning_page())

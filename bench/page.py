"""Writes docs/measured.md of what was published: `python -m bench.page > docs/measured.md`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from textwrap import fill

from bench.part import ABOUT, Part
from bench.plot import save_plots
from bench.published import (
    DOCS,
    FOLDER,
    Plot,
    Published,
    PublishedGroup,
    PublishedRow,
    load_published,
    published_groups,
)
from bench.results import Results
from bench.start_page import publish_starts
from kmirror.clock import Clock

PAGE = DOCS / "measured.md"
_COLUMNS = 120
_INTRO = (
    "What was measured, against whom, and what missed its target. `make bench` writes this page; "
    "no number on it is written by hand. [Performance](performance.md) says how it is measured. "
    "Absolute numbers depend on the machine: compare those of one table. Where something was done "
    "several times, a number is the median, with the smallest and the largest behind it."
)


def publish(results: Results, *, whole: Collection[Part], clock: Clock) -> None:
    """
    Put what was measured in place of older measurements, and write the page, with its pictures.

    Args:
        results: What was measured.
        whole: Parts of which nothing was left out.
        clock: Says which day it is.
    """
    plots = (Plot(part=_part_of(path.stem), file=path.name) for path in save_plots(results, FOLDER))
    publish_starts(results)
    add(published_groups(results, clock), plots, whole=whole)


def add(
    newer: Iterable[PublishedGroup], plots: Iterable[Plot] = (), *, whole: Collection[Part] = ()
) -> None:
    """Publish these, and write the page; see `Published.with_newer`."""
    published = load_published().with_newer(newer, plots, whole=whole)
    published.save()
    PAGE.write_text(measured_page(published), encoding="utf-8")


def _part_of(picture: str) -> Part:
    return Part.SCALE if picture.startswith(Part.SCALE) else Part(picture)


def measured_page(published: Published) -> str:
    """Give the page, in Markdown."""
    parts = [
        "# Measured",
        _filled(_INTRO),
        "## What missed",
        *_missed(published.groups),
        "## What is measured, and against whom",
        _overview(published.groups),
    ]
    for part in Part:
        found = [group for group in published.groups if group.part is part]
        parts += _section(part, found, [p.file for p in published.plots if p.part is part])
    return "\n\n".join(parts) + "\n"


def _missed(groups: Iterable[PublishedGroup]) -> Iterator[str]:
    found = [(group, measure, each) for group in groups for measure, each in group.verdicts]
    missed = [(group, measure, each.text) for group, measure, each in found if not each.reached]
    yield f"{len(missed)} of {len(found)} targets are missed."
    if missed:
        lines = ["| where | measure | target: measured |", "|---|---|---|"]
        lines += [f"| {group.title} | {measure} | {text} |" for group, measure, text in missed]
        yield "\n".join(lines)


def _overview(groups: Collection[PublishedGroup]) -> str:
    lines = ["| part | what | beside | measured | targets reached |", "|---|---|---|---|---|"]
    for part, about in ABOUT.items():
        found = [group for group in groups if group.part is part]
        verdicts = [verdict for group in found for _, verdict in group.verdicts]
        reached = sum(verdict.reached for verdict in verdicts)
        days = sorted({group.day for group in found})
        when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "not yet"
        of = f"{reached} of {len(verdicts)}" if verdicts else ""
        lines.append(f"| [{part}](#{part}) | {about.measures} | {about.against} | {when} | {of} |")
    return "\n".join(lines)


def _section(part: Part, groups: Collection[PublishedGroup], pictures: Iterable[str]) -> list[str]:
    section = [f"## {part}", _filled(" ".join([f"`{part.command}`.", ABOUT[part].more]).strip())]
    section += [f"![{name.removesuffix('.png')}](performance/{name})" for name in pictures]
    if not groups:
        section.append("Not measured yet.")
    for group in groups:
        section += [f"### {group.title}", _filled(_origin(group)), _table(group)]
    return section


def _origin(group: PublishedGroup) -> str:
    often = f"; {group.runs} runs" if group.runs > 1 else ""
    note = f". {group.note}" if group.note else ""
    return f"{group.day}, {group.place}{often}{note}"


def _table(group: PublishedGroup) -> str:
    has_targets = any(row.verdicts for row in group.rows)
    columns = [group.head, *group.columns, *(["target: measured"] if has_targets else [])]
    lines = [_line(columns), f"|{'---|' * len(columns)}"]
    lines += [_line(_cells(row, has_targets=has_targets)) for row in group.rows]
    return "\n".join(lines)


def _cells(row: PublishedRow, *, has_targets: bool) -> list[str]:
    texts = (each.text if each.reached else f"**missed:** {each.text}" for each in row.verdicts)
    return [row.measure, *row.cells, *(["; ".join(texts)] if has_targets else [])]


def _filled(text: str) -> str:
    """Break lines, but no addresses of links."""
    return fill(text, _COLUMNS, break_on_hyphens=False, break_long_words=False)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write(measured_page(load_published()))

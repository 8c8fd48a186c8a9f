"""The table: contestants side by side, and what was promised."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bench.contest_rows import contests
from bench.contestant import CONTESTANTS
from bench.own_rows import own
from bench.part import Part
from bench.results import Results
from bench.row import Group
from bench.targets import targets

_MARKDOWN_COLUMNS = 600


def groups(results: Results) -> list[Group]:
    """Give everything that was measured, medians of all runs, part by part."""
    order = list(Part)
    found = [*contests(results), *own(results)]
    return sorted(found, key=lambda group: order.index(group.part))


def render(results: Results, *, markdown: bool = False) -> Table:
    """
    Draw one table of the measures and the targets.

    Args:
        results: What was measured.
        markdown: Draw it for a page instead of a terminal.
    """
    title = None if markdown else _title(results)
    table = Table(title=title, box=box.MARKDOWN if markdown else box.ROUNDED)
    table.add_column("measure")
    for contestant in CONTESTANTS:
        table.add_column(contestant.label, justify="right")
    table.add_column("target for kmirror")
    found = targets(results)
    for group in groups(results):
        table.add_section()
        table.add_row(f"**{group.title}**" if markdown else group.title, style="bold")
        for row in group.rows:
            aims = [str(each) for each in found if (each.measure, each.of) == row.aim]
            text = ("; " if markdown else "\n").join(aims)
            style = "red" if "MISSED" in text else "green" if text else None
            table.add_row(row.measure, *row.cells, text, style=style)
    return table


def save_markdown(results: Results, path: Path) -> None:
    """Write the table for a page."""
    with path.open("w") as file:
        console = Console(file=file, width=_MARKDOWN_COLUMNS, color_system=None)
        console.print(_title(results), soft_wrap=True, highlight=False)
        console.print(render(results, markdown=True))
    lines = [line.strip() for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def _title(results: Results) -> str:
    text = f"{results.place}; medians of {results.runs}"
    if results.scale != 1:
        text += f"; only {results.scale:g} of the work: no result"
    return text

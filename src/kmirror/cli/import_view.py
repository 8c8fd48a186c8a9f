"""The report of an import, drawn for people."""

from __future__ import annotations

from collections import Counter

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kmirror.importers.outcome import Fate, Imported, Outcome

_COLOURS = {Fate.EQUAL: "green", Fate.DIFFERENT: "yellow", Fate.UNSUPPORTED: "bold red"}


def render(imported: Imported) -> RenderableType:
    """Draw what became of each setting, of each added line, and what is left to do."""
    counts = Counter(each.fate for each in imported.outcomes)
    head = ", ".join(f"{counts[fate]} {fate.value}" for fate in Fate)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("fate", no_wrap=True)
    table.add_column("words", overflow="fold")
    for outcome in imported.outcomes:
        table.add_row(Text(outcome.fate.value, style=_COLOURS[outcome.fate]), _words(outcome))
    for line in imported.lines:
        if line.refused and line.setting is None:
            told = Group(Text(f"{line.key} = {line.shown}", style="bold"), Text(line.refused))
            fate = Fate.UNSUPPORTED
            table.add_row(Text(fate.value, style=_COLOURS[fate]), told)
        elif line.because:
            words = Group(
                Text(f"{line.key} = {line.shown}", style="bold"), Text(line.because, style="dim")
            )
            table.add_row(Text("added", style="cyan"), words)
    for remark in imported.remarks:
        table.add_row(Text("to do", style="cyan"), Text(remark))
    return Group(Text(f"{len(imported.outcomes)} settings: {head}\n"), table)


def _words(outcome: Outcome) -> RenderableType:
    setting = outcome.setting
    value = " ".join(setting.shown.split())
    parts = [Text.assemble((f"{setting.key} = {value}", "bold"), (f"  {setting.where}", "dim"))]
    becomes = [key for key in outcome.lines if key != setting.key]
    if becomes:
        parts.append(Text(f"-> {', '.join(becomes)}", style="green"))
    if outcome.says:
        parts.append(Text(outcome.says))
    return Group(*parts)

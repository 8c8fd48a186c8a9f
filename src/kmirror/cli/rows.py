"""Rows of a table that stay whole on a narrow terminal: there each becomes lines of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from kmirror.errors import one_line

_WORDS_COLUMNS_MIN = 16
_BAR_COLUMNS_MAX = 40
_BAR_COLUMNS_MIN = 4


class Rows:
    """
    A table, or below a width at which it would be cut, one paragraph for each row.

    Args:
        columns: Their names; one that begins with `>` holds numbers, and the last one words, which
            are the only thing that a table breaks.
        rows: What is in them; the first cell names the row, empty ones say nothing. Some cells are
            names that anybody may give, such as those of groups: none controls the terminal.
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self._names = [column.removeprefix(">") for column in columns]
        self._numbers = [column.startswith(">") for column in columns]
        self._rows = [[_shown(cell) for cell in row] for row in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw for the width there is."""
        if self._columns_min() <= options.max_width:
            yield self._table()
        else:
            yield from self._paragraphs()

    def _columns_min(self) -> int:
        """How wide the table is when only words are broken."""
        cells = [self._names, *self._rows]
        widths = [max(cell_len(row[at]) for row in cells) for at in range(len(self._names))]
        return sum(widths[:-1]) + 2 * (len(widths) - 1) + min(widths[-1], _WORDS_COLUMNS_MIN)

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name, is_number in zip(self._names[:-1], self._numbers, strict=False):
            table.add_column(name, justify="right" if is_number else "left", no_wrap=True)
        table.add_column(self._names[-1], overflow="fold")
        for row in self._rows:
            table.add_row(*map(Text, row))
        return table

    def _paragraphs(self) -> Iterator[Padding | Text]:
        for row in self._rows:
            yield Text(row[0], overflow="fold")
            parts = [
                f"{name} {cell}"
                for name, cell in zip(self._names[1:], row[1:], strict=True)
                if cell
            ]
            if parts:
                yield Padding(Text(", ".join(parts), overflow="fold"), (0, 0, 0, 2))


def _shown(cell: str) -> str:
    return "\n".join(map(one_line, cell.split("\n")))


class Bar:
    """
    A labelled bar as wide as there is room.

    Args:
        label: What it shows.
        share: How much of it is done, 0 to 1.
    """

    def __init__(self, label: str, share: float) -> None:
        self._label = label
        self._share = share

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw for the width there is."""
        percent = f"{self._share:.0%}"
        room = options.max_width - len(self._label) - len(percent) - 2
        if room < _BAR_COLUMNS_MIN:
            yield Text(f"{self._label} {percent}")
            return
        grid = Table.grid(padding=(0, 1, 0, 0))
        width = min(room, _BAR_COLUMNS_MAX)
        grid.add_row(
            self._label, ProgressBar(total=1.0, completed=self._share, width=width), percent
        )
        yield grid

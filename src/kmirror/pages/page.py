"""What a page shows, before anybody draws it; pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """
    A line of a chart.

    Args:
        name: What it is, for the legend.
        points: Pairs of x and y, by x; a y of `None` leaves a gap.
        is_stepped: Its value holds until the next point.
    """

    name: str
    points: tuple[tuple[float, float | None], ...]
    is_stepped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """
    A plot.

    Args:
        title: What it shows.
        x, y: What is on the axes, with units.
        lines: At least one.
        alt: The same in words, with the numbers that matter.
        is_log: The x axis is logarithmic.
        y_max: How far the y axis reaches; `None` for as far as the values.
    """

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    alt: str
    is_log: bool = False
    y_max: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """
    A row of `Bands`.

    Args:
        name: Whose it is.
        spans: What it is made of: a kind, and from where to where, of 0 to 1. Later ones cover
            earlier ones.
    """

    name: str
    spans: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """
    A plot of rows side by side, each cut into parts.

    Args:
        title: What it shows.
        ends: What is at the left of the rows, and at the right.
        kinds: Pairs of a kind of part and its colour, for the legend.
        bands: The rows, from above.
        alt: The same in words.
    """

    title: str
    ends: tuple[str, str]
    kinds: tuple[tuple[str, str], ...]
    bands: tuple[Band, ...]
    alt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """
    Text.

    Args:
        title: What it is of.
        words: A paragraph; several are a list.
    """

    title: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """
    A table.

    Args:
        title: What it shows.
        columns: Their names; one that begins with `>` holds numbers.
        rows: Cells; the first names the row.
        bad: The numbers of rows that something is wrong with.
        note: What a reader has to know of it; may be empty.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bad: frozenset[int] = frozenset()
    note: str = ""


Part = Table | Chart | Bands | Notes
"""What a page is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """
    What stands in a page for programs.

    Args:
        name: The `id` of its element.
        value: Whatever JSON can say.
    """

    name: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """
    A page.

    Args:
        title: Its title.
        about: Where it comes from, and when.
        verdict: What follows, in a sentence; may be empty.
        is_good: Whether that is as it should be.
        parts: In order.
        data: The same for programs; `None` for none.
    """

    title: str
    about: str
    verdict: str = ""
    is_good: bool = True
    parts: tuple[Part, ...] = ()
    data: Data | None = None

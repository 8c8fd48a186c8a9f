"""Draws charts, as SVG."""

from __future__ import annotations

import textwrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from kmirror.pages.page import Chart
from kmirror.pages.sheet import SMALL_PT, Drawing, Sheet, drawn, plain

_COLOURS = ("#1f5c99", "#e4572e", "#2e7d4f", "#8a5fb0", "#b8860b", "#34495e", "#9aa5b1")
_HEIGHT_IN = 2.9
_LEGEND_LINE_IN = 0.22
_LEGEND_CHARS = 46
_HEADROOM = 1.08
_KILO = 1_000.0


def draw(chart: Chart) -> Drawing:
    """Draw a chart."""
    return drawn(lambda sheet: _figure(chart, sheet))


def _figure(chart: Chart, sheet: Sheet) -> Figure:
    rows = -(-len(chart.lines) // _columns(sheet))
    figure = sheet.figure(_HEIGHT_IN + _LEGEND_LINE_IN * rows)
    axes = figure.subplots()
    for number, line in enumerate(chart.lines):
        xs = [x for x, _ in line.points]
        ys = [float("nan") if y is None else y for _, y in line.points]
        style: dict[str, Any] = {
            "color": _COLOURS[number % len(_COLOURS)],
            "label": plain(line.name),
            # A single point is no line.
            "marker": "o" if len(line.points) == 1 else None,
            "linewidth": 1.4,
        }
        if line.is_stepped:
            axes.step(xs, ys, where="post", **style)
        else:
            axes.plot(xs, ys, **style)
    _frame(chart, axes)
    if len(chart.lines) > 1:
        # Above: beside the lines it would hide some.
        lines, labels = axes.get_legend_handles_labels()
        figure.legend(
            lines,
            [textwrap.fill(label, _LEGEND_CHARS) for label in labels],
            loc="outside upper left",
            ncols=_columns(sheet),
            fontsize=SMALL_PT,
            frameon=False,
        )
    return figure


def _columns(sheet: Sheet) -> int:
    """How many names of lines stand beside each other."""
    return 1 if sheet.is_narrow else 2


def _frame(chart: Chart, axes: Axes) -> None:
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)
    if chart.is_log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    top = chart.y_max
    if top is None:
        found = [y for line in chart.lines for _, y in line.points if y is not None]
        top = max(found, default=0.0) * _HEADROOM or 1.0
    axes.set_ylim(0, top)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axes.tick_params(labelsize=SMALL_PT)
    axes.grid(visible=True, alpha=0.3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _short(value: float) -> str:
    """Write a number that is short on an axis."""
    for unit in ("", "k", "M", "G"):
        if abs(value) < _KILO:
            return f"{value:g}{unit}" if unit or value < 1 else f"{value:,.4g}"
        value /= _KILO
    return f"{value:g}T"

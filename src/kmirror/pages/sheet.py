"""What plots are drawn on: as wide as a page, or as a telephone; and written as SVG."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

SMALL_PT = 8.0
"""The smallest letters."""
_LEGEND_CHARS = 46  # in a line, where it is narrow


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """
    What is drawn on.

    Args:
        width_in: How wide it is, inches.
        is_narrow: Whether it is a telephone's screen.
    """

    width_in: float
    is_narrow: bool

    def figure(self, height_in: float) -> Figure:
        """Give an empty picture."""
        return Figure(figsize=(self.width_in, height_in), layout="constrained")

    def legend(self, figure: Figure, axes: Axes) -> None:
        """Name the lines: beside them, or above where there is no room."""
        if not self.is_narrow:
            axes.legend(fontsize=SMALL_PT)
            return
        lines, labels = axes.get_legend_handles_labels()
        wrapped = [textwrap.fill(label, _LEGEND_CHARS) for label in labels]
        figure.legend(lines, wrapped, loc="outside upper left", fontsize=SMALL_PT, frameon=False)


@dataclass(frozen=True, slots=True)
class Drawing:
    """
    A picture.

    Args:
        svg: For a screen.
        narrow_svg: For a telephone: as wide as its screen, with letters as large.
    """

    svg: str
    narrow_svg: str


WIDE = Sheet(width_in=8.0, is_narrow=False)
NARROW = Sheet(width_in=3.4, is_narrow=True)


def drawn(figure_on: Callable[[Sheet], Figure]) -> Drawing:
    """Draw a picture on both sheets."""
    return Drawing(*(svg(figure_on(sheet)) for sheet in (WIDE, NARROW)))


def plain(text: str) -> str:
    """Write a text that is no formula, whatever is in it."""
    return text.replace("$", r"\$")


def svg(figure: Figure) -> str:
    """Write a picture as SVG."""
    FigureCanvasSVG(figure)
    drawn = io.StringIO()
    # The same runs give the same file; letters stay letters, and are not drawn as shapes.
    with mpl.rc_context({"svg.hashsalt": "kmirror", "svg.fonttype": "none"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    text = drawn.getvalue()
    return "\n".join(line.rstrip() for line in text[text.index("<svg") :].splitlines()) + "\n"

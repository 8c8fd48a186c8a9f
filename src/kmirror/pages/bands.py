"""Draws bands, as SVG."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from kmirror.pages.page import Bands
from kmirror.pages.sheet import SMALL_PT, Drawing, Sheet, drawn, plain

_FRAME_IN, _ROW_IN = 1.1, 0.26
_THIN = 0.004  # of a row: a single part among thousands is to be seen
_NAME_CHARS, _NAME_CHARS_NARROW = 28, 16


def draw_bands(bands: Bands) -> Drawing:
    """Draw bands."""
    return drawn(lambda sheet: _figure(bands, sheet))


def _figure(bands: Bands, sheet: Sheet) -> Figure:
    figure = sheet.figure(_FRAME_IN + _ROW_IN * len(bands.bands))
    axes = figure.subplots()
    colours = dict(bands.kinds)
    for row, band in enumerate(bands.bands):
        for kind, start, end in band.spans:
            left = max(0.0, start)
            length = max(_THIN, min(1.0, end) - left)
            axes.barh(row, length, left=left, height=0.7, color=colours[kind], linewidth=0)
    chars = _NAME_CHARS_NARROW if sheet.is_narrow else _NAME_CHARS
    names = [plain(_short(band.name, chars)) for band in bands.bands]
    axes.set_yticks(range(len(names)), names, fontsize=SMALL_PT)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], [bands.ends[0], "", bands.ends[1]], fontsize=SMALL_PT)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.legend(
        handles=[Patch(color=colour, label=kind) for kind, colour in bands.kinds],
        loc="outside upper left",
        ncols=3 if sheet.is_narrow else 6,
        fontsize=SMALL_PT,
        frameon=False,
    )
    return figure


def _short(name: str, chars: int) -> str:
    """Leave out the middle of a long name: its end tells partitions from each other."""
    half = chars // 2
    return name if len(name) <= chars else f"{name[: half - 1]}…{name[-half:]}"

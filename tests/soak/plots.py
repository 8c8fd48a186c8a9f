"""The curves of a soak, with its faults."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kmirror.pages.sheet import NARROW, SMALL_PT, WIDE, Sheet, svg
from tests.soak.result import Event, FlowSample, ProcessSample, Result
from tests.soak.schedule import ENDS_DRIVER, Kind
from tests.soak.trends import lives

_POINTS_MAX, _POINTS_NARROW_MAX = 200, 100
_COLOURS = ("#e4572e", "#f2a541", "#34495e", "#5b7083", "#2e86ab", "#7fb7d1", "#6a994e", "#a7c957")
_FILLS_PT = 1000.0
_FAULT, _END = "#c8d0d8", "#a11d1d"
Points = list[tuple[float, float]]
_GAP = (math.nan, math.nan)
Lines = list[tuple[str, list[Points]]]
"""By name: the pieces of a line, with gaps between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """
    A plot.

    Args:
        name: For a link.
        title: What it shows.
        alt: The same in words, with numbers.
        wide, narrow: SVG, for a page and for a telephone.
    """

    name: str
    title: str
    alt: str
    wide: str
    narrow: str


def pictures(result: Result) -> Iterator[Picture]:
    """Draw everything that was measured."""
    kinds: tuple[tuple[str, str, str, Callable[[ProcessSample], float]], ...] = (
        ("memory", "Memory of each process", "resident, MiB", lambda each: each.rss_bytes / 2**20),
        ("files", "Open files of each process", "file descriptors", lambda each: each.files),
        ("threads", "Threads of each process", "threads", lambda each: each.threads),
    )
    yield _picture(result, "lag", "Lag of each flow", "offsets not copied", _lags(result.flows))
    yield _picture(
        result, "rate", "Throughput of each flow", "offsets/s, over 30 s", _rates(result.flows)
    )
    for name, title, label, value in kinds:
        yield _picture(result, name, title, label, _of_processes(result.processes, value))


def _of_processes(
    samples: Sequence[ProcessSample], value: Callable[[ProcessSample], float]
) -> Lines:
    named: dict[str, list[Points]] = defaultdict(list)
    for (name, _), life in lives(samples).items():
        named[name].append([(each.at_s, value(each)) for each in life])
    return sorted(named.items())


def _lags(samples: Sequence[FlowSample]) -> Lines:
    return [
        (flow, [[(each.at_s, float(each.lag)) for each in samples if each.flow == flow]])
        for flow in sorted({each.flow for each in samples})
    ]


def _rates(samples: Sequence[FlowSample]) -> Lines:
    lines: Lines = []
    for flow in sorted({each.flow for each in samples}):
        points: Points = []
        own = [each for each in samples if each.flow == flow]
        begin = 0
        for each in own:
            while each.at_s - own[begin].at_s > 30:
                begin += 1
            if each.at_s > own[begin].at_s:
                rate = (each.copied - own[begin].copied) / (each.at_s - own[begin].at_s)
                points.append((each.at_s, max(0.0, rate)))
        lines.append((flow, [points]))
    return lines


def _picture(result: Result, name: str, title: str, label: str, lines: Lines) -> Picture:
    def draw(sheet: Sheet) -> Figure:
        figure = sheet.figure(3.6 if sheet.is_narrow else 3.2)
        axes = figure.subplots()
        _mark(axes, result.events)
        for number, (who, pieces) in enumerate(lines):
            colour = _COLOURS[number % len(_COLOURS)]
            room = _POINTS_NARROW_MAX if sheet.is_narrow else _POINTS_MAX
            step = max(1, sum(map(len, pieces)) // room)
            line = [point for points in pieces for point in (*_thin(points, step), _GAP)]
            axes.plot(
                [at_s / 60 for at_s, _ in line],
                [value for _, value in line],
                color=colour,
                linestyle="--" if who.endswith(" 2") else "-",
                linewidth=1.2,
                label=who,
            )
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("minutes")
        axes.grid(visible=True, alpha=0.3)
        lines_, labels = axes.get_legend_handles_labels()
        figure.legend(
            lines_,
            labels,
            loc="outside lower center",
            ncols=2 if sheet.is_narrow else 4,
            fontsize=SMALL_PT,
            frameon=False,
        )
        return figure

    highest = (
        f"{who}: at most {max(value for points in pieces for _, value in points):,.0f}"
        for who, pieces in lines
        if any(pieces)
    )
    return Picture(
        name=name,
        title=title,
        alt=f"{title}, {label}. {'; '.join(highest)}.",
        wide=svg(draw(WIDE)),
        narrow=svg(draw(NARROW)),
    )


def _mark(axes: Axes, events: Sequence[Event]) -> None:
    """Shade the time of each fault; where a driver ends, in another colour."""
    ends = {str(kind) for kind in ENDS_DRIVER}
    faults = [event for event in events if event.what != Kind.NOTHING]
    for of_driver, colour, alpha in ((False, _FAULT, 0.5), (True, _END, 0.25)):
        # One line, so thick that it fills the height: hundreds of shapes would be most of the file.
        spans = [
            (event.from_s / 60, event.until_s / 60)
            for event in faults
            if (event.what in ends) is of_driver
        ]
        axes.plot(
            [at for start, end in spans for at in (start, end, end)],
            [y for _ in spans for y in (0.5, 0.5, math.nan)],
            transform=axes.get_xaxis_transform(),
            color=colour,
            alpha=alpha,
            linewidth=_FILLS_PT,
            solid_capstyle="butt",
        )


def _thin(points: Points, step: int) -> Points:
    """Leave out points that nobody could see, but not the highest of its neighbours."""
    return [
        max(points[at : at + step], key=lambda point: point[1])
        for at in range(0, len(points), step)
    ]

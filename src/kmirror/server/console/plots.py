"""How a flow was, as drawings: which figures stand in one, and how they are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kmirror.api.plots import PlotList
from kmirror.server.console import words
from kmirror.server.console.charts import Line, curve

WIDTH, HEIGHT = 600.0, 120.0
# Where nothing was seen for so many points, nobody looked; a driver's looks lie 5 s apart.
_GAP_POINTS, _GAP_MS_MIN = 2.5, 30_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """
    What one drawing shows.

    Args:
        title: Of it.
        what: In what unit, and of what.
        lines: Fields of a point, with what each is called.
        shown: Tells a value with its unit.
        kind: The same for scripts: `count`, `time` or `rate`.
        least: See `curve`.
        of_driver: Whether only the driver of the flow knows it.
        is_of_topics: Whether it is known of topics, too.
    """

    title: str
    what: str
    lines: tuple[tuple[str, str], ...]
    shown: Callable[[float | None], str]
    kind: str = "time"
    least: float = 1.0
    of_driver: bool = True
    is_of_topics: bool = False


def _percentiles(name: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"{name}_p{each}_s", f"{each} %") for each in (50, 95, 99))


_FIGURES = (
    _Figure(
        title="Lag",
        what="records that are not copied",
        lines=(("lag_records", "the most"),),
        is_of_topics=True,
        shown=words.count,
        kind="count",
        of_driver=False,
    ),
    _Figure(
        title="Behind",
        what="the same in time",
        lines=(("lag_seconds", "the most"),),
        shown=words.duration,
        of_driver=False,
    ),
    _Figure(
        title="Records",
        what="copied a second",
        lines=(("records_per_s", "mean"),),
        is_of_topics=True,
        shown=words.count,
        kind="count",
    ),
    _Figure(
        title="Rate",
        what="MB/s",
        lines=(("bytes_per_s", "mean"),),
        shown=words.megabytes,
        kind="rate",
        least=10_000.0,
    ),
    _Figure(
        title="Latency",
        what="from fetch to commit, of so many records",
        lines=_percentiles("latency"),
        shown=words.latency,
        least=0.01,
    ),
    _Figure(
        title="Age when fetched",
        what="by the records' own timestamps",
        lines=_percentiles("age"),
        shown=words.latency,
        least=0.01,
    ),
    _Figure(
        title="Commit",
        what="how long the target takes, for so many commits",
        lines=(("commit_p50_s", "50 %"), ("commit_p99_s", "99 %")),
        shown=words.latency,
        least=0.01,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotLine:
    """
    A line of a drawing.

    Args:
        name: What it is called.
        number: Which one: it is drawn in another way than the others.
        line: It.
        last: Its newest value, for people.
    """

    name: str
    number: int
    line: Line
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """
    A plot.

    Args:
        title: Of it.
        what: What is drawn.
        lines: All lines, by one scale.
        points: Moments, each with the value of every line, as JSON for scripts.
        kind: What the values are: `count`, `time`, seconds, or `rate`, bytes a second.
        top: The largest value, for people; empty when none is known.
        of_driver: Whether only the driver of the flow knows it.
    """

    title: str
    what: str
    lines: tuple[PlotLine, ...]
    points: str
    kind: str
    top: str
    of_driver: bool

    @property
    def is_drawn(self) -> bool:
        """Whether there is anything to see."""
        return any(each.line.strokes for each in self.lines)


def drawings(found: PlotList, *, of_topic: bool = False) -> tuple[Drawing, ...]:
    """
    Draw how a flow was.

    Args:
        found: It.
        of_topic: It is one of its topics: only lag and records are known of those.
    """
    figures = _FIGURES if not of_topic else (each for each in _FIGURES if each.is_of_topics)
    return tuple(_drawing(each, found) for each in figures)


def _drawing(figure: _Figure, found: PlotList) -> Drawing:
    values = {
        field: [(each.at_ms, _value(each, field)) for each in found.points]
        for field, _ in figure.lines
    }
    top = _top(list(values.values()))
    least = max(figure.least, top or 0.0)
    return Drawing(
        title=figure.title,
        what=figure.what,
        lines=tuple(
            PlotLine(
                name=name,
                number=number,
                line=curve(
                    values[field],
                    WIDTH,
                    HEIGHT,
                    least=least,
                    ends_ms=(found.from_ms, found.to_ms),
                    gap_ms=max(_GAP_MS_MIN, 1000 * _GAP_POINTS * found.step_s),
                ),
                last=figure.shown(values[field][-1][1] if values[field] else None),
            )
            for number, (field, name) in enumerate(figure.lines)
        ),
        points=json.dumps(
            [
                [each.at_ms, *(_rounded(_value(each, field)) for field, _ in figure.lines)]
                for each in found.points
            ],
            separators=(",", ":"),
        ),
        kind=figure.kind,
        top="" if top is None else figure.shown(top),
        of_driver=figure.of_driver,
    )


def _value(point: object, field: str) -> float | None:
    value: float | None = getattr(point, field)
    return value


def _rounded(value: float | None) -> float | None:
    """Give four digits of what is no count: nobody reads more of a curve."""
    return value if value is None or isinstance(value, int) else float(f"{value:.4g}")


def _top(lines: Sequence[Sequence[tuple[int, float | None]]]) -> float | None:
    return max((value for line in lines for _, value in line if value is not None), default=None)

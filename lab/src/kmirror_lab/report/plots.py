"""The report's plots, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from kmirror.pages.sheet import NARROW, SMALL_PT, WIDE, Sheet, svg
from kmirror_lab.duplicates.duplicated_batch import DuplicatedBatch
from kmirror_lab.duplicates.result import Peer, Run
from kmirror_lab.report.series import (
    Axis,
    Series,
    arrived_share,
    lag,
    throughput,
    twice_share,
)
from kmirror_lab.report.texts import Text, code

_COLOURS = {
    Peer.MIRROR_MAKER: "#34495e",
    Peer.MIRROR_MAKER_1: "#9aa5b1",
    Peer.KMIRROR: "#e4572e",
}
_FIRST, _SECOND = "#5b7083", "#f2b5a0"
_MARKS = "osD^vP*X"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """
    A picture.

    Args:
        name: For a file, and a link.
        title: What it shows.
        alt: The same in words, with the numbers.
        svg: The picture.
        narrow_svg: The same for a telephone: as wide as its screen, with letters as large.
    """

    name: str
    title: Text
    alt: str
    svg: str
    narrow_svg: str


def axis_plot(axis: Axis, found: Sequence[Series]) -> Plot:
    """
    Draw records that are there twice, and those that arrived, against one thing.

    Args:
        axis: That thing.
        found: At least one.
    """
    points = (
        f"{series.peer}, {series.fixed}: "
        + "; ".join(
            f"{axis.show(value)}: {run.audit.duplicated:,} twice, {run.audit.distinct:,} of "
            f"{run.audit.produced:,} arrived"
            for value, run in series.points
        )
        for series in found
    )
    return _plot(
        lambda sheet: _axis_figure(sheet, axis, found),
        name=f"against-{axis.name}",
        title=Text(
            f"Records there twice against {axis.title.en}",
            f"重复记录与{axis.title.zh}的关系",
        ),
        alt=". ".join(points),
    )


def _axis_figure(sheet: Sheet, axis: Axis, found: Sequence[Series]) -> Figure:
    figure = sheet.figure(6)
    above, below = figure.subplots(2, 1, sharex=True)
    rows: tuple[tuple[Axes, str, Callable[[Run], float]], ...] = (
        (above, "copies,\n% of what is in the target", twice_share),
        (below, "records that arrived,\n% of those produced", arrived_share),
    )
    values = sorted({value for series in found for value, _ in series.points})
    for axes, label, of in rows:
        for number, series in enumerate(found):
            axes.plot(
                [value for value, _ in series.points],
                [of(run) for _, run in series.points],
                color=_COLOURS[series.peer],
                marker=_MARKS[number % len(_MARKS)],
                label=_plain(f"{series.peer}: {series.fixed}"),
            )
        axes.set_ylabel(label)
        axes.set_ylim(-5, 105)
        axes.grid(visible=True, alpha=0.3)
    below.set_xscale("log")
    below.set_xticks(
        values,
        [axis.show(value) for value in values],
        fontsize=SMALL_PT,
        rotation=90 if sheet.is_narrow else 0,
    )
    below.xaxis.set_minor_locator(NullLocator())
    below.set_xlabel(axis.title.en)
    sheet.legend(figure, above)
    return figure


def course_plot(number: int, scenario: str, runs: Iterable[Run]) -> Plot:
    """
    Draw throughput and lag of a scenario's mirrors over time.

    Args:
        number: Which plot of its kind it is.
        scenario: Its name.
        runs: One of each mirror.
    """
    shown = list(runs)
    words = (
        f"{run.peer}: {run.records_per_s:,.0f} records/s, "
        f"{run.audit.produced - run.audit.distinct:,} records behind in the end"
        for run in shown
    )
    return _plot(
        lambda sheet: _course_figure(sheet, shown),
        name=f"course-{number}",
        title=Text(
            f"Throughput and lag over time: {code(scenario)}", f"吞吐量与滞后：{code(scenario)}"
        ),
        alt="; ".join(words),
    )


def _course_figure(sheet: Sheet, shown: Sequence[Run]) -> Figure:
    figure = sheet.figure(5)
    above, below = figure.subplots(2, 1, sharex=True)
    for run in shown:
        style = {"color": _COLOURS[run.peer], "label": str(run.peer)}
        above.plot(*_columns(throughput(run.course)), **style)
        below.step(*_columns(lag(run.course)), where="post", **style)
    above.set_ylabel("new records/s,\nover 5 s")
    below.set_ylabel("lag, records")
    below.set_xlabel("seconds since the first record")
    for axes in (above, below):
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, alpha=0.3)
    sheet.legend(figure, above)
    return figure


def batch_plot(run: Run, one: DuplicatedBatch) -> Plot:
    """Draw the course of one batch that is there twice."""
    again = "" if one.again_s is None else f" at {one.again_s:.2f} s"
    gave_up = "" if one.gave_up_s is None else f", timed out at {one.gave_up_s:.2f} s"
    return _plot(
        lambda sheet: _batch_figure(sheet, one),
        name="batch",
        title=Text(
            f"One batch that is there twice: {code(run.scenario)}, {run.peer}",
            f"一个重复批次的时间线：{code(run.scenario)}，{run.peer}",
        ),
        alt=(
            f"{one.records:,} records: sent at {one.sent_s:.2f} s, timed out at "
            f"{one.timed_out_s:.2f} s, sent again{again}{gave_up}; first copy seen at "
            f"{one.first_seen_s:.2f} s, second copy at {one.second_seen_s:.2f} s"
        ),
    )


def _batch_figure(sheet: Sheet, one: DuplicatedBatch) -> Figure:
    figure = sheet.figure(3)
    axes = figure.subplots()
    producer, target = 1.0, 0.0
    gap = "\n" if sheet.is_narrow else " "
    begun_s = one.timed_out_s if one.again_s is None else one.again_s
    tries = (
        (one.sent_s, one.timed_out_s, one.first_seen_s, one.first, "first try", _FIRST),
        (begun_s, one.gave_up_s, one.second_seen_s, one.second, "second try", _SECOND),
    )
    for sent_s, over_s, seen_s, (begin, end), name, colour in tries:
        length_s = (seen_s if over_s is None else over_s) - sent_s
        axes.barh(producer, length_s, left=sent_s, height=0.3, color=colour)
        axes.annotate(name, (sent_s, producer + 0.2), fontsize=SMALL_PT)
        if over_s is not None:
            axes.annotate("timed out", (over_s, producer - 0.27), fontsize=SMALL_PT, ha="right")
        axes.plot([sent_s, seen_s], [producer - 0.15, target], color=colour, linestyle=":")
        axes.plot([seen_s], [target], marker="o", color=colour)
        label = f"offsets{gap}{begin:,} to {end:,}\nseen at{gap}{seen_s:.2f} s"
        axes.annotate(label, (seen_s, target - 0.15), fontsize=SMALL_PT, ha="center", va="top")
    axes.set_yticks([producer, target], ["waiting for\nan answer", "in the\ntarget"])
    axes.set_ylim(-1.1 if sheet.is_narrow else -0.6, 1.5)
    axes.use_sticky_edges = False
    axes.margins(x=0.28 if sheet.is_narrow else 0.12)
    axes.set_xlabel("seconds since the first record")
    axes.grid(visible=True, axis="x", alpha=0.3)
    return figure


def _plot(draw: Callable[[Sheet], Figure], *, name: str, title: Text, alt: str) -> Plot:
    wide, narrow = (svg(draw(sheet)) for sheet in (WIDE, NARROW))
    return Plot(name=name, title=title, alt=alt, svg=wide, narrow_svg=narrow)


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _plain(text: str) -> str:
    """Keep dollars from being taken for formulas."""
    return text.replace("$", r"\$")

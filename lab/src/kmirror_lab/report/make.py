"""The parts of a report, made of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kmirror_lab.duplicates.result import Run
from kmirror_lab.report.conclusions import conclusions
from kmirror_lab.report.plots import Plot, axis_plot, batch_plot, course_plot
from kmirror_lab.report.series import AXES, series_of
from kmirror_lab.report.texts import Text

_NO_BATCH = Text(
    "One batch that is there twice: no run has one whose course MirrorMaker 2's log tells; "
    "`kmirror lab duplicates --peer mm2 --scenario slow-link-large-batches` gives one.",
    "一个重复批次的时间线：没有哪次运行的 MirrorMaker 2 日志能说明重复批次的经过；"
    "可运行 `kmirror lab duplicates --peer mm2 --scenario slow-link-large-batches`。",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """
    What a page shows.

    Args:
        runs: All of them.
        conclusions: What follows from them.
        plots: Those for which there are runs.
        left_out: About each of the others, what would give it.
        log: What the producer said about the batch that is drawn.
    """

    runs: tuple[Run, ...]
    conclusions: tuple[Text, ...]
    plots: tuple[Plot, ...]
    left_out: tuple[Text, ...]
    log: tuple[str, ...]


def make_report(runs: Sequence[Run]) -> Report:
    """Make a report of runs, in their order."""
    plots: list[Plot] = []
    left_out: list[Text] = []
    for axis in AXES:
        found = series_of(runs, axis)
        if found:
            plots.append(axis_plot(axis, found))
        else:
            left_out.append(axis.left_out)
    log: tuple[str, ...] = ()
    for run in runs:
        if run.doubled is not None:
            plots.append(batch_plot(run, run.doubled))
            log = run.doubled.words
            break
    else:
        left_out.append(_NO_BATCH)
    plots += _courses(runs)
    return Report(
        runs=tuple(runs),
        conclusions=tuple(conclusions(runs)),
        plots=tuple(plots),
        left_out=tuple(left_out),
        log=log,
    )


def _courses(runs: Sequence[Run]) -> Iterator[Plot]:
    """Draw each scenario as its file is, and each that more than one mirror ran."""
    scenarios: dict[str, dict[str, Run]] = {}
    for run in runs:
        if len(run.course) > 1:
            scenarios.setdefault(run.scenario, {}).setdefault(run.peer, run)
    number = 0
    for scenario, found in scenarios.items():
        each = list(found.values())
        if len(each) > 1 or not each[0].conditions.changes:
            number += 1
            yield course_plot(number, scenario, each)

"""The pictures: one for each part that was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bench.contestant import CONTESTANTS
from bench.latency import ISOLATIONS, LatencyRun
from bench.partitions import PartitionsRun
from bench.results import Results
from bench.workload import WORKLOADS

_DPI = 150
_COLOURS = dict(
    zip(
        (contestant.name for contestant in CONTESTANTS),
        ("#9aa5b1", "#5b7083", "#34495e", "#f2b5a0", "#f6d55c", "#e4572e"),
        strict=True,
    )
)
_LABELS = {contestant.name: contestant.label for contestant in CONTESTANTS}


def save_plots(results: Results, folder: Path) -> list[Path]:
    """Draw what was measured into *folder*; give the files."""
    saved: list[Path] = []
    for name, figure in _figures(results):
        path = folder / f"{name}.png"
        FigureCanvasAgg(figure)
        figure.savefig(path, dpi=_DPI)
        saved.append(path)
    return saved


def _figures(results: Results) -> Iterator[tuple[str, Figure]]:
    if results.catch_up:
        yield "catch-up", _catch_up(results)
    if results.latency:
        yield "latency", _latency(results)
    if results.recovery:
        yield "recovery", _recovery(results)
    if results.partitions:
        yield "partitions", _partitions(results.partitions)


def _catch_up(results: Results) -> Figure:
    figure = Figure(figsize=(12, 7), layout="constrained")
    places = [axes for row in figure.subplots(-(-len(WORKLOADS) // 2), 2) for axes in row]
    for axes, workload in zip(places, WORKLOADS, strict=False):
        axes.set_title(workload.label, fontsize=9)
        axes.set_xlabel("thousand records/s (bar: median, dots: runs)")
        for contestant in CONTESTANTS:
            runs = results.catch_up_runs(contestant.name, workload.topic)
            _bar(axes, contestant.name, [run.records_per_s / 1000 for run in runs])
        axes.invert_yaxis()
    return figure


def _recovery(results: Results) -> Figure:
    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    axes.set_title("kill -9 to flowing again")
    axes.set_xlabel("seconds (bar: median, dots: runs)")
    for contestant in CONTESTANTS:
        runs = [run for run in results.recovery if run.contestant == contestant.name]
        _bar(axes, contestant.name, [run.flowing_again_s for run in runs])
    axes.invert_yaxis()
    return figure


def _bar(axes: Axes, name: str, values: list[float]) -> None:
    if values:
        axes.barh(_LABELS[name], median(values), color=_COLOURS[name])
        axes.plot(values, [_LABELS[name]] * len(values), "k.", markersize=4)


def _latency(results: Results) -> Figure:
    figure = Figure(figsize=(10, 4), layout="constrained")
    rates = sorted({run.rate for run in results.latency})
    for axes, rate in zip(figure.subplots(1, len(rates), squeeze=False)[0], rates, strict=True):
        axes.set_title(f"latency at {rate:,} records/s")
        axes.set_xlabel("part of the records that is slower")
        axes.set_ylabel("ms")
        axes.set_xscale("log")
        axes.set_yscale("log")
        for run in results.latency:
            if run.rate == rate:
                _curve(axes, run)
        axes.invert_xaxis()
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=8)
    return figure


def _curve(axes: Axes, run: LatencyRun) -> None:
    points = [(1 - part, value) for part, value in run.latency_ms.curve if part < 1]
    axes.plot(
        [slower for slower, _ in points],
        [value for _, value in points],
        color=_COLOURS[run.contestant],
        linestyle="-" if run.isolation == ISOLATIONS[0] else "--",
        label=f"{_LABELS[run.contestant]}, {run.isolation}",
    )


def _partitions(runs: Sequence[PartitionsRun]) -> Figure:
    figure = Figure(figsize=(7, 3 * len(runs)), layout="constrained")
    for axes, run in zip(figure.subplots(len(runs), squeeze=False)[:, 0], runs, strict=True):
        axes.set_title(
            f"{run.partitions:,} partitions at {run.rate:,} records/s: lag, read_committed"
        )
        axes.set_xlabel("seconds")
        axes.set_ylabel("records")
        axes.plot(range(1, len(run.lag) + 1), run.lag, color=_COLOURS["kmirror"])
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, alpha=0.3)
    return figure

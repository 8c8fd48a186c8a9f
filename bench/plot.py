"""The pictures: one for each part that was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bench.contestant import CONTESTANTS
from bench.latency import ISOLATIONS, LatencyRun
from bench.partitions import PartitionsRun
from bench.results import Results
from bench.scale_case import ScaleRun, Shape
from bench.start import STARTS
from bench.workload import WORKLOADS

_DPI = 150
_COLOURS = dict(
    zip(
        (contestant.name for contestant in CONTESTANTS),
        ("#9aa5b1", "#5b7083", "#34495e", "#f7d6c9", "#f2b5a0", "#f6d55c", "#e4572e"),
        strict=True,
    )
)
# By what the cost is drawn: under the axis, and what it is of a run.
_SHAPES = (
    (Shape.PARTITIONS, "partitions of one flow, 4 slots"),
    (Shape.FLOWS, "flows of 10 partitions, in one process"),
)
_COSTS: tuple[tuple[str, tuple[tuple[str, Callable[[ScaleRun], float]], ...]], ...] = (
    (
        "cores",
        (
            ("kmirror, at rest", lambda run: run.rest.cpu_share),
            ("kmirror, 1,000 records/s", lambda run: run.busy.cpu_share),
            ("both brokers, at rest", lambda run: run.rest.brokers_cpu_share),
            ("both brokers, 1,000 records/s", lambda run: run.busy.brokers_cpu_share),
        ),
    ),
    (
        "memory, MiB",
        (
            ("at rest", lambda run: run.rest.rss_bytes / 2**20),
            ("the most", lambda run: run.peak_rss_bytes / 2**20),
        ),
    ),
    (
        "requests/s to both brokers",
        (
            ("at rest", lambda run: run.rest.all_requests_per_s),
            ("1,000 records/s", lambda run: run.busy.all_requests_per_s),
        ),
    ),
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
    if results.starts:
        yield "start", _starts(results)
    if results.partitions:
        yield "partitions", _partitions(results.partitions)
    for shape, words in _SHAPES:
        runs = [run for run in results.scale_runs if run.shape is shape]
        if runs:
            yield f"scale-{shape}", _scale(runs, words)


def _catch_up(results: Results) -> Figure:
    rows = -(-len(WORKLOADS) // 2)
    figure = Figure(figsize=(12, 3.5 * rows), layout="constrained")
    places = [axes for row in figure.subplots(rows, 2) for axes in row]
    for axes, workload in zip(places, WORKLOADS, strict=False):
        axes.set_title(workload.label, fontsize=9)
        axes.set_xlabel("thousand records/s (bar: median, dots: runs)")
        for contestant in CONTESTANTS:
            runs = results.catch_up_runs(contestant.name, workload.topic)
            _bar(axes, contestant.name, [run.records_per_s / 1000 for run in runs])
        axes.invert_yaxis()
    return figure


def _starts(results: Results) -> Figure:
    figure = Figure(figsize=(12, 3), layout="constrained")
    for axes, (take_over, words) in zip(figure.subplots(1, len(STARTS)), STARTS, strict=True):
        axes.set_title(words)
        axes.set_xlabel("seconds (bar: median, dots: runs)")
        for contestant in CONTESTANTS:
            runs = results.start_runs(contestant.name, take_over=take_over)
            _bar(axes, contestant.name, [run.first_record_s for run in runs])
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
    # Curves go through every corner of a plot. Those of all rates and runs are alike.
    handles, labels = axes.get_legend_handles_labels()
    lines = dict(zip(labels, handles, strict=True))
    columns = len(lines) // len(ISOLATIONS)
    figure.legend(
        lines.values(), lines, loc="outside lower center", ncols=max(1, columns), fontsize=8
    )
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


def _scale(runs: Sequence[ScaleRun], words: str) -> Figure:
    figure = Figure(figsize=(12, 4), layout="constrained")
    ordered = sorted(runs, key=_size)
    sizes = [_size(run) for run in ordered]
    for axes, (unit, lines) in zip(figure.subplots(1, len(_COSTS)), _COSTS, strict=True):
        axes.set_xlabel(words)
        axes.set_ylabel(unit)
        axes.set_xscale("log")
        for label, of in lines:
            axes.plot(sizes, [of(run) for run in ordered], "o-", label=label)
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize=8)
    return figure


def _size(run: ScaleRun) -> int:
    """Give what grows from run to run."""
    return run.flows if run.shape is Shape.FLOWS else run.partitions

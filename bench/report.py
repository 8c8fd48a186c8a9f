"""The table: contestants side by side, and what was promised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bench.catch_up import CatchUpRun
from bench.contestant import CONTESTANTS, KMIRROR
from bench.latency import ISOLATIONS, RATES
from bench.quantiles import Quantiles
from bench.results import Results
from bench.target import Measure, targets
from bench.workload import WORKLOADS

_MIB = 2**20
_MARKDOWN_COLUMNS = 400
_ABSENT = "-"
_RATE_UNIT = "records/s"
_CPU_UNIT = "CPU s per GB"
_QUANTILES: tuple[tuple[str, Callable[[Quantiles], float]], ...] = (
    ("p50", lambda found: found.p50),
    ("p95", lambda found: found.p95),
    ("p99", lambda found: found.p99),
    ("p99.9", lambda found: found.p999),
    ("max", lambda found: found.max),
)
_NAMES = tuple(contestant.name for contestant in CONTESTANTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    A line of the table.

    Args:
        measure: What was measured.
        cells: A text for each contestant.
        aim: Which targets belong to it, if any.
    """

    measure: str
    cells: list[str]
    aim: tuple[Measure, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """
    Lines that belong together.

    Args:
        title: What was done.
        rows: What was measured.
    """

    title: str
    rows: list[Row]


_CATCH_UP: tuple[tuple[str, str, Callable[[CatchUpRun], float]], ...] = (
    (_RATE_UNIT, "{:,.0f}", lambda run: run.records_per_s),
    ("MB/s", "{:,.1f}", lambda run: run.bytes_per_s / 1e6),
    (_CPU_UNIT, "{:,.1f}", lambda run: run.cpu_s_per_gb),
    ("the brokers' CPU s per GB", "{:,.1f}", lambda run: run.brokers_cpu_s_per_gb),
    ("peak RSS, MiB", "{:,.0f}", lambda run: run.peak_rss_bytes / _MIB),
    ("start to first record, s", "{:,.1f}", lambda run: run.first_record_s),
    ("start to last record, s", "{:,.1f}", lambda run: run.total_s),
    ("records copied twice", "{:,.0f}", lambda run: run.copied - run.records),
)


def groups(results: Results) -> list[Group]:
    """Give everything that was measured, medians of all runs."""
    return [
        *_catch_up(results),
        *_latency(results),
        *_recovery(results),
        *_partitions(results),
        *_groups_of_consumers(results),
    ]


def render(results: Results, *, markdown: bool = False) -> Table:
    """
    Draw one table of the measures and the targets.

    Args:
        results: What was measured.
        markdown: Draw it for a page instead of a terminal.
    """
    title = None if markdown else _title(results)
    table = Table(title=title, box=box.MARKDOWN if markdown else box.ROUNDED)
    table.add_column("measure")
    for contestant in CONTESTANTS:
        table.add_column(contestant.label, justify="right")
    table.add_column("target for kmirror")
    found = targets(results)
    for group in groups(results):
        table.add_section()
        table.add_row(f"**{group.title}**" if markdown else group.title, style="bold")
        for row in group.rows:
            aims = [str(each) for each in found if (each.measure, each.of) == row.aim]
            text = ("; " if markdown else "\n").join(aims)
            style = "red" if "MISSED" in text else "green" if text else None
            table.add_row(row.measure, *row.cells, text, style=style)
    return table


def save_markdown(results: Results, path: Path) -> None:
    """Write the table for a page."""
    with path.open("w") as file:
        console = Console(file=file, width=_MARKDOWN_COLUMNS, color_system=None)
        console.print(_title(results), soft_wrap=True, highlight=False)
        console.print(render(results, markdown=True))
    lines = [line.strip() for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def _title(results: Results) -> str:
    machine = results.machine
    text = (
        f"kmirror {machine.kmirror} (PySpark {machine.pyspark}) against MirrorMaker 2: "
        f"{machine.cores} x {machine.processor}, {machine.memory_gib} GiB, {machine.system}; "
        f"medians of {results.runs}"
    )
    if results.scale != 1:
        text += f"; only {results.scale:g} of the work: no result"
    return text


def _catch_up(results: Results) -> Iterator[Group]:
    aims = {_RATE_UNIT: Measure.CATCH_UP, _CPU_UNIT: Measure.CPU}
    for workload in WORKLOADS:
        any_run = next((run for run in results.catch_up if run.workload == workload.topic), None)
        if any_run is None:
            continue
        yield Group(
            title=f"catch-up, {replace(workload, records=any_run.records).label}",
            rows=[
                Row(
                    measure=unit,
                    cells=[
                        _cell(results.catch_up_median(name, workload.topic, what), form)
                        for name in _NAMES
                    ],
                    aim=(aims[unit], workload.topic) if unit in aims else None,
                )
                for unit, form, what in _CATCH_UP
            ]
            + _producer_perf(results, workload.topic),
        )


def _producer_perf(results: Results, workload: str) -> list[Row]:
    rate = results.producer_perf_median(workload)
    if rate is None:
        return []
    cells = [_ABSENT] * (len(_NAMES) - 1) + [f"{rate:,.0f}"]
    aim = (Measure.PRODUCER_PERF, workload)
    return [Row(measure="kafka-producer-perf-test alone, records/s", cells=cells, aim=aim)]


def _latency(results: Results) -> Iterator[Group]:
    for rate in RATES:
        for isolation in ISOLATIONS:
            runs = [results.latency_of(name, rate, isolation) for name in _NAMES]
            promised = isolation == ISOLATIONS[0]
            if any(runs):
                yield Group(
                    title=f"latency at {rate:,}/s, {isolation}",
                    rows=[
                        Row(
                            measure=f"{label}, ms",
                            cells=[
                                _cell(of(run.latency_ms) if run else None, "{:,.1f}")
                                for run in runs
                            ],
                            aim=(Measure.LATENCY, f"{rate} {label}") if promised else None,
                        )
                        for label, of in _QUANTILES
                    ],
                )


def _recovery(results: Results) -> Iterator[Group]:
    if results.recovery:
        cells = [_cell(results.recovery_median_s(name), "{:,.1f}") for name in _NAMES]
        yield Group(title="kill -9", rows=[Row(measure="to flowing again, s", cells=cells)])


def _partitions(results: Results) -> Iterator[Group]:
    for run in results.partitions:
        measured: list[tuple[str, str, tuple[Measure, str] | None]] = [
            ("the source took, records/s", f"{run.age_ms.count / run.seconds:,.0f}", None),
            ("peak RSS, MiB", f"{run.peak_rss_bytes / _MIB:,.0f}", (Measure.MEMORY, run.case)),
            ("largest lag, records", f"{max(run.lag):,}", (Measure.LAG, run.case)),
            *((f"age {label}, ms", f"{of(run.age_ms):,.1f}", None) for label, of in _QUANTILES),
        ]
        yield _ours_alone(
            f"{run.partitions:,} partitions, 4 slots, {run.rate:,}/s, read_committed", measured
        )


def _groups_of_consumers(results: Results) -> Iterator[Group]:
    for run in results.groups:
        follows = run.follows_ms
        measured: list[tuple[str, str, tuple[Measure, str] | None]] = [
            ("a round, p50, ms", f"{run.round_ms.p50:,.0f}", (Measure.GROUPS, run.label)),
            ("a round, max, ms", f"{run.round_ms.max:,.0f}", None),
            ("target has them, p50, ms", f"{follows.p50:,.0f}", None),
            ("target has them, max, ms", f"{follows.max:,.0f}", None),
            (
                "memory for them, MiB",
                f"{run.added_rss_bytes / _MIB:,.0f}",
                (Measure.GROUPS_MEMORY, run.label),
            ),
        ]
        yield _ours_alone(f"{run.groups:,} groups x {run.partitions} partitions", measured)


def _ours_alone(
    title: str, measured: Sequence[tuple[str, str, tuple[Measure, str] | None]]
) -> Group:
    """Give what is measured of kmirror alone."""
    return Group(
        title=title,
        rows=[
            Row(
                measure=measure,
                cells=[text if each is KMIRROR else _ABSENT for each in CONTESTANTS],
                aim=aim,
            )
            for measure, text, aim in measured
        ],
    )


def _cell(value: float | None, form: str) -> str:
    return _ABSENT if value is None else form.format(value)

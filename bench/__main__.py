"""`python -m bench`: measures, prints the table, writes JSON and plots."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from confluent_kafka import KafkaException
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from bench import catch_up, latency, recovery
from bench.command import chosen, end_what_was_started, fetch
from bench.groups import run_groups
from bench.partitions import CASES, Case, run_partitions
from bench.plot import save_plots
from bench.report import render, save_markdown
from bench.results import Results, Run, this_machine
from bench.workload import WORKLOADS, Workload
from kmirror.cli.terminal import wide_console
from kmirror.clock import SystemClock
from kmirror.errors import EnvironmentProblem, MirrorError

_RESULTS = Path(__file__).with_name("results")


class Part(StrEnum):
    """What can be measured alone."""

    CATCH_UP = "catch-up"
    LATENCY = "latency"
    RECOVERY = "recovery"
    PARTITIONS = "partitions"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """What the command line says; see `main`."""

    runs: int
    scale: float
    workloads: tuple[Workload, ...]
    rates: tuple[int, ...]
    cases: tuple[Case, ...]
    latency_seconds: int
    results: Path


def main(
    *,
    only: Annotated[
        list[Part] | None, typer.Option(help="Measure this part; may be repeated. Default: all.")
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option(help="Catch-up of this workload; may be repeated. Default: all."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Repetitions; medians are reported.")] = 5,
    scale: Annotated[
        float, typer.Option(min=0.001, max=1.0, help="Part of the records; less than 1 is a try.")
    ] = 1.0,
    rate: Annotated[
        list[int] | None,
        typer.Option(help="Latency at so many records a second; may be repeated. Default: all."),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(help="Partitions@rate; may be repeated. Default: all."),
    ] = None,
    latency_seconds: Annotated[
        int, typer.Option(min=5, help="How long each latency is measured.")
    ] = 180,
    results: Annotated[Path, typer.Option(help="The folder for JSON, table and plots.")] = _RESULTS,
) -> None:
    """
    Measure kmirror against the real MirrorMaker 2, on two clusters on this machine.

    Leave the machine alone meanwhile: everything runs on the same cores.
    """
    end_what_was_started()
    options = _Options(
        runs=runs,
        scale=scale,
        workloads=chosen("workload", workload, {each.topic: each for each in WORKLOADS}),
        rates=chosen("rate", rate, {each: each for each in latency.RATES}),
        cases=chosen("case", case, {each.label: each for each in CASES}),
        latency_seconds=latency_seconds,
        results=results,
    )
    console = wide_console()
    results.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="kmirror-bench-"))
    try:
        found, failed = _measure(only or list(Part), options, folder, console)
        if failed:
            _save_logs(folder, results / "logs")
    except EnvironmentProblem as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    console.print(render(found))
    save_markdown(found, results / "table.md")
    for path in save_plots(found, results):
        console.print(f"plot: {path}", highlight=False)
    console.print(f"all numbers: {results / 'results.json'}", highlight=False)
    if failed:
        print(f"failed: {', '.join(failed)}; logs: {results / 'logs'}", file=sys.stderr)
        raise SystemExit(1)


def _measure(
    parts: list[Part], options: _Options, folder: Path, console: Console
) -> tuple[Results, list[Part]]:
    """Give what was measured, and the parts that failed: hours of others are not lost for one."""
    fetch()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    failed: list[Part] = []
    with Progress(*columns, console=console) as progress:
        bench = _Bench(options, folder, progress)
        for part in parts:
            try:
                bench.measure(part)
            except (MirrorError, KafkaException) as error:
                console.print(f"{part} failed: {error}", style="red", markup=False)
                failed.append(part)
    return bench.found, failed


def _save_logs(folder: Path, into: Path) -> None:
    """Keep what everybody said; everything else is removed."""
    for log in folder.rglob("*.log"):
        kept = into / log.relative_to(folder)
        # The brokers' data files end like that, too.
        if "data" not in kept.parts:
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(log, kept)


class _Bench:
    """Runs the parts one after the other, and saves after each measurement."""

    def __init__(self, options: _Options, folder: Path, progress: Progress) -> None:
        self.found = Results(machine=this_machine(), runs=options.runs, scale=options.scale)
        self._options = options
        self._folder = folder
        self._progress = progress
        self._task = TaskID(0)
        self._clock = SystemClock()

    def measure(self, part: Part) -> None:
        """Measure one part."""
        self._task = self._progress.add_task(part.value, total=self._steps_of(part))
        for run in self._runs_of(part):
            self.found = self.found.with_run(run)
            self.found.save(self._options.results / "results.json")
            self._progress.advance(self._task)
        self._tell(f"{part}: done")

    def _steps_of(self, part: Part) -> int:
        match part:
            case Part.CATCH_UP:
                return catch_up.steps(self._options.workloads, runs=self._options.runs)
            case Part.LATENCY:
                return latency.steps(self._options.rates)
            case Part.RECOVERY:
                return recovery.steps(runs=self._options.runs)
            case Part.PARTITIONS:
                return len(self._options.cases)
            case Part.GROUPS:
                return 1

    def _runs_of(self, part: Part) -> Iterator[Run]:
        folder, options, clock, tell = self._folder, self._options, self._clock, self._tell
        runs, scale = options.runs, options.scale
        match part:
            case Part.CATCH_UP:
                workloads = [workload.scaled(scale) for workload in options.workloads]
                yield from catch_up.run_catch_up(
                    folder, workloads, runs=runs, clock=clock, tell=tell
                )
            case Part.LATENCY:
                seconds = options.latency_seconds
                yield from latency.run_latency(
                    folder, options.rates, seconds=seconds, clock=clock, tell=tell
                )
            case Part.RECOVERY:
                yield from recovery.run_recovery(folder, runs=runs, clock=clock, tell=tell)
            case Part.PARTITIONS:
                yield from run_partitions(
                    folder, options.cases, scale=scale, clock=clock, tell=tell
                )
            case Part.GROUPS:
                yield from run_groups(folder, scale=scale, clock=clock, tell=tell)

    def _tell(self, text: str) -> None:
        self._progress.update(self._task, description=text)
        if not self._progress.console.is_terminal:
            # Bars are drawn on terminals only.
            self._progress.console.print(text, highlight=False)


if __name__ == "__main__":
    typer.run(main)

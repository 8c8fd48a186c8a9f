"""`python -m bench`: measures, prints the table, writes JSON and plots, and the page of them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from confluent_kafka import KafkaException
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import latency
from bench.command import chosen, end_what_was_started, fetch
from bench.contestant import CONTESTANTS
from bench.page import publish
from bench.part import Part
from bench.partitions import CASES
from bench.plot import save_plots
from bench.report import render, save_markdown
from bench.results import Results
from bench.runner import Options, Runner
from bench.scale_case import Shape
from bench.start_page import save_starts
from bench.workload import WORKLOADS
from kmirror.cli.terminal import wide_console
from kmirror.clock import SystemClock
from kmirror.errors import EnvironmentProblem, MirrorError

_RESULTS = Path(__file__).with_name("results")
_PARTS = tuple(part for part in Part if part is not Part.WAN)


def main(
    *,
    only: Annotated[
        list[Part] | None, typer.Option(help="Measure this part; may be repeated. Default: all.")
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option(help="Catch-up of this workload; may be repeated. Default: all."),
    ] = None,
    contestant: Annotated[
        list[str] | None,
        typer.Option(help="Catch-up of this contestant; may be repeated. Default: all."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Repetitions; medians are reported.")] = 5,
    scale: Annotated[
        float, typer.Option(min=0.001, max=1.0, help="Part of the work; less than 1 is a try.")
    ] = 1.0,
    rate: Annotated[
        list[int] | None,
        typer.Option(help="Latency at so many records a second; may be repeated. Default: all."),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(help="Partitions@rate; may be repeated. Default: all."),
    ] = None,
    shape: Annotated[
        list[Shape] | None,
        typer.Option(help="Scale: what grows; may be repeated. Default: all."),
    ] = None,
    latency_seconds: Annotated[
        int, typer.Option(min=5, help="How long each latency is measured.")
    ] = 600,
    publish_: Annotated[
        bool, typer.Option("--publish", help="Write it into docs/measured.md and its pictures.")
    ] = False,
    results: Annotated[Path, typer.Option(help="The folder for JSON, table and plots.")] = _RESULTS,
) -> None:
    """
    Measure kmirror against the real MirrorMaker 2, on two clusters on this machine.

    Leave the machine alone meanwhile: everything runs on the same cores.
    """
    if only and Part.WAN in only:
        raise typer.BadParameter(f"{Part.WAN} has a command of its own: {Part.WAN.command}")
    if publish_ and scale != 1:
        raise typer.BadParameter("--publish: a part of the work is no result")
    end_what_was_started()
    options = Options(
        runs=runs,
        scale=scale,
        workloads=chosen("workload", workload, {each.topic: each for each in WORKLOADS}),
        contestants=chosen("contestant", contestant, {each.name: each for each in CONTESTANTS}),
        rates=chosen("rate", rate, {each: each for each in latency.RATES}),
        cases=chosen("case", case, {each.label: each for each in CASES}),
        shapes=tuple(shape or Shape),
        latency_seconds=latency_seconds,
        results=results,
    )
    parts = only or list(_PARTS)
    found, failed = _run(parts, options)
    if publish_:
        # A part of which some was left out keeps what it had of that.
        is_all = not (workload or contestant or rate or case or shape)
        whole = [part for part in parts if is_all and part not in failed]
        publish(found, whole=whole, clock=SystemClock())
    if failed:
        print(f"failed: {', '.join(failed)}; logs: {results / 'logs'}", file=sys.stderr)
        raise SystemExit(1)


def _run(parts: Sequence[Part], options: Options) -> tuple[Results, list[Part]]:
    """Measure and show; give what was measured, and the parts that failed."""
    console, results = wide_console(), options.results
    results.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="kmirror-bench-"))
    try:
        found, failed = _measure(parts, options, folder, console)
        if failed:
            _save_logs(folder, results / "logs")
    except EnvironmentProblem as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    console.print(render(found))
    save_markdown(found, results / "table.md")
    save_starts(found, results / "starts.md")
    for path in save_plots(found, results):
        console.print(f"plot: {path}", highlight=False)
    console.print(f"all numbers: {results / 'results.json'}", highlight=False)
    return found, failed


def _measure(
    parts: Sequence[Part], options: Options, folder: Path, console: Console
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
        runner = Runner(options, folder, progress)
        for part in parts:
            try:
                runner.measure(part)
            except (MirrorError, KafkaException) as error:
                console.print(f"{part} failed: {error}", style="red", markup=False)
                failed.append(part)
    return runner.found, failed


def _save_logs(folder: Path, into: Path) -> None:
    """Keep what everybody said; everything else is removed."""
    for log in folder.rglob("*.log"):
        kept = into / log.relative_to(folder)
        # The brokers' data files end like that, too.
        if "data" not in kept.parts:
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(log, kept)


if __name__ == "__main__":
    typer.run(main)

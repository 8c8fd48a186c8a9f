"""`python -m bench.wan`: measures on imitated wide-area links, prints a table, writes JSON."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench.command import chosen, end_what_was_started, fetch
from bench.contestant import WAN_CONTESTANTS, WAN_USUAL, Contestant
from bench.page import add
from bench.wan.case import LOSSES_PERCENT, RATES_MBIT, RTTS_MS, CutRun, Link, WanRun, grid, to_json
from bench.wan.contest import WanPlan, run_wan
from bench.wan.report import markdown, published_wan, render
from kmirror.cli.terminal import wide_console
from kmirror.clock import SystemClock
from kmirror.errors import MirrorError

_RESULTS = Path(__file__).parents[1] / "results"
_CUT_LINK = Link(rtt_ms=20, loss_percent=0, rate_mbit=10)
_CONTESTANTS = {each.name: each for each in WAN_CONTESTANTS}
_USUAL = tuple(each.name for each in WAN_USUAL)


class Beside(StrEnum):
    """Where the mirror is."""

    SOURCE = "source"
    TARGET = "target"


def main(
    *,
    rtt: Annotated[
        list[float] | None, typer.Option(help="Round trip, ms; may be repeated. Default: all.")
    ] = None,
    loss: Annotated[
        list[float] | None, typer.Option(help="Lost packets, %; may be repeated. Default: all.")
    ] = None,
    rate: Annotated[
        list[float] | None, typer.Option(help="Mbit/s; may be repeated. Default: all.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(_CONTESTANTS)}; may be repeated."
            f" Default: {' and '.join(_USUAL)}."
        ),
    ] = None,
    beside: Annotated[
        Beside, typer.Option(help="Where the mirror is: it reads, or writes, over the link.")
    ] = Beside.TARGET,
    log_lines: Annotated[
        bool, typer.Option("--words", help="Records that compress well, not random bytes.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(min=1, help="What the link's rate would take for the records.")
    ] = 20.0,
    patience: Annotated[
        float, typer.Option(min=1, help="How many times that long is waited.")
    ] = 4.0,
    cut: Annotated[
        float, typer.Option(min=0, help="A cut of so many seconds in the end; 0 is none.")
    ] = 60.0,
    buffers: Annotated[
        int, typer.Option(help="The brokers' socket.*.buffer.bytes; Kafka's default is 102400.")
    ] = -1,
    publish: Annotated[
        bool, typer.Option("--publish", help="Write what was measured into docs/measured.md.")
    ] = False,
    results: Annotated[Path, typer.Option(help="The folder for JSON and table.")] = _RESULTS,
) -> None:
    """
    Measure kmirror against MirrorMaker 2, both exactly once, over links with delay and loss.

    Needs root: the clusters are in network namespaces. Leave the machine alone meanwhile.
    """
    end_what_was_started()
    contestants = chosen("contestant", only or _USUAL, _CONTESTANTS)
    plan = WanPlan(
        links=grid(rtt or RTTS_MS, loss or LOSSES_PERCENT, rate or RATES_MBIT),
        seconds=seconds,
        patience=patience,
        beside=beside.value,
        log_lines=log_lines,
        cut_s=cut,
        cut_link=_CUT_LINK,
        socket_buffer_bytes=buffers,
    )
    console = wide_console()
    results.mkdir(parents=True, exist_ok=True)
    try:
        runs, cuts = _measure(contestants, plan, results, console)
    except MirrorError as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from error
    console.print(f"all numbers: {results / 'wan.json'}", highlight=False)
    if publish:
        words = f"the mirror beside the {beside}" + (", words" if log_lines else "")
        add(published_wan(runs, cuts, words, SystemClock()))


def _measure(
    contestants: Sequence[Contestant], plan: WanPlan, results: Path, console: Console
) -> tuple[list[WanRun], list[CutRun]]:
    """Save after each measurement; show what there is in the end, however that comes."""
    fetch()
    runs: list[WanRun] = []
    cuts: list[CutRun] = []
    folder = Path(tempfile.mkdtemp(prefix="kmirror-wan-"))
    try:
        for found in run_wan(folder, contestants, plan, clock=SystemClock(), tell=console.print):
            if isinstance(found, WanRun):
                runs.append(found)
            else:
                cuts.append(found)
            (results / "wan.json").write_text(to_json(runs, cuts))
            (results / "wan.md").write_text(markdown(runs, cuts))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for table in render(runs, cuts):
            console.print(table)
    return runs, cuts


if __name__ == "__main__":
    typer.run(main)

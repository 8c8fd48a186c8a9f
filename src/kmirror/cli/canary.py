"""`kmirror canary`: records that go the whole way of a flow that runs elsewhere."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live

from kmirror.canary.canary import Canary
from kmirror.cli.ending import on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, OneFlow, flows_or_exit, load_or_exit
from kmirror.cli.metrics import metrics_of, metrics_server
from kmirror.cli.rows import Rows
from kmirror.cli.terminal import refuse, wide_console
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.config.metrics import NO_METRICS
from kmirror.errors import ConfigError, EnvironmentProblem
from kmirror.load.page import spread_cells, spread_columns
from kmirror.model import Flow
from kmirror.sequence.latencies import Latencies
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.metrics.canary_metrics import CanariesCollector
from kmirror.state.metrics.collector import Exposition

_FRAME_S = 0.5
_LAST_S_MAX = 1.0
_COLUMNS = (
    "flow",
    ">written",
    ">failed",
    ">arrived",
    ">lost",
    ">again",
    ">out of order",
    ">overdue",
    *spread_columns(Latencies().spread()),
    "trouble",
)

Figures = Mapping[Flow, CanaryFigures]


def canary(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: OneFlow = None,
    topic: Annotated[
        str | None,
        typer.Option(
            help="Write to this topic of the source, which the flow copies. Default: one of the "
            "canary's own, which kmirror copies whatever the file says, if it is there."
        ),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            help="Seconds between two records of a partition.",
            show_default="as the file says, 5",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            help="Write for so long, then wait for what is on its way. Default: until Ctrl-C.",
        ),
    ] = None,
    metrics_listen: Annotated[
        str | None,
        typer.Option(help="Serve /metrics, /status, /readiness and /liveness there, as HOST:PORT."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object in the end.")
    ] = False,
) -> None:
    """
    Write records on the source and wait for them on the target: loss, duplicates, order, latency.

    The flow runs elsewhere: `kmirror run`, or MirrorMaker 2 with --topic. A driver does the same
    by itself with `kmirror.canary.enabled = true`. Exit codes: 0 all came once and in order, 1
    something was lost, duplicated, out of order or overdue, 2 FILE is wrong, 3 a cluster does not
    answer or refuses.
    """
    config = load_or_exit(file)
    chosen = [each for each in flows_or_exit(file, config, flow) if _can(each, topic)]
    if not chosen:
        refuse(
            f"{file}: no flow that a canary could go: each changes or merges records", Exit.CONFIG
        )
    flows = [_wanted(each, interval) for each in chosen]
    clock, stop = SystemClock(), threading.Event()
    figures = {each.flow: CanaryFigures(overdue_s=each.canary.overdue_s) for each in flows}
    writing = threading.Event()
    writing.set()
    canaries = [
        Canary(each, figures[each.flow], clock, topic=topic, writes=writing.is_set)
        for each in flows
    ]
    on_signal(lambda _: stop.set())
    with _served(metrics_listen, figures):
        for each in canaries:
            each.start()
        _watch(figures, stop, seconds, writing)
        for each in canaries:
            each.close(_LAST_S_MAX)
    raise SystemExit(_told(figures, as_json=as_json))


def _can(config: FlowConfig, topic: str | None) -> bool:
    """Whether a canary of this flow can go; exit if it is asked for a topic that is not copied."""
    if not config.canary_topic:
        return False
    if topic is not None and (why := config.topic_selection().refusal(topic)) is not None:
        refuse(f"{config.flow} does not copy {topic}: {why}", Exit.CONFIG)
    return True


def _wanted(config: FlowConfig, interval: float | None) -> FlowConfig:
    if interval is None:
        return config
    return replace(config, canary=replace(config.canary, interval_s=interval))


@contextmanager
def _served(listen: str | None, figures: Figures) -> Iterator[None]:
    """Serve metrics as long as the block lasts, if that is wanted."""
    try:
        server = metrics_server(metrics_of(NO_METRICS, listen))
    except (ConfigError, EnvironmentProblem) as error:
        refuse(str(error), Exit.START_FAILED)
    if server is None:
        yield
        return
    try:
        collector = CanariesCollector(lambda: figures, SystemClock())
        server.start(Exposition(collector), lambda: (), lambda: figures)
        yield
    finally:
        server.stop()


def _watch(
    figures: Figures, stop: threading.Event, seconds: float | None, writing: threading.Event
) -> None:
    """Show how it goes until the time is over and all has come, or somebody stops it."""
    clock, console = SystemClock(), Console(stderr=True)
    until_s = None if seconds is None else clock.monotonic_s() + seconds
    with Live(console=console, auto_refresh=False, transient=True) as display:
        while not clock.wait(stop, _FRAME_S):
            if console.is_terminal:
                display.update(_table(figures), refresh=True)
            if until_s is not None and clock.monotonic_s() >= until_s:
                writing.clear()
                if all(_is_settled(each) for each in figures.values()):
                    return


def _is_settled(figures: CanaryFigures) -> bool:
    """Whether all that was written has come, or is lost or overdue, or cannot come."""
    return bool(figures.trouble) or not figures.awaited(SystemClock().wall_ms() * 1000)


def _table(figures: Figures) -> Rows:
    now_us = SystemClock().wall_ms() * 1000
    rows = []
    for flow, each in figures.items():
        counts = each.counts(now_us)
        numbers = (
            counts.produced,
            counts.failed,
            counts.consumed,
            counts.lost,
            counts.duplicated,
            counts.reordered,
            counts.overdue,
        )
        rows.append(
            (str(flow), *(f"{n:,}" for n in numbers), *spread_cells(each.spread()), each.trouble)
        )
    return Rows(_COLUMNS, rows)


def _told(figures: Figures, *, as_json: bool) -> Exit:
    """Print what came of it."""
    now_us = SystemClock().wall_ms() * 1000
    if as_json:
        found = {
            str(flow): asdict(each.counts(now_us))
            | {"roundtrip_s": asdict(each.spread()), "trouble": each.trouble}
            for flow, each in figures.items()
        }
        print(json.dumps(found))
    else:
        wide_console().print(_table(figures))
    for flow, each in figures.items():
        if each.trouble:
            print(f"{flow}: {each.trouble}", file=sys.stderr)
    counts = [each.counts(now_us) for each in figures.values()]
    if any(each.trouble for each in figures.values()):
        return Exit.START_FAILED
    wrong = sum(each.lost + each.duplicated + each.reordered + each.overdue for each in counts)
    return Exit.DIFFERENT if wrong else Exit.OK

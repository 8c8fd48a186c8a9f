"""`kmirror run`: MirrorMaker 2's driver."""

from __future__ import annotations

import gc
import sys
import threading
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.live import Live

from kmirror.cli.ending import on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, examine_or_exit
from kmirror.cli.logs import LogFormat, LogLevel, log_for_services
from kmirror.cli.view import FlowsView
from kmirror.clock import SystemClock
from kmirror.config.entry import by_line
from kmirror.config.load import MirrorConfig
from kmirror.errors import ConfigError, EnvironmentProblem, JvmLost, Problem
from kmirror.events.emit import emit
from kmirror.events.table import (
    CONFIG_DOUBTFUL,
    CONFIG_INACTIVE,
    FLOW_CONFIGURED,
    FLOW_COPIED,
    FLOW_INCOMPLETE,
    FLOW_PROGRESS,
    RUN_REFUSED,
    RUN_STOPPED,
)
from kmirror.runtime.driver import Driver, DriverOptions
from kmirror.runtime.supervisor import Outcome
from kmirror.state.status import FlowStatus

_SUMMARY_INTERVAL_S = 60.0
_FRAME_S = 0.5
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
_EXITS = {
    Outcome.STOPPED: Exit.OK,
    Outcome.COMPLETE: Exit.OK,
    Outcome.INCOMPLETE: Exit.INCOMPLETE,
    Outcome.FENCED: Exit.FENCED,
    Outcome.FAILED: Exit.START_FAILED,
}


def run(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    more_clusters: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    clusters: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only the flows into these clusters.", metavar="ALIAS...", show_default=False
        ),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(help="Spark master, such as spark://host:7077. Default: this process."),
    ] = None,
    until_caught_up: Annotated[
        bool, typer.Option("--until-caught-up", help="Copy what is there now, then exit.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Show a live view instead of log lines.")
    ] = False,
    log_level: Annotated[
        LogLevel, typer.Option(help="Lowest level of log lines to write.")
    ] = LogLevel.INFO,
    log_format: Annotated[
        LogFormat, typer.Option(help="Log lines for people, or one JSON object a line.")
    ] = LogFormat.TEXT,
) -> None:
    """
    Mirror every enabled flow of FILE until SIGTERM or Ctrl-C.

    Exit codes: 0 stopped or complete, 2 the file is wrong, 3 could not start or lost Spark,
    4 fenced by a newer driver, 5 --until-caught-up did not copy everything: something is parked,
    not mirrored or does not exist, or it was stopped.
    """
    if sys.flags.optimize:
        raise SystemExit("kmirror does not run under python -O: its assertions guard your data")
    if more_clusters and not clusters:
        raise typer.BadParameter(f"unexpected: {' '.join(more_clusters)}")
    log_for_services(LogLevel.ERROR if live else log_level, log_format)
    # MirrorMaker 2 takes several aliases after one --clusters.
    config, problems = examine_or_exit(file, [*(clusters or ()), *(more_clusters or ())])
    if problems and not any(flow.looks_inside_records for flow in config.flows):
        emit(RUN_REFUSED, error=ConfigError(problems, config.warnings))
        raise SystemExit(Exit.CONFIG)
    if not problems:
        _tell(config)
    # What is read again and again, such as the offsets of groups, holds no cycles; looking for them
    # as often as by default took half of the time.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    options = DriverOptions(master=master, until_caught_up=until_caught_up)
    raise SystemExit(_drive(config, problems, options, live=live))


def _tell(config: MirrorConfig) -> None:
    for warning in config.warnings:
        emit(
            CONFIG_DOUBTFUL,
            line=str(warning),
            place=warning.where,
            key=warning.key,
            expected=warning.expected,
        )
    if config.inactive_keys:
        emit(CONFIG_INACTIVE, keys=config.inactive_keys)
    for flow in config.flows:
        emit(
            FLOW_CONFIGURED,
            flow=flow.flow,
            guarantee="exactly once" if flow.exactly_once else "at least once",
            granularity=flow.granularity_text,
            patterns=flow.topics,
        )


def _drive(
    config: MirrorConfig, problems: tuple[Problem, ...], options: DriverOptions, *, live: bool
) -> Exit:
    """Create the driver and run it; until it exists, a signal simply ends the process."""
    on_signal(_give_up)
    try:
        driver = Driver(config, options, clock=SystemClock())
        if problems:
            # One report for all: what is wrong in the SQL, only Spark can say.
            problems = by_line([*problems, *driver.check_sql()])
    except KeyboardInterrupt:
        emit(RUN_STOPPED)
        return Exit.OK
    except EnvironmentProblem as error:
        emit(RUN_REFUSED, error=error)
        if not problems:
            return Exit.START_FAILED
    if problems:
        emit(RUN_REFUSED, error=ConfigError(problems, config.warnings))
        return Exit.CONFIG
    stop = threading.Event()
    on_signal(lambda _: stop.set())
    return _exit_of(driver, stop, live=live)


def _give_up(_number: int) -> NoReturn:
    raise KeyboardInterrupt


def _exit_of(driver: Driver, stop: threading.Event, *, live: bool) -> Exit:
    """Run the driver in a thread; the main thread keeps the signals and the view."""
    result: list[Exit] = []

    def work() -> None:
        try:
            result.append(_EXITS[driver.run(stop)])
        except ConfigError as error:
            emit(RUN_REFUSED, error=error)
            result.append(Exit.CONFIG)
        except (EnvironmentProblem, JvmLost) as error:
            emit(RUN_REFUSED, error=error)
            result.append(Exit.START_FAILED)

    thread = threading.Thread(target=work, name="kmirror-driver")
    thread.start()
    if live:
        watch_live(driver, thread)
    else:
        _watch_quietly(driver, thread)
    # An exception that nobody foresaw has printed its trace in the thread.
    return result[0] if result else Exit.START_FAILED


def watch_live(driver: Driver, thread: threading.Thread) -> None:
    """Draw the flows until *thread* ends."""
    view = FlowsView()
    with Live(console=Console(), auto_refresh=False) as display:
        while thread.is_alive():
            display.update(view.render(driver.status()), refresh=True)
            thread.join(_FRAME_S)
        display.update(view.render(driver.status()), refresh=True)


def _watch_quietly(driver: Driver, thread: threading.Thread) -> None:
    """Log the flows' state once a minute, and at the end what they have copied."""
    view, clock = FlowsView(), SystemClock()
    told_s = clock.monotonic_s()
    while thread.is_alive():
        thread.join(_FRAME_S)
        due = clock.monotonic_s() - told_s >= _SUMMARY_INTERVAL_S
        for status in driver.status():
            records_per_s, bytes_per_s = view.rates(status)
            if due:
                emit(
                    FLOW_PROGRESS,
                    flow=status.flow,
                    state=status.state.value,
                    status=status.words,
                    records_per_s=records_per_s,
                    bytes_per_s=bytes_per_s,
                    lag_records=status.lag_records,
                )
        if due:
            told_s = clock.monotonic_s()
    for status in driver.status():
        _tell_end(status)


def _tell_end(status: FlowStatus) -> None:
    """Log what was copied, and what of the selection was not."""
    emit(FLOW_COPIED, flow=status.flow, records=status.records, bytes=status.bytes)
    left = () if status.coverage is None else status.coverage.words
    if left and not status.topics:
        left = (f"nothing was copied, because {'; '.join(left)}",)
    for words in left:
        emit(FLOW_INCOMPLETE, flow=status.flow, reason=words)

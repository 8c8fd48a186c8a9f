"""`kmirror run`: MirrorMaker 2's driver."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.live import Live

from kmirror.cli.daemon import IsDaemon, LogFile, PidFile, in_background
from kmirror.cli.ending import on_hangup, on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, examine_or_exit, read_file
from kmirror.cli.logs import FormatOption, LevelOption, LogFormat, LogLevel, log_for_services
from kmirror.cli.metrics import MetricsListen, metrics_of
from kmirror.cli.servers import Servers
from kmirror.cli.terminal import check_folder
from kmirror.cli.view import FlowsView
from kmirror.clock import SystemClock
from kmirror.config.entry import by_line
from kmirror.config.load import MirrorConfig
from kmirror.config.metrics import MetricsConfig
from kmirror.config.worker import WorkerConfig
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
from kmirror.runtime.host_launch import HostLaunch
from kmirror.runtime.host_options import DriverOptions, driver_host
from kmirror.runtime.supervisor import Outcome
from kmirror.state.status import FlowStatus

if TYPE_CHECKING:
    from kmirror.runtime.driver import Driver

_SUMMARY_INTERVAL_S = 60.0
_FRAME_S = 0.5
# What is read again and again, such as the offsets of groups, holds no cycles; looking for them as
# often as by default took half of the time.
OBJECTS_BETWEEN_COLLECTIONS = 50_000
_EXITS = {
    Outcome.STOPPED: Exit.OK,
    Outcome.COMPLETE: Exit.OK,
    Outcome.INCOMPLETE: Exit.INCOMPLETE,
    Outcome.FENCED: Exit.FENCED,
    Outcome.FAILED: Exit.START_FAILED,
}

Master = Annotated[
    str | None, typer.Option(help="Spark master, such as spark://host:7077. Default: this process.")
]


def run(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    more_clusters: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    clusters: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only the flows into these clusters.", metavar="ALIAS...", show_default=False
        ),
    ] = None,
    master: Master = None,
    until_caught_up: Annotated[
        bool, typer.Option("--until-caught-up", help="Copy what is there now, then exit.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Show a live view instead of log lines.")
    ] = False,
    metrics_listen: MetricsListen = None,
    daemon: IsDaemon = False,
    pid_file: PidFile = None,
    log_file: LogFile = None,
    record: Annotated[
        Path | None,
        typer.Option(
            help="Write what the run does into this file, once a minute and in the end, for "
            "`kmirror report`."
        ),
    ] = None,
    log_level: LevelOption = LogLevel.INFO,
    log_format: FormatOption = LogFormat.TEXT,
) -> None:
    """
    Mirror every enabled flow of FILE until SIGTERM or Ctrl-C; SIGHUP reloads FILE.

    Exit codes: 0 stopped or complete, 2 the file is wrong, 3 could not start, lost Spark or a flow
    failed, 4 fenced by a newer driver, 5 --until-caught-up did not copy everything: something is
    parked, paused, not mirrored or does not exist, or it was stopped.
    """
    refuse_optimized()
    if more_clusters and not clusters:
        raise typer.BadParameter(f"unexpected: {' '.join(more_clusters)}")
    check_folder(record)
    log_for_services(LogLevel.ERROR if live else log_level, log_format)
    # MirrorMaker 2 takes several aliases after one --clusters.
    wanted = [*(clusters or ()), *(more_clusters or ())]
    config, problems = examine_or_exit(file, wanted)
    if problems and not any(flow.looks_inside_records for flow in config.flows):
        emit(RUN_REFUSED, error=ConfigError(problems, config.warnings))
        raise SystemExit(Exit.CONFIG)
    metrics = metrics_of(config.metrics, metrics_listen)
    if daemon and live:
        raise typer.BadParameter("--live is for a terminal, which --daemon has none of")
    with in_background(daemon, file.parent, file.stem, pid_file, log_file) as begun:
        if not problems:
            _tell(config)
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
        options = DriverOptions(master=master, until_caught_up=until_caught_up)
        read = partial(read_file, file, wanted)
        show = partial(_drive, begun=begun, record=record, live=live)
        raise SystemExit(show(config, problems, options, read, metrics))


def refuse_optimized() -> None:
    """End a process whose assertions are left out."""
    if sys.flags.optimize:
        raise SystemExit("kmirror does not run under python -O: its assertions guard your data")


def tell_doubts(config: MirrorConfig | WorkerConfig) -> None:
    """Log what is doubtful in a file, and what of it has no effect."""
    tell_warnings(config.warnings)
    if config.inactive_keys:
        emit(CONFIG_INACTIVE, keys=config.inactive_keys)


def tell_warnings(warnings: Iterable[Problem]) -> None:
    """Log what is doubtful."""
    for warning in warnings:
        emit(
            CONFIG_DOUBTFUL,
            line=str(warning),
            place=warning.where,
            key=warning.key,
            expected=warning.expected,
        )


def _tell(config: MirrorConfig) -> None:
    tell_doubts(config)
    for flow in config.flows:
        emit(
            FLOW_CONFIGURED,
            flow=flow.flow,
            guarantee="exactly once" if flow.exactly_once else "at least once",
            granularity=flow.granularity_text,
            patterns=flow.topics,
        )


def _drive(
    config: MirrorConfig,
    problems: tuple[Problem, ...],
    options: DriverOptions,
    read: Callable[[], MirrorConfig],
    metrics: MetricsConfig,
    *,
    begun: Callable[[], None],
    record: Path | None,
    live: bool,
) -> Exit:
    """Create the driver and run it; until it exists, a signal simply ends the process."""
    on_signal(give_up)
    try:
        # A port that is taken is known before Spark starts.
        servers = Servers(metrics, config.console)
        driver = _launched(config, options, read)
        if problems:
            # One report for all: what is wrong in the SQL, only Spark can say.
            problems = by_line([*problems, *driver.check_sql()])
    except KeyboardInterrupt:
        emit(RUN_STOPPED)
        # A copy that was stopped before it began is none either.
        return Exit.INCOMPLETE if options.until_caught_up else Exit.OK
    except ConfigError as error:
        emit(RUN_REFUSED, error=error)
        return Exit.CONFIG
    except EnvironmentProblem as error:
        emit(RUN_REFUSED, error=error)
        if not problems:
            return Exit.START_FAILED
    if problems:
        emit(RUN_REFUSED, error=ConfigError(problems, config.warnings))
        return Exit.CONFIG
    stop = threading.Event()
    on_signal(lambda _: stop.set())
    on_hangup(driver.reload)
    begun()
    from kmirror.cli.observing import observed  # noqa: PLC0415 - see `_launched`

    with observed(servers, driver, record):
        return _exit_of(driver, stop, live=live)


def _launched(
    config: MirrorConfig, options: DriverOptions, read: Callable[[], MirrorConfig]
) -> Driver:
    """Return the driver; its JVM starts while it is loaded."""
    with ExitStack() as undo:
        launch = HostLaunch(driver_host(config, options))
        undo.callback(launch.spark.close)
        # The JVM does not wait for what runs on it.
        from kmirror.runtime.driver import Driver  # noqa: PLC0415

        driver = Driver(config, options, launch, read=read, clock=SystemClock())
        undo.pop_all()
    return driver


def give_up(_number: int) -> NoReturn:
    """End a process that has nothing to put in order yet: what a signal does at first."""
    raise KeyboardInterrupt


def _exit_of(driver: Driver, stop: threading.Event, *, live: bool) -> Exit:
    """Run the driver, and show what it does."""

    def work() -> Exit:
        try:
            return _EXITS[driver.run(stop)]
        except ConfigError as error:
            emit(RUN_REFUSED, error=error)
            return Exit.CONFIG
        except (EnvironmentProblem, JvmLost) as error:
            emit(RUN_REFUSED, error=error)
            return Exit.START_FAILED

    watch = partial(watch_live, driver) if live else partial(watch_quietly, driver.status)
    return run_watched(work, watch, name="kmirror-driver")


def run_watched(
    work: Callable[[], Exit], watch: Callable[[threading.Thread], None], *, name: str
) -> Exit:
    """
    Run something in a thread; the main thread keeps the signals and the view.

    Args:
        work: Gives the exit code.
        watch: Is given the thread, and returns when that has ended.
        name: Of the thread.
    """
    result: list[Exit] = []
    thread = threading.Thread(target=lambda: result.append(work()), name=name)
    thread.start()
    watch(thread)
    # An exception that nobody foresaw has printed its trace in the thread.
    return result[0] if result else Exit.START_FAILED


def watch_live(driver: Driver, thread: threading.Thread) -> None:
    """Draw the flows until *thread* ends."""
    view = FlowsView()
    with Live(console=Console(), auto_refresh=False) as display:
        while thread.is_alive():
            found = {each.board.status.flow: each.bottlenecks() for each in driver.host.observed()}
            display.update(view.render(driver.status(), found), refresh=True)
            thread.join(_FRAME_S)
        display.update(view.render(driver.status()), refresh=True)


def watch_quietly(statuses: Callable[[], tuple[FlowStatus, ...]], thread: threading.Thread) -> None:
    """
    Log flows' state once a minute, and at the end what they have copied.

    Args:
        statuses: Gives them.
        thread: Runs them; this returns when it has ended.
    """
    view, clock = FlowsView(), SystemClock()
    told_s = clock.monotonic_s()
    while thread.is_alive():
        thread.join(_FRAME_S)
        due = clock.monotonic_s() - told_s >= _SUMMARY_INTERVAL_S
        for status in statuses():
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
    for status in statuses():
        _tell_end(status)


def _tell_end(status: FlowStatus) -> None:
    """Log what was copied, and what of the selection was not."""
    emit(FLOW_COPIED, flow=status.flow, records=status.records, bytes=status.bytes)
    left = () if status.coverage is None else status.coverage.words
    if left and not status.topics:
        left = (f"nothing was copied, because {'; '.join(left)}",)
    for words in left:
        emit(FLOW_INCOMPLETE, flow=status.flow, reason=words)

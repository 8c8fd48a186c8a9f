"""`kmirror connect`: a worker of Kafka Connect that has MirrorMaker 2's connectors."""

from __future__ import annotations

import gc
import os
import threading
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.ending import on_hangup, on_signal, taking_no_signals
from kmirror.cli.exits import Exit
from kmirror.cli.logs import FormatOption, LevelOption, LogFormat, LogLevel, log_for_services
from kmirror.cli.metrics import MetricsListen, metrics_of
from kmirror.cli.run import (
    OBJECTS_BETWEEN_COLLECTIONS,
    Master,
    give_up,
    refuse_optimized,
    run_watched,
    tell_doubts,
    watch_quietly,
)
from kmirror.cli.servers import Servers
from kmirror.clock import SystemClock
from kmirror.config.connector_file import ConnectorFile, read_connector_file
from kmirror.config.metrics import MetricsConfig
from kmirror.config.worker import WorkerConfig, load_worker
from kmirror.connect.process import ConnectOptions, ConnectProcess
from kmirror.errors import ConfigError, JvmLost, MirrorError, RequestRefused
from kmirror.events.emit import emit
from kmirror.events.table import RUN_REFUSED, RUN_STOPPED
from kmirror.runtime.supervisor import Outcome
from kmirror.server.service import RestServer


def connect(  # noqa: PLR0917 - the parameters are the command line
    file: Annotated[
        Path, typer.Argument(help="The worker's file, such as connect-distributed.properties.")
    ],
    connectors: Annotated[
        list[Path] | None,
        typer.Argument(help="With --standalone: files of connectors, properties or JSON."),
    ] = None,
    standalone: Annotated[
        bool,
        typer.Option("--standalone", help="A worker without a group: connectors are in memory."),
    ] = False,
    master: Master = None,
    metrics_listen: MetricsListen = None,
    log_level: LevelOption = LogLevel.INFO,
    log_format: FormatOption = LogFormat.TEXT,
) -> None:
    """
    Run MirrorMaker 2's connectors as a worker of Kafka Connect does, until SIGTERM or Ctrl-C.

    Workers with one group.id share the flows. Connectors are made, changed and watched over
    Connect's REST API:

    curl -X POST -H 'Content-Type: application/json' -d @source.json localhost:8083/connectors

    With kmirror.console in its file it serves the console of the flows that it runs.

    Exit codes: 0 stopped, 2 a file is wrong, 3 could not start or lost Spark.
    """
    refuse_optimized()
    if connectors and not standalone:
        raise typer.BadParameter("files of connectors need --standalone; others come over REST")
    log_for_services(log_level, log_format)
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        config = load_worker(file, environ=os.environ, standalone=standalone)
        files = [read_connector_file(each) for each in connectors or ()]
    except ConfigError as error:
        emit(RUN_REFUSED, error=error)
        raise SystemExit(Exit.CONFIG) from error
    tell_doubts(config)
    metrics = metrics_of(config.metrics, metrics_listen)
    raise SystemExit(_serve(config, files, master, metrics))


def _serve(
    config: WorkerConfig, files: list[ConnectorFile], master: str | None, metrics: MetricsConfig
) -> Exit:
    """Serve, and run the worker; until it exists, a signal simply ends the process."""
    on_signal(give_up)
    try:
        server = RestServer(config.server, SystemClock())
        # Whoever asks meanwhile is told that the worker is starting.
        with taking_no_signals():
            server.begin()
    except KeyboardInterrupt:
        emit(RUN_STOPPED)
        return Exit.OK
    except MirrorError as error:
        return _refuse(error)
    try:
        return _work(config, files, master, metrics, server)
    finally:
        server.stop(timeout_s=1.0)


def _work(
    config: WorkerConfig,
    files: list[ConnectorFile],
    master: str | None,
    metrics: MetricsConfig,
    server: RestServer,
) -> Exit:
    """Make the worker, and run it."""
    try:
        # A port that is taken is known before Spark starts.
        servers = Servers(metrics, config.console)
        options = ConnectOptions(worker_id=server.worker_id, master=master)
        process = ConnectProcess(config, options, SystemClock())
        process.create(files)
    except KeyboardInterrupt:
        emit(RUN_STOPPED)
        return Exit.OK
    except MirrorError as error:
        return _refuse(error)
    server.serve(process.herder)
    stop = threading.Event()
    on_signal(lambda _: stop.set())
    # A worker's file is read once; a terminal that hangs up is no reason to end.
    on_hangup(lambda: None)
    read = partial(load_worker, config.path, environ=os.environ, standalone=config.standalone)
    with servers.serving_worker(process, read):
        return _run(process, stop)


def _refuse(error: MirrorError) -> Exit:
    emit(RUN_REFUSED, error=error)
    is_theirs = isinstance(error, (ConfigError, RequestRefused))
    return Exit.CONFIG if is_theirs else Exit.START_FAILED


def _run(process: ConnectProcess, stop: threading.Event) -> Exit:
    """Run the worker, and tell what it does."""

    def work() -> Exit:
        try:
            outcome = process.run(stop)
        except (MirrorError, JvmLost) as error:
            emit(RUN_REFUSED, error=error)
            return Exit.START_FAILED
        return Exit.START_FAILED if outcome is Outcome.FAILED else Exit.OK

    return run_watched(work, partial(watch_quietly, process.status), name="kmirror-connect")

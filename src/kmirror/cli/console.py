"""`kmirror console`: look at flows in a browser, from any machine, without driving them."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from kmirror.cli.addresses import listener
from kmirror.cli.ending import on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit, read_file
from kmirror.cli.logs import FormatOption, LevelOption, LogFormat, LogLevel, log_for_services
from kmirror.clock import SystemClock
from kmirror.config.console import ConsoleConfig
from kmirror.config.load import MirrorConfig
from kmirror.errors import ConfigError, EnvironmentProblem
from kmirror.events.emit import emit
from kmirror.events.table import RUN_REFUSED

DEFAULT_ADDRESS = "127.0.0.1:8089"
_LISTEN = "--listen"


def console(
    file: File,
    listen: Annotated[
        str | None,
        typer.Option(
            _LISTEN,
            help="Serve it there. Default: kmirror.console of FILE, or 127.0.0.1:8089.",
            metavar="HOST:PORT",
            show_default=False,
        ),
    ] = None,
    log_level: LevelOption = LogLevel.INFO,
    log_format: FormatOption = LogFormat.TEXT,
) -> None:
    """
    Serve a console for the flows of FILE, from what their clusters know, until SIGTERM or Ctrl-C.

    It drives nothing, and fills gaps of the offset map at most, so it runs on any machine that
    reaches the clusters. The console of the driver itself (kmirror.console of FILE) knows more, and
    gives orders.

    Exit codes: 0 stopped, 2 the file is wrong, 3 it cannot listen there.
    """
    # Only who serves pages needs to wait for what draws and fills them.
    from kmirror.console.opened import console_of_file  # noqa: PLC0415
    from kmirror.server.console_server import ConsoleServer  # noqa: PLC0415

    log_for_services(log_level, log_format)
    config = load_or_exit(file)
    stop = threading.Event()
    on_signal(lambda _: stop.set())
    clock = SystemClock()
    try:
        server = ConsoleServer(_served(config, listen), clock)
        with console_of_file(config, clock, read=partial(read_file, file)) as found:
            try:
                server.start(found)
                stop.wait()
            finally:
                server.stop()
    except (ConfigError, EnvironmentProblem) as error:
        emit(RUN_REFUSED, error=error)
        code = Exit.CONFIG if isinstance(error, ConfigError) else Exit.START_FAILED
        raise SystemExit(code) from error


def _served(config: MirrorConfig, listen: str | None) -> ConsoleConfig:
    """Return where it is served: the command line comes first."""
    if listen is None and config.console.listener is not None:
        return config.console
    return replace(config.console, listener=listener(_LISTEN, listen or DEFAULT_ADDRESS))

"""`kmirror resolve`: tells applications in any language where they work."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated

import typer

from kmirror.apps.home_watch import HomeWatch
from kmirror.apps.logical import LogicalTopics
from kmirror.cli.addresses import listener
from kmirror.cli.ending import on_hangup, on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, read_file
from kmirror.cli.logs import FormatOption, LevelOption, LogFormat, LogLevel, log_for_services
from kmirror.cli.run import give_up, tell_doubts
from kmirror.clock import Clock, SystemClock
from kmirror.config.load import MirrorConfig
from kmirror.errors import ConfigError, EnvironmentProblem
from kmirror.events.emit import emit
from kmirror.events.table import RUN_REFUSED, RUN_STOPPED
from kmirror.server.resolver.service import ResolverOptions, ResolverServer

# A cluster that does not answer delays the news of another one by so long.
_TIMEOUT_S = 5.0
_FOR_EVER_S = 3600.0


def resolve(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    listen: Annotated[
        str, typer.Option(help="Where to answer.", metavar="HOST:PORT")
    ] = "127.0.0.1:8090",
    region: Annotated[
        list[str] | None,
        typer.Option(
            help="Only for applications of this cluster; may be repeated. Default: of all.",
            metavar="ALIAS",
            show_default=False,
        ),
    ] = None,
    users: Annotated[
        Path | None,
        typer.Option(help="Who may ask: a file with lines of `kmirror user`. Default: everybody."),
    ] = None,
    log_level: LevelOption = LogLevel.INFO,
    log_format: FormatOption = LogFormat.TEXT,
) -> None:
    """
    Tell applications where their topics are now, until SIGTERM or Ctrl-C: REST, and SSE for
    changes.

    A region is a cluster of FILE. Its applications work there, and on the other cluster while
    `kmirror failover` or `promote` holds a flow out of it:

    curl localhost:8090/regions/main/topics/orders

    curl -N 'localhost:8090/regions/main/events?topic=orders'

    Exit codes: 0 stopped, 2 the file is wrong, 3 could not listen.
    """
    log_for_services(log_level, log_format)
    options = ResolverOptions(listener=listener("--listen", listen), users_file=users)
    try:
        config = read_file(file)
    except (ConfigError, EnvironmentProblem) as error:
        emit(RUN_REFUSED, error=error)
        code = Exit.CONFIG if isinstance(error, ConfigError) else Exit.START_FAILED
        raise SystemExit(code) from error
    tell_doubts(config)
    regions = tuple(dict.fromkeys(region or [each.alias for each in config.clusters]))
    raise SystemExit(_serve(config, regions, options, SystemClock()))


def _serve(
    config: MirrorConfig, regions: tuple[str, ...], options: ResolverOptions, clock: Clock
) -> Exit:
    """Serve until a signal comes; until then a signal simply ends the process."""
    on_signal(give_up)
    try:
        topics = {
            each: LogicalTopics(config, region=each, timeout_s=_TIMEOUT_S) for each in regions
        }
        server = ResolverServer(options, clock)
        watches = [HomeWatch(of, each, clock, server.tell) for each, of in topics.items()]
        server.start(watches)
    except KeyboardInterrupt:
        emit(RUN_STOPPED)
        return Exit.OK
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--region") from error
    except ConfigError as error:
        emit(RUN_REFUSED, error=error)
        return Exit.CONFIG
    except EnvironmentProblem as error:
        emit(RUN_REFUSED, error=error)
        return Exit.START_FAILED
    stop = threading.Event()
    on_signal(lambda _: stop.set())
    # The file is read once; a terminal that hangs up is no reason to end.
    on_hangup(lambda: None)
    for watch in watches:
        watch.start()
    while not clock.wait(stop, _FOR_EVER_S):
        pass
    server.stop()
    for watch in watches:
        watch.close()
    emit(RUN_STOPPED)
    return Exit.OK

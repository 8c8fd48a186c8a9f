"""`kmirror mm1`: MirrorMaker 1's command line."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from kmirror.cli.daemon import IsDaemon, LogFile, PidFile, in_background
from kmirror.cli.ending import on_hangup_end, on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.logs import FormatOption, LevelOption, LogFormat, LogLevel, log_for_services
from kmirror.cli.run import give_up, refuse_optimized, run_watched, tell_warnings
from kmirror.cli.terminal import refuse
from kmirror.clock import SystemClock
from kmirror.errors import ConfigError, EnvironmentProblem, JvmLost, PipelineError
from kmirror.events.emit import emit
from kmirror.events.table import RUN_REFUSED, RUN_STOPPED
from kmirror.mm1.config import CommandProblem, Mm1Command, Mm1Config, read_command
from kmirror.mm1.mirror import Mm1, Mm1Outcome

_FRAME_S = 0.5
_EXITS = {Mm1Outcome.STOPPED: Exit.OK, Mm1Outcome.DIED: Exit.STREAM_DIED}


def _option(name: str, words: str, **more: Any) -> Any:
    return typer.Option(name, help=words, show_default=False, **more)


def _refused(name: str) -> Any:
    return typer.Option(f"--{name}", hidden=True)


Consumer = Annotated[
    Path | None, _option("--consumer.config", "The source's consumer: a properties file.")
]
Producer = Annotated[
    Path | None, _option("--producer.config", "The target's producer: a properties file.")
]
Include = Annotated[
    str | None, _option("--include", "The topics to copy: a Java regex; commas are alternatives.")
]
Whitelist = Annotated[
    str | None, _option("--whitelist", "The old name of --include, which counts before it.")
]
Streams = Annotated[
    int, typer.Option("--num.streams", min=1, help="Members of the group in this process.")
]
CommitInterval = Annotated[
    int, typer.Option("--offset.commit.interval.ms", min=0, help="Time between two commits, ms.")
]
Abort = Annotated[
    str,
    typer.Option(
        "--abort.on.send.failure",
        help="End when a record cannot be sent; with false, go on without it.",
    ),
]
NewConsumer = Annotated[
    bool, typer.Option("--new.consumer", help="Has no effect: there is no other.")
]


def mm1(  # noqa: PLR0917 - the parameters are the command line
    consumer: Consumer = None,
    producer: Producer = None,
    include: Include = None,
    whitelist: Whitelist = None,
    streams: Streams = 1,
    commit_interval_ms: CommitInterval = 60_000,
    abort: Abort = "true",
    _new_consumer: NewConsumer = False,
    message_handler: Annotated[str | None, _refused("message.handler")] = None,
    message_handler_args: Annotated[str | None, _refused("message.handler.args")] = None,
    consumer_listener: Annotated[str | None, _refused("consumer.rebalance.listener")] = None,
    listener: Annotated[str | None, _refused("rebalance.listener")] = None,
    listener_args: Annotated[str | None, _refused("rebalance.listener.args")] = None,
    blacklist: Annotated[str | None, _refused("blacklist")] = None,
    daemon: IsDaemon = False,
    pid_file: PidFile = None,
    log_file: LogFile = None,
    log_level: LevelOption = LogLevel.INFO,
    log_format: FormatOption = LogFormat.TEXT,
) -> None:
    """
    Copy topics as MirrorMaker 1 does, by its command line and its two files, until SIGTERM.

    Topics keep their names. Offsets are those of the consumer group of --consumer.config, on the
    source; several instances share the group. At least once: records are flushed, then committed.

    Exit codes: 0 stopped in good order, 1 the command line lacks something, 2 a file is wrong,
    3 could not start, 255 a stream died.
    """
    refuse_optimized()
    refused = {
        "message.handler": message_handler,
        "message.handler.args": message_handler_args,
        "consumer.rebalance.listener": consumer_listener,
        "rebalance.listener": listener,
        "rebalance.listener.args": listener_args,
        "blacklist": blacklist,
    }
    command = Mm1Command(
        consumer=consumer,
        producer=producer,
        include=whitelist if include is None else include,
        streams=streams,
        commit_interval_ms=commit_interval_ms,
        abort_on_send_failure=abort,
        refused=tuple((name, text) for name, text in refused.items() if text is not None),
    )
    config = _read_or_exit(command)
    assert consumer is not None, "read before"
    name = f"mm1-{_file_name(config.group)}"
    with in_background(daemon, consumer.parent, name, pid_file, log_file) as begun:
        log_for_services(log_level, log_format)
        tell_warnings(config.warnings)
        raise SystemExit(_run(config, begun))


def _read_or_exit(command: Mm1Command) -> Mm1Config:
    try:
        return read_command(command)
    except CommandProblem as problem:
        refuse(str(problem), Exit.DIFFERENT)
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.CONFIG) from error


def _file_name(group: str) -> str:
    return "".join(char if char.isalnum() or char in "._-" else "_" for char in group)


def _run(config: Mm1Config, begun: Callable[[], None]) -> Exit:
    """Run it; until it exists, a signal simply ends the process."""
    on_signal(give_up)
    try:
        mirror = Mm1(config, SystemClock())
    except KeyboardInterrupt:
        emit(RUN_STOPPED)
        return Exit.OK
    except EnvironmentProblem as error:
        emit(RUN_REFUSED, error=error)
        return Exit.START_FAILED
    stop = threading.Event()
    on_signal(lambda _: stop.set())
    # MirrorMaker 1 ends in good order, too, when its terminal hangs up.
    on_hangup_end(lambda _: stop.set())
    begun()

    def work() -> Exit:
        try:
            with mirror:
                return _EXITS[mirror.run(stop)]
        except ConfigError as error:
            emit(RUN_REFUSED, error=error)
            return Exit.CONFIG
        except EnvironmentProblem as error:
            emit(RUN_REFUSED, error=error)
            return Exit.START_FAILED
        except (JvmLost, PipelineError) as error:
            emit(RUN_REFUSED, error=error)
            return Exit.STREAM_DIED

    def watch(thread: threading.Thread) -> None:
        while thread.is_alive():
            thread.join(_FRAME_S)

    return run_watched(work, watch, name="kmirror-mm1")

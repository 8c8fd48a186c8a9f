"""`--daemon`: the options, and what the one who starts a process in the background is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from kmirror.cli.ending import exit_code
from kmirror.cli.exits import Exit
from kmirror.cli.terminal import refuse
from kmirror.errors import EnvironmentProblem
from kmirror.runtime.daemon import DaemonFiles, adopt, launch

_LAST_LINES = 10
_LAST_BYTES = 8_192

IsDaemon = Annotated[
    bool,
    typer.Option(
        "--daemon", help="Run in the background; returns when Spark has started, or says why not."
    ),
]
PidFile = Annotated[
    Path | None,
    typer.Option(
        "--pid-file",
        help="With --daemon: the file with its process number. A second start is refused while "
        "that process lives.",
        show_default=False,
    ),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log-file", help="With --daemon: the file that its log is added to.", show_default=False
    ),
]


@contextmanager
def in_background(
    wanted: bool, place: Path, name: str, pid_file: Path | None, log_file: Path | None
) -> Iterator[Callable[[], None]]:
    """
    Start this command again in the background, and end; or go on as the one that was started.

    Enter it when the command line is known to be right and before there are clients. The block is
    the process's life; it calls what it is given when it has begun.

    Args:
        wanted: `--daemon`.
        place: The folder of its files where the command line names none.
        name: What they are called there, without `.pid` and `.log`.
        pid_file: `--pid-file`.
        log_file: `--log-file`.
    """
    if not wanted:
        if pid_file is not None or log_file is not None:
            raise typer.BadParameter("--pid-file and --log-file are for --daemon")
        yield lambda: None
        return
    adopted = adopt()
    if adopted is None:
        pid, log = pid_file or place / f"{name}.pid", log_file or place / f"{name}.log"
        _launch(DaemonFiles(pid=pid, log=log))
    try:
        yield adopted.has_begun
    finally:
        adopted.end()


def _launch(files: DaemonFiles) -> NoReturn:
    """Start it, and end with what became of it."""
    try:
        launched = launch(sys.argv[1:], files)
    except EnvironmentProblem as error:
        refuse(str(error), Exit.START_FAILED)
    code = launched.exit_code
    if code is None:
        print(f"process {launched.pid} runs in the background; its log is {files.log}")
        raise SystemExit(Exit.OK)
    print(_end_of(files.log), file=sys.stderr)
    raise SystemExit(code if code >= 0 else exit_code(-code))


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LAST_BYTES))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join((f"it ended; the end of {log}:", *lines[-_LAST_LINES:]))

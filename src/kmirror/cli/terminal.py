"""What commands read from and write to a terminal in the same way."""

from __future__ import annotations

import getpass
import os
import platform
import sys
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console

from kmirror.cli.exits import Exit
from kmirror.policy.regex import NamePattern, RegexProblem, compile_any

_PIPE_COLUMNS = 160


def wide_console() -> Console:
    """Return standard output; lines do not break unless it is a terminal."""
    is_known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if is_known else _PIPE_COLUMNS)


def pattern(option: str, text: str | None) -> NamePattern | None:
    """
    Read a regular expression that an option gave: one of Java's, like those of the file.

    Raises:
        typer.BadParameter: It is none.
    """
    try:
        return None if text is None else compile_any((text,))
    except RegexProblem as error:
        raise typer.BadParameter(f"{option} {text}: {error}") from error


def who() -> str:
    """Name whoever types, for others to read."""
    return f"{getpass.getuser()}@{platform.node()}"


def complain(words: str) -> None:
    """Say on standard error what is wrong."""
    out = Console(stderr=True)
    out.print(words, style="red", markup=False, highlight=False, soft_wrap=True)


def check_folder(path: Path | None) -> None:
    """Exit, before anything is done, if a file that is wanted in the end has no folder."""
    if path is not None and not path.parent.is_dir():
        refuse(f"{path}: there is no folder {path.parent}", Exit.START_FAILED)


def refuse(reason: str, code: int = 1) -> NoReturn:
    """End with one sentence on standard error, and an exit code."""
    complain(reason)
    raise typer.Exit(code)

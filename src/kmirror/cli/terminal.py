"""What commands read from and write to a terminal in the same way."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer
from rich.console import Console

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


def complain(words: str) -> None:
    """Say on standard error what is wrong."""
    out = Console(stderr=True)
    out.print(words, style="red", markup=False, highlight=False, soft_wrap=True)


def refuse(reason: str, code: int = 1) -> NoReturn:
    """End with one sentence on standard error, and an exit code."""
    complain(reason)
    raise typer.Exit(code)

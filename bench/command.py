"""What the benchmark's commands begin with."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from typing import TypeVar

import typer
from kmirror_lab.jars import KAFKA

from kmirror.jvm import CLIENTS, connector_jar, jar_folder
from kmirror.pipeline.class_archive import prepare_archive

_Name = TypeVar("_Name", str, int)
_Item = TypeVar("_Item")


def end_what_was_started() -> None:
    """Have SIGTERM, too, end what was started: as an exception, through every context."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def fetch() -> None:
    """Fetch and build what `make setup` does: it must not count as anybody's start."""
    connector_jar()
    prepare_archive()
    for jars in (CLIENTS, KAFKA):
        jar_folder(jars)


def chosen(
    what: str, asked: Sequence[_Name] | None, known: Mapping[_Name, _Item]
) -> tuple[_Item, ...]:
    """
    Give those that are asked for, or all.

    Args:
        what: What they are, for the message.
        asked: Their names, if any.
        known: What there is, by name.

    Raises:
        typer.BadParameter: There is none of a name.
    """
    if unknown := sorted(set(asked or ()) - set(known)):
        words = [", ".join(map(str, names)) for names in (unknown, known)]
        raise typer.BadParameter(f"no {what} {words[0]}; there are {words[1]}")
    return tuple(known[name] for name in asked or known)

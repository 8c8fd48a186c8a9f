"""Read a Connect worker's file, and those of connectors, for a command."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import refuse
from kmirror.config.connect_file import is_worker_file
from kmirror.config.connector_file import read_connector_file
from kmirror.config.connectors import build_flows
from kmirror.config.lines import properties_of, read_text
from kmirror.config.properties import Property
from kmirror.config.worker import load_worker
from kmirror.errors import ConfigError
from kmirror.inspect.worker_check import WorkerFiles

Connectors = Annotated[
    list[Path] | None,
    typer.Argument(help="With a Connect worker's file: files of connectors."),
]


def is_of_worker(file: Path, connectors: Sequence[Path] | None) -> bool:
    """
    Tell whether a file is that of a Connect worker, as far as its keys say so.

    Raises:
        BadParameter: It is none, and there are files of connectors behind it.
    """
    of_worker = is_worker_file(_lines(file), with_connectors=bool(connectors))
    if connectors and not of_worker:
        raise typer.BadParameter("files of connectors go with a Connect worker's file")
    return of_worker


def worker_or_exit(file: Path, connectors: Sequence[Path]) -> WorkerFiles:
    """Read a worker's file, and those of connectors; exit with all that is wrong in them."""
    standalone = all(line.key != "config.storage.topic" for line in _lines(file))
    try:
        worker = load_worker(file, environ=os.environ, standalone=standalone)
        read = tuple(read_connector_file(each) for each in connectors)
    except ConfigError as error:
        refuse(str(error), Exit.CONFIG)
    built = build_flows({each.name: each.config for each in read}, worker)
    files = WorkerFiles(config=worker, connectors=read, built=built)
    problems = [each for name, found in built.refused.items() for each in files.placed(name, found)]
    if problems:
        refuse(str(ConfigError(tuple(problems))), Exit.CONFIG)
    return files


def _lines(file: Path) -> tuple[Property, ...]:
    """Return the lines of a file; none where reading it will say what is wrong."""
    try:
        return properties_of(file, read_text(file))
    except ConfigError:
        return ()

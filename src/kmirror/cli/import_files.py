"""`kmirror import`: files of another system become an `mm2.properties`, with a report."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.import_view import render
from kmirror.cli.terminal import complain, refuse, wide_console
from kmirror.config.properties import FILE_BYTES_MAX, decode
from kmirror.errors import ConfigError
from kmirror.importers.options import SECRETS_FOLDER, ImportOptions
from kmirror.importers.outcome import Imported
from kmirror.importers.properties_text import properties_text
from kmirror.importers.read_again import settle
from kmirror.importers.setting import SourceFile
from kmirror.importers.systems import IMPORTERS

# The names of the table of importers, as an option's choices.
System = StrEnum("System", {name.upper(): name for name in IMPORTERS})  # type: ignore[misc]

_NAME = "mm2.properties"


def import_files(  # noqa: PLR0917 - the parameters are the command line
    system: Annotated[System, typer.Argument(help="The system that the files are of.")],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Its files; - is standard input.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the properties file here; it must not exist yet."
        ),
    ] = None,
    source: Annotated[
        str, typer.Option(help="The source's alias, for systems that have none.")
    ] = "source",
    target: Annotated[
        str, typer.Option(help="The target's alias, for systems that have none.")
    ] = "target",
    secrets: Annotated[
        str,
        typer.Option(help="The folder where Secrets of Kubernetes are mounted, a folder for each."),
    ] = str(SECRETS_FOLDER),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """
    Make an mm2.properties of another system's files, and say of each key what becomes of it.

    Each setting is equal, different (and how), or not supported (and what to do instead). Without
    --output the properties file is shown, with secret values hidden. It connects to nothing. Exit
    code 5 if something is not supported, 2 if a file is wrong.
    """
    if output is not None and output.exists():
        refuse(f"{output} exists already: --output does not overwrite", Exit.CONFIG)
    options = ImportOptions(source=source, target=target, secrets=PurePosixPath(secrets))
    try:
        draft = IMPORTERS[system.value]([_source_file(file) for file in files], options)
        imported = settle(draft, output or Path(_NAME), options.secrets)
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.CONFIG) from error
    head = f"Made by `kmirror import {system.value}` of {', '.join(map(str, files))}"
    if output is not None:
        _write(output, properties_text(imported.lines, imported.aliases, head))
    shown = properties_text(imported.lines, imported.aliases, head, secrets=False)
    if as_json:
        print(json.dumps(_as_json(imported, files, output)))
    else:
        wide_console().print(render(imported))
        print(f"\n{output} is written" if output is not None else f"\n{shown}", end="")
        print("\n" if output is not None else "", end="")
    raise SystemExit(_exit_code(imported))


def _exit_code(imported: Imported) -> Exit:
    if imported.problems:
        print(ConfigError(imported.problems), file=sys.stderr)
        return Exit.CONFIG
    return Exit.OK if imported.complete else Exit.INCOMPLETE


def _source_file(path: Path) -> SourceFile:
    if str(path) == "-":
        content = sys.stdin.buffer.read(FILE_BYTES_MAX + 1)
        return SourceFile(name="standard input", text=decode(content))
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        complain(f"{path} cannot be read: {error.strerror}")
        raise SystemExit(Exit.CONFIG) from error
    return SourceFile(name=str(path), text=decode(content))


def _write(path: Path, text: str) -> None:
    """Write a file that only its owner reads: it may hold passwords."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        complain(f"{path} cannot be written: {error.strerror}")
        raise SystemExit(Exit.CONFIG) from error


def _as_json(imported: Imported, files: Sequence[Path], output: Path | None) -> dict[str, Any]:
    return {
        "files": list(map(str, files)),
        "output": None if output is None else str(output),
        "settings": [
            {
                "where": each.setting.where,
                "key": each.setting.key,
                "value": each.setting.shown,
                "fate": each.fate.value,
                "lines": list(each.lines),
                "says": each.says,
            }
            for each in imported.outcomes
        ],
        "lines": [
            {
                "key": each.key,
                "value": each.shown,
                "because": each.because,
                "refused": each.refused,
            }
            for each in imported.lines
        ],
        "remarks": list(imported.remarks),
        "problems": list(map(str, imported.problems)),
    }

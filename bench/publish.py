"""`python -m bench.publish results.json`: puts what was measured before into docs/measured.md."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from bench.page import publish
from bench.results import Results
from kmirror.clock import SystemClock


def main(
    files: Annotated[
        list[Path], typer.Argument(help="What `python -m bench` has written.", exists=True)
    ],
) -> None:
    """
    Publish measurements; each group takes the place of an older one with the same title.

    Files together are one measurement, made in pieces: a picture shows what all of them hold.
    """
    found = [_read(file) for file in files]
    if len({each.place for each in found}) > 1:
        raise typer.BadParameter("they were measured in different places: publish each alone")
    publish(found[0].joined(found[1:]), whole=(), clock=SystemClock())


def _read(file: Path) -> Results:
    results = TypeAdapter(Results).validate_json(file.read_text(encoding="utf-8"))
    if results.scale != 1:
        raise typer.BadParameter(f"{file}: a part of the work is no result")
    return results


if __name__ == "__main__":
    typer.run(main)

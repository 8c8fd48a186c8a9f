"""`kmirror report`: what a run did, as a page for a ticket."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.files import load_or_exit
from kmirror.cli.pages import check_page, write_page
from kmirror.cli.terminal import refuse, wide_console
from kmirror.inspect.driver import ask_run
from kmirror.state.run_page import run_page
from kmirror.state.run_record import RunRecord, from_json, to_json
from kmirror.units import utc

_FILE_BYTES_MAX = 200 << 20


def report(
    file: Annotated[
        Path,
        typer.Argument(
            help="MirrorMaker 2's properties file, whose driver runs and serves metrics; or what "
            "`kmirror run --record` wrote."
        ),
    ],
    html: Annotated[
        Path | None, typer.Option(help="Write one self-contained HTML file, with plots.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the run as one JSON object.")
    ] = False,
) -> None:
    """
    Tell what a run did: throughput, latency, lag over time, topics, events.

    Exit codes: 0 told, 2 FILE is wrong, 3 no driver answers, or the page cannot be written.
    """
    if html is None and not as_json:
        raise typer.BadParameter("say --html PAGE, or --json")
    check_page(html)
    record = _read(file)
    if html is not None:
        page = run_page(record)
        write_page(page, html)
        words = f"{html}: {len(record.flows)} flows, {len(record.events)} events"
        wide_console().print(words, markup=False, highlight=False, soft_wrap=True)
    if as_json:
        print(json.dumps(to_json(record)))


def _read(file: Path) -> RunRecord:
    try:
        with file.open("rb") as lines:
            is_run = lines.read(1) == b"{"
    except OSError as error:
        refuse(f"{file}: {error.strerror}", Exit.CONFIG)
    if is_run:
        return _of_file(file)
    config = load_or_exit(file)
    if config.metrics.listener is None:
        refuse(
            f"{file}: there is no kmirror.metrics.listen: nobody can be asked. `kmirror run "
            "--record RUN` writes the run into a file",
            Exit.CONFIG,
        )
    record = ask_run(config.metrics)
    if record is None:
        refuse(
            f"{file}: no driver tells its run at {config.metrics.listener}: it does not run, asks "
            "who calls, or is another version",
            Exit.START_FAILED,
        )
    return record


def _of_file(file: Path) -> RunRecord:
    try:
        if file.stat().st_size > _FILE_BYTES_MAX:
            refuse(f"{file}: too large for a run", Exit.CONFIG)
        record = from_json(json.loads(file.read_text(encoding="utf-8")))
        times = (record.began_ms, record.at_ms)
        if None in map(utc, times):
            raise ValueError(f"times that are none: {times}")
        run_page(record)  # whatever else is not as it should be is met here
        return record
    except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        refuse(f"{file}: expected what `kmirror run --record` wrote: {error!r}", Exit.CONFIG)

"""`kmirror lab duplicates`: run mirrors over bad links, and count duplicates."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import complain, refuse, wide_console
from kmirror.errors import ConfigError, EnvironmentProblem, MirrorError
from kmirror_lab.duplicates import (
    Laboratory,
    Peer,
    Run,
    Scenario,
    find_scenario,
    names,
    read_vary,
    to_json,
    varied,
    with_records,
)
from kmirror_lab.net import Kind, kind_here
from kmirror_lab.net.namespace import why_not

_progress = Console(stderr=True)
_NAME_COLUMNS_MAX = 30


class Peers(StrEnum):
    """Which mirrors are tried."""

    MM2 = "mm2"
    MM1 = "mm1"
    KMIRROR = "kmirror"
    ALL = "all"


def duplicates(
    *,
    peer: Annotated[
        list[Peers] | None, typer.Option(help="A mirror; repeat for more.", show_default="all")
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A scenario, or a file; repeat for more.", show_default="all"
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE,…",
            help="Run each with these values: rate=200kbit,1mbit. Repeat for all combinations.",
        ),
    ] = None,
    records: Annotated[
        int | None,
        typer.Option(min=1, help="Records to write.", show_default="the scenario's"),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Also write the results to this file.")] = None,
    logs: Annotated[
        Path | None, typer.Option(help="Keep the mirrors' logs and files in this folder.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the scenarios.")] = False,
) -> None:
    """
    Run mirrors over bad links, and count what is duplicated, lost, or out of order.

    Each run has its own two clusters with a link between them; it needs root. Exit codes: 0 all as
    expected, 1 something is not, 2 a scenario is wrong, 3 something could not run.
    """
    try:
        found = [find_scenario(name) for name in scenario or names()]
        chosen = list(_varied(found, vary or []))
    except ConfigError as error:
        refuse(str(error), Exit.CONFIG)
    if list_:
        for each in chosen:
            sys.stdout.write(f"{each.name}: {each.says}\n")
        return
    try:
        possible = kind_here() is not Kind.PROXY
    except EnvironmentProblem as error:
        refuse(str(error), Exit.START_FAILED)
    if not possible:
        refuse(f"this needs network namespaces: {why_not()}", Exit.START_FAILED)
    try:
        # A run takes minutes: too long to learn then that its results cannot be kept.
        if json is not None:
            json.write_text(to_json([]))
        if logs is not None:
            logs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(str(error), Exit.CONFIG)
    asked = set(peer or [Peers.ALL])
    peers = [each for each in Peer if Peers.ALL in asked or Peers(each.value) in asked]
    if records is not None:
        chosen = [with_records(each, records) for each in chosen]
    raise SystemExit(_play(chosen, peers, json, logs))


def _varied(scenarios: Sequence[Scenario], given: Sequence[str]) -> Iterator[Scenario]:
    """Yield every scenario with every value; with several keys, with every pair of theirs."""
    read = [read_vary(text) for text in given]
    for scenario, values in product(scenarios, product(*(values for _, values in read))):
        changed = scenario
        for (key, _), value in zip(read, values, strict=True):
            changed = varied(changed, key, value)
        yield changed


def _play(
    scenarios: Sequence[Scenario], peers: Sequence[Peer], json: Path | None, logs: Path | None
) -> Exit:
    """Play all of them; results are written after each, for whoever does not wait for the end."""
    runs: list[Run] = []
    failed = False
    for scenario in scenarios:
        for peer in peers:
            try:
                runs.append(_play_one(scenario, peer, logs))
            except MirrorError as error:
                complain(f"{scenario.name}, {peer}: {error}")
                failed = True
            if json is not None:
                json.write_text(to_json(runs))
    if runs:
        wide_console().print(table(runs))
    if failed:
        return Exit.START_FAILED
    return Exit.OK if all(run.as_expected for run in runs) else Exit.DIFFERENT


def _play_one(scenario: Scenario, peer: Peer, logs: Path | None) -> Run:
    head = f"{scenario.name}, {peer}"
    with (
        tempfile.TemporaryDirectory(prefix="kmirror-duplicates-") as folder,
        _progress.status(head) as status,
    ):
        laboratory = Laboratory(
            Path(folder), logs=logs, tell=lambda words: status.update(f"{head}: {words}")
        )
        run = laboratory.run(scenario, peer)
    found = run.audit
    words = (
        *(f"{found.duplicated:,} twice", f"{found.lost:,} lost"),
        *(f"{found.reordered:,} out of order", f"{found.distinct:,} of {found.produced:,} arrived"),
        f"{run.records_per_s:,.0f} records/s",
        *(("died",) if run.died else ()),
    )
    _progress.print(f"{head}: {', '.join(words)}", highlight=False)
    return run


def table(runs: Sequence[Run]) -> Table:
    """Draw what was counted."""
    drawn = Table(pad_edge=False)
    # A name alone has its line; what was varied stands below it.
    width = max(len(run.conditions.asked) for run in runs)
    drawn.add_column("scenario", overflow="fold", min_width=min(width, _NAME_COLUMNS_MAX))
    drawn.add_column("mirror", no_wrap=True)
    for column in (
        *("produced", "mirrored", "distinct", "twice", "lost", "not yet", "out of order"),
        *("records/s", "time-outs", "sent again"),
    ):
        drawn.add_column(column, justify="right")
    drawn.add_column("died")
    drawn.add_column("as expected")
    for run in runs:
        found = run.audit
        counts = (
            *(found.produced, found.mirrored, found.distinct, found.duplicated, found.lost),
            *(found.outstanding, found.reordered, round(run.records_per_s)),
            *(run.timeouts, run.retries),
        )
        drawn.add_row(
            run.scenario,
            run.peer,
            *("-" if count is None else f"{count:,}" for count in counts),
            "died" if run.died else "",
            "" if run.wanted is None else "yes" if run.as_expected else "no",
            style="" if run.as_expected else "red",
        )
    return drawn

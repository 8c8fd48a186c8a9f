"""`kmirror status`: how far every flow of a file is, and how it copies."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit
from kmirror.cli.terminal import wide_console
from kmirror.clock import SystemClock
from kmirror.errors import ClusterError
from kmirror.flows.clients import open_clients
from kmirror.flows.overview import FlowOverview, survey_flow


def status(
    file: File,
    as_json: Annotated[
        bool, typer.Option("--json", help="For programs: one JSON object a flow, one a line.")
    ] = False,
) -> None:
    """
    Show how far every enabled flow of FILE is, who drives it, and what it copies at a time.

    Asks the clusters, so it works from anywhere, and also while nothing runs.
    """
    for config in load_or_exit(file).flows:
        clients = open_clients(config, SystemClock())
        try:
            overview = survey_flow(config, clients)
        except ClusterError as error:
            print(f"{config.flow}: {error}", file=sys.stderr)
            raise SystemExit(Exit.START_FAILED) from error
        finally:
            clients.close()
        if as_json:
            print(json.dumps(asdict(overview) | {"lag_records": overview.lag_records}))
        else:
            wide_console().print(render(overview))


def render(overview: FlowOverview) -> RenderableType:
    """Draw a flow."""
    owner = "was never started"
    if overview.owner is not None:
        owner = f"generation {overview.owner.generation}, claimed last by {overview.owner.owner}"
    head = Text.assemble((f"{overview.flow}  ", "bold"), owner)
    lag = Text(f"lag {overview.lag_records:,} records; {overview.granularity}")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("topic", "copy"):
        table.add_column(column)
    for column in ("partitions", "begun", "lag"):
        table.add_column(column, justify="right")
    table.add_column("except")
    for topic in overview.topics:
        table.add_row(
            topic.topic,
            topic.copy,
            str(topic.partitions),
            str(topic.positions),
            f"{topic.lag_records:,}",
            "; ".join(topic.exceptions),
        )
    return Group(head, lag, table, Text(""))

"""`kmirror gaps`: show which gaps were found, and what was done about each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flows_or_exit, load_or_exit
from kmirror.cli.rows import Rows
from kmirror.cli.terminal import complain, wide_console
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import open_clients
from kmirror.ends.gap_topic import GapTopic
from kmirror.errors import ClusterError
from kmirror.wire.gap_events import GapEvent


def gaps(
    file: File,
    name: Annotated[
        str | None, typer.Argument(metavar="[S->T]", help="Only this flow.", show_default=False)
    ] = None,
    topics: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOPIC...]", help="Only these topics of its source.", show_default=False
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per gap, as the topic has it.")
    ] = False,
) -> None:
    """
    Show which gaps drivers have found between sources and copies, and what was done about each.

    It reads the topic kmirror-events of the targets: the newest gap of each kind and partition,
    and each record that a copy has gone on without (kmirror.poison). Gaps of topics that are no
    longer mirrored are among them: name the topics that you want.
    Exit codes: 0 nothing stands still before a gap, 2 the file is wrong, 3 a cluster does not
    answer, 5 something does.
    """
    flows = flows_or_exit(file, load_or_exit(file), name)
    code = Exit.OK
    for config in flows:
        try:
            found = _read(config, topics or ())
        except ClusterError as error:
            complain(f"{config.flow}: {error}")
            code = Exit.START_FAILED
            continue
        if as_json:
            for each in found:
                print(each.encode()[1].decode())
        else:
            wide_console().print(render_gaps(config, found))
        if code is Exit.OK and any(each.is_parked for each in found):
            code = Exit.INCOMPLETE
    raise SystemExit(code)


def _read(config: FlowConfig, topics: Collection[str]) -> Sequence[GapEvent]:
    clock = SystemClock()
    clients = open_clients(config, clock, looks=True)
    try:
        found = GapTopic(config, clients.target, clients.target_rdkafka, clock).read()
    finally:
        clients.close()
    return [each for each in found if not topics or each.topic in topics]


def render_gaps(config: FlowConfig, found: Sequence[GapEvent]) -> RenderableType:
    """Draw the gaps of a flow."""
    head = Text.assemble((f"{config.flow}  ", "bold"), "gaps" if found else "no gaps")
    if not found:
        return Group(head, Text(""))
    columns = (
        *("partition", "kind", ">from", ">to", ">records", "of the", "reaction", "status"),
        "dead letter",
    )
    rows = [
        (
            f"{each.topic}-{each.partition}",
            each.kind,
            _number(each.start),
            _number(None if each.end is None else each.end - 1),
            _number(each.records),
            each.log,
            each.reaction,
            each.status,
            "" if each.letter_topic is None else f"{each.letter_topic} {_number(each.letter)}",
        )
        for each in found
    ]
    reasons = [Text(each.reason, style="red", overflow="fold") for each in found if each.is_parked]
    return Group(head, Rows(columns, rows), *reasons, Text(""))


def _number(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"

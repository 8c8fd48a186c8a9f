"""`kmirror explain`: say why a topic is mirrored, or is not."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.text import Text

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flows_or_exit, load_or_exit
from kmirror.cli.terminal import wide_console
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig, read_lines
from kmirror.ends.copy_generations import open_readable
from kmirror.errors import ClusterError
from kmirror.inspect.grant_commands import grant_command
from kmirror.inspect.topic_explanation import TopicExplainer
from kmirror.model import Flow
from kmirror.plans.explanation import Explanation, Reason, Verdict

_COLOURS = {Verdict.MIRRORED: "green", Verdict.PARTLY: "yellow", Verdict.NOT_MIRRORED: "red"}


def explain(
    file: File,
    flow: Annotated[str, typer.Argument(metavar="S->T", help="The flow.")],
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="A topic of S.")],
    watch: Annotated[
        float,
        typer.Option(min=0, max=60, help="Seconds to look whether positions move."),
    ] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """
    Say why TOPIC is mirrored or not: filter, rule, missing right, clash, or what it waits for.

    It asks both clusters and changes nothing. Exit codes: 0 all of it is mirrored, 2 the file is
    wrong, 3 a cluster does not answer, 5 it is not mirrored, or not all of it.
    """
    config = load_or_exit(file)
    (chosen,) = flows_or_exit(file, config, flow)
    try:
        answer = _answer(config, chosen, topic, watch)
    except ClusterError as error:
        print(f"{chosen.flow}: {error}", file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error
    if as_json:
        print(json.dumps(_as_json(config, chosen.flow, answer)))
    else:
        wide_console().print(_render(config, chosen.flow, answer))
    raise SystemExit(Exit.OK if answer.verdict is Verdict.MIRRORED else Exit.INCOMPLETE)


def _answer(config: MirrorConfig, flow: FlowConfig, topic: str, watch_s: float) -> Explanation:
    clock = SystemClock()
    lines = read_lines(config.path, environ=os.environ)
    with (
        Console(stderr=True).status(f"{flow.flow}: asking both clusters about {topic}"),
        open_readable(flow, clock) as (current, clients),
    ):
        return TopicExplainer(lines, current, clients, clock, watch_s=watch_s).explain(topic)


def _render(config: MirrorConfig, flow: Flow, answer: Explanation) -> RenderableType:
    head = Text.assemble(
        (f"{flow}  {answer.topic}: ", "bold"), (answer.verdict.value, _COLOURS[answer.verdict])
    )
    if answer.lag_records is not None:
        head.append(
            f" to {answer.copy}, {answer.partitions} partitions, lag {answer.lag_records:,} records"
        )
    return Group(head, *(line for reason in answer.reasons for line in _lines(config, reason)))


def _lines(config: MirrorConfig, reason: Reason) -> list[Text]:
    lines = [Text(f"  {reason.words}")]
    if reason.do:
        lines.append(Text(f"  -> {reason.do}", style="green"))
    lines += [
        Text(grant_command(config.cluster(grant.cluster), grant), style="green")
        for grant in reason.grants
    ]
    return lines


def _as_json(config: MirrorConfig, flow: Flow, answer: Explanation) -> dict[str, Any]:
    return {
        "flow": {"source": flow.source, "target": flow.target},
        "topic": answer.topic,
        "copy": answer.copy,
        "verdict": answer.verdict.value,
        "partitions": answer.partitions,
        "lag_records": answer.lag_records,
        "reasons": [
            {
                "kind": reason.kind,
                "text": reason.words,
                "do": reason.do,
                "commands": [
                    grant_command(config.cluster(grant.cluster), grant) for grant in reason.grants
                ],
            }
            for reason in answer.reasons
        ],
    }

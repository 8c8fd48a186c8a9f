"""`kmirror status`: show how far every flow of a file is, and how it copies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, OneFlow, flows_or_exit, load_or_exit
from kmirror.cli.partitions import show_partitions
from kmirror.cli.rows import Rows
from kmirror.cli.terminal import wide_console
from kmirror.cli.view import lines_in, red_lines, verdict_line
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.ends.copy_generations import open_readable
from kmirror.errors import ClusterError
from kmirror.inspect.driver import ask_driver
from kmirror.inspect.overview import FlowOverview, survey_flow
from kmirror.model import Flow
from kmirror.policy.bottlenecks import Bottleneck
from kmirror.policy.lag_verdicts import SloVerdict, Trend
from kmirror.state.paused import pause_lines
from kmirror.state.told import ToldFlow


def status(
    file: File,
    name: Annotated[
        str | None, typer.Argument(metavar="[S->T]", help="Only this flow.", show_default=False)
    ] = None,
    topic: Annotated[
        str | None, typer.Argument(metavar="[TOPIC]", help="Its partitions.", show_default=False)
    ] = None,
    flow: OneFlow = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per flow, one per line.")
    ] = False,
) -> None:
    """
    Show how far every enabled flow of FILE is, who drives it, and how it copies.

    With a flow and a topic of its source it shows every partition: initializing, mirroring, caught
    up, paused, parked or stopped, with the reason and what ends it.

    It asks the clusters, so it works from any machine, also while no driver runs. Exit codes: 0
    everything selected is mirrored, 2 the file is wrong, 3 a cluster does not answer, 5 something
    is parked or not mirrored, or a named topic does not exist.
    """
    read = load_or_exit(file)
    flows = flows_or_exit(file, read, name or flow)
    if topic is not None:
        raise SystemExit(show_partitions(flows[0], topic, as_json=as_json))
    answers = [_answer(config) for config in flows]
    told = ask_driver(read.metrics)
    for config, answer in zip(flows, answers, strict=True):
        if as_json:
            print(json.dumps(plain(config.flow, answer, told.get(config.flow))))
        else:
            wide_console().print(_drawn(config, answer, told.get(config.flow)))
    raise SystemExit(_exit_of(answers))


def _answer(config: FlowConfig) -> FlowOverview | ClusterError:
    """Ask the clusters of a flow; return an error, so that the other flows are still shown."""
    clock = SystemClock()
    try:
        with open_readable(config, clock) as (current, clients):
            return survey_flow(current, clients, clock)
    except ClusterError as error:
        return error


def _exit_of(answers: Sequence[FlowOverview | ClusterError]) -> Exit:
    """Return the exit code of the worst flow."""
    if any(isinstance(answer, ClusterError) for answer in answers):
        return Exit.START_FAILED
    whole = all(isinstance(answer, FlowOverview) and answer.is_whole for answer in answers)
    return Exit.OK if whole else Exit.INCOMPLETE


def plain(
    flow: Flow, answer: FlowOverview | ClusterError, told: ToldFlow | None = None
) -> dict[str, Any]:
    """
    Give what is known of a flow as `--json` prints it; docs/monitoring.md explains every field.

    Args:
        flow: The flow.
        answer: What was found, or why nothing was.
        told: What the flow's driver says, if it serves metrics and can be reached.
    """
    if isinstance(answer, ClusterError):
        return {"flow": asdict(flow), "error": str(answer)}
    found = asdict(answer) | {"lag_records": answer.lag_records}
    if answer.standing is not None:
        judgement = answer.standing.judgement
        found["standing"]["judgement"] = {
            "verdict": judgement.verdict.value,
            "words": judgement.words,
        }
    return found | {"driver": None if told is None else asdict(told)}


def _drawn(
    config: FlowConfig, answer: FlowOverview | ClusterError, told: ToldFlow | None
) -> RenderableType:
    if isinstance(answer, ClusterError):
        head = Text.assemble((f"{config.flow}  ", "bold"), "not known")
        return Group(head, red_lines([str(answer)]), Text(""))
    return render(answer, told)


def _verdict_lines(overview: FlowOverview, told: ToldFlow | None) -> list[Text]:
    """Say how a flow stands: as its driver knows it, otherwise as its clusters tell."""
    if told is None:
        if overview.standing is None:
            return []
        judgement = overview.standing.judgement
        return [verdict_line(judgement.verdict, judgement.words)]
    lag = told.lag
    words = f"{told.verdict_words}; the lag is {lag.verdict}"
    if lag.trend != Trend.UNKNOWN.value:
        words += f" and {lag.trend}"
    return [
        verdict_line(SloVerdict(told.verdict), words),
        *(
            Text(f"slot {slot}: {why}", overflow="fold")
            for slot, kind, why in told.bottlenecks
            if kind != Bottleneck.IDLE.value
        ),
    ]


def render(overview: FlowOverview, told: ToldFlow | None = None) -> RenderableType:
    """Draw a flow, with what its driver says of it, if that can be reached."""
    owner = "was never started"
    if overview.owner is not None:
        owner = f"generation {overview.owner.generation}, claimed last by {overview.owner.owner}"
    head = Text.assemble((f"{overview.flow}  ", "bold"), owner)
    limits = f"; {overview.limits}" if overview.limits else ""
    lag = Text(f"lag {overview.lag_records:,} records; {overview.granularity}{limits}")
    columns = ("topic", "copy", ">partitions", ">begun", ">lag", "except")
    rows = [
        (
            topic.topic,
            topic.copy,
            str(topic.partitions),
            str(topic.positions),
            f"{topic.lag_records:,}",
            "; ".join(topic.exceptions),
        )
        for topic in overview.topics
    ]
    reasons = [f"parked: {parked.reason}" for parked in overview.parked]
    reasons += overview.coverage.words
    yellow = [f"settings differ: {change}" for change in overview.drift]
    yellow += [str(gone) for gone in overview.gone]
    holes = [
        Text(f"{topic.topic}: {topic.holes:,} offsets without a record")
        for topic in overview.topics
        if topic.holes
    ]
    rest = (
        *holes,
        red_lines(reasons),
        lines_in("yellow", [*pause_lines(overview.paused), *yellow]),
    )
    return Group(
        head, lag, *_verdict_lines(overview, told), Rows(columns, rows), *holes, *rest, Text("")
    )

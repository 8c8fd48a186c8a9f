"""`kmirror verify`: proof that both sides are equal, or the first place where they are not."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, OneFlow, flows_or_exit, load_or_exit
from kmirror.cli.terminal import pattern
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.errors import ClusterError
from kmirror.flows.clients import open_clients
from kmirror.policy.regex import NamePattern
from kmirror.verify.pairs import plan_pairs
from kmirror.verify.report import render
from kmirror.verify.result import VerifyReport
from kmirror.verify.run import Side
from kmirror.verify.run import verify as compare
from kmirror.wire.position import position_group


def verify(
    file: File,
    flow: OneFlow = None,
    topics: Annotated[
        str | None, typer.Option(help="Only source topics that this regular expression matches.")
    ] = None,
    up_to_position: Annotated[
        bool,
        typer.Option(
            "--up-to-position",
            help="Compare what the flow has committed so far: for a flow that is running.",
        ),
    ] = False,
    only_problems: Annotated[
        bool, typer.Option("--only-problems", help="Leave out partitions that are identical.")
    ] = False,
) -> None:
    """
    Compare both sides of the flows in FILE record by record, read_committed.

    Counts, order, keys, values, headers and timestamps of every partition. Exit code 1 when they
    differ; the first difference is named with both offsets.
    """
    chosen = flows_or_exit(file, load_or_exit(file), flow)
    wanted = pattern("--topics", topics)
    identical = True
    for entry in chosen:
        if entry.policy.merges:
            if flow is not None:
                print(f"{entry.flow}: merges topics, so there are no two sides to compare")
                identical = False
            continue
        if entry.where is not None or entry.select:
            print(f"{entry.flow}: changes records on the way, so both sides differ by intent")
            identical = False
            continue
        try:
            report = verify_flow(entry, wanted, up_to_position=up_to_position)
        except ClusterError as error:
            print(f"{entry.flow}: {error}", file=sys.stderr)
            raise SystemExit(Exit.START_FAILED) from error
        print(f"{entry.flow}")
        print(render(report, only_problems=only_problems))
        identical = identical and report.identical
    raise SystemExit(Exit.OK if identical else Exit.DIFFERENT)


def verify_flow(
    config: FlowConfig, topics: NamePattern | None = None, *, up_to_position: bool = False
) -> VerifyReport:
    """
    Compare one flow's partitions, with a progress bar on the terminal.

    Args:
        config: The flow.
        topics: Which of its source topics; all without.
        up_to_position: Compare up to the committed positions instead of the ends.

    Raises:
        ClusterError: One of the clusters does not answer.
    """
    clients = open_clients(config, SystemClock())
    selection = config.topic_selection()

    def selected(topic: str) -> bool:
        return selection.selects(topic) and (topics is None or topics.matches(topic))

    try:
        positions = None
        if up_to_position:
            positions = clients.target.group_positions(position_group(config.flow))
        pairs = plan_pairs(clients.source.topics(), selection.remote_topic, selected, positions)
        with _bar() as bar:
            task = bar.add_task(f"verify {config.flow}", total=None)
            return compare(
                Side(name=config.flow.source, admin=clients.source, config=clients.source_rdkafka),
                Side(name=config.flow.target, admin=clients.target, config=clients.target_rdkafka),
                pairs,
                began_at_latest=config.auto_offset_reset == "latest",
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
    finally:
        clients.close()


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("records"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )

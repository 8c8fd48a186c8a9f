"""`kmirror verify`: prove that both sides are equal, or find the first difference."""

from __future__ import annotations

import json
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
from kmirror.ends.clients import open_clients
from kmirror.errors import ClusterError
from kmirror.policy.regex import NamePattern
from kmirror.verify.pairs import plan_pairs
from kmirror.verify.report import plain, render
from kmirror.verify.result import Verdict, VerifyReport, worst
from kmirror.verify.run import Side
from kmirror.verify.run import verify as compare
from kmirror.wire.flow_names import position_group

_EXITS = {
    Verdict.IDENTICAL: Exit.OK,
    Verdict.BEHIND: Exit.BEHIND,
    Verdict.NOT_COMPARED: Exit.NOT_COMPARED,
    Verdict.DIFFERENT: Exit.DIFFERENT,
}


def verify(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: OneFlow = None,
    topics: Annotated[
        str | None,
        typer.Option(help="Only source topics that this regular expression matches. Default: all."),
    ] = None,
    up_to_position: Annotated[
        bool,
        typer.Option(
            "--up-to-position",
            help="Compare what a running flow has committed so far.",
        ),
    ] = False,
    only_problems: Annotated[
        bool, typer.Option("--only-problems", help="Leave out identical partitions.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per flow, one per line.")
    ] = False,
) -> None:
    """
    Compare both sides of the flows in FILE record by record, with read_committed.

    It compares counts, order, keys, values, headers and timestamps of every partition, and names
    the first difference with both offsets. Exit codes: 0 identical, 1 different, 2 the file is
    wrong, 3 a cluster does not answer, 6 nothing differs but the copy is behind, 7 a flow was not
    compared.
    """
    chosen = flows_or_exit(file, load_or_exit(file), flow)
    wanted = pattern("--topics", topics)
    verdicts: set[Verdict] = set()
    for entry in chosen:
        try:
            report = _report(entry, wanted, up_to_position=up_to_position)
        except ClusterError as error:
            print(f"{entry.flow}: {error}", file=sys.stderr)
            raise SystemExit(Exit.START_FAILED) from error
        if as_json:
            print(json.dumps({"flow": str(entry.flow)} | plain(report)))
        else:
            print(f"{entry.flow}\n{render(report, only_problems=only_problems)}")
        # An alias topic has no copy that could be wrong: it does not count beside others.
        if not entry.policy.merges:
            verdicts.add(report.verdict)
    raise SystemExit(_EXITS[worst(verdicts)])


def _report(
    config: FlowConfig, topics: NamePattern | None, *, up_to_position: bool
) -> VerifyReport:
    """Compare one flow, if its two sides should be equal."""
    if config.policy.merges:
        return VerifyReport(reason="the topic merges others, so there are no two sides")
    if config.where is not None or config.select:
        return VerifyReport(reason="the flow changes records, so both sides differ by intent")
    return verify_flow(config, topics, up_to_position=up_to_position)


def verify_flow(
    config: FlowConfig, topics: NamePattern | None = None, *, up_to_position: bool = False
) -> VerifyReport:
    """
    Compare one flow's partitions, with a progress bar on the terminal.

    Args:
        config: The flow.
        topics: Its source topics to compare; all if `None`.
        up_to_position: Compare up to the committed positions instead of the log ends.

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

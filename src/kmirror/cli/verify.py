"""`kmirror verify`: prove that both sides are equal, or find the first difference."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kmirror.cli.ending import on_signal
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, OneFlow, flows_or_exit, load_or_exit
from kmirror.cli.terminal import pattern, who
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.ends.audit_log import read_audit_book, write_audits
from kmirror.ends.clients import FlowClients, open_clients
from kmirror.ends.copy_generations import with_readable_generations
from kmirror.errors import MirrorError
from kmirror.model import TopicPartition
from kmirror.policy.regex import NamePattern
from kmirror.units import DURATIONS_S, UnitProblem, moment, quantity
from kmirror.verify.pairs import PartitionPair, plan_pairs
from kmirror.verify.record import recorded
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
# Of several rounds the worst counts.
_WORSE = (Exit.OK, Exit.BEHIND, Exit.NOT_COMPARED, Exit.START_FAILED, Exit.DIFFERENT)
_LOOK_S = 0.2


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
    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Write down on T which source offsets are identical, and what is not: `kmirror "
            "status` tells from that what is safe to delete.",
        ),
    ] = False,
    every: Annotated[
        str | None,
        typer.Option(
            help="Compare again and again, such as 1h or 30m, until SIGTERM or Ctrl-C. Each round "
            "begins with its time."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per flow, one per line.")
    ] = False,
) -> None:
    """
    Compare both sides of the flows in FILE record by record, with read_committed.

    It compares counts, order, keys, values, headers and timestamps of every partition, and names
    the first difference with both offsets. Exit codes: 0 identical, 1 different, 2 the file is
    wrong, 3 a cluster does not answer, 6 nothing differs but the copy is behind, 7 a flow was not
    compared. With --every it is the code of the worst round; a cluster that does not answer is
    asked again in the next one.
    """
    every_s = None if every is None else _interval_s(every)
    chosen = flows_or_exit(file, load_or_exit(file), flow)
    compared = partial(
        _compared,
        chosen,
        pattern("--topics", topics),
        up_to_position=up_to_position,
        only_problems=only_problems,
        record=record,
        as_json=as_json,
    )
    if every_s is None:
        raise SystemExit(compared())
    raise SystemExit(_again_and_again(compared, every_s, as_json=as_json))


def _interval_s(text: str) -> float:
    try:
        found = quantity(text, DURATIONS_S, "an interval such as 1h or 30m")
    except UnitProblem as problem:
        raise typer.BadParameter(f"--every {text}: {problem}") from problem
    if not found:
        raise typer.BadParameter(f"--every {text}: expected more than 0")
    return found


def _compared(
    chosen: Sequence[FlowConfig],
    wanted: NamePattern | None,
    *,
    up_to_position: bool,
    only_problems: bool,
    record: bool,
    as_json: bool,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Exit:
    """Compare flows and print what came of it; *more* is in each JSON object, too."""
    verdicts: set[Verdict] = set()
    for entry in chosen:
        try:
            report = _report(entry, wanted, up_to_position=up_to_position, record=record)
        except MirrorError as error:
            print(f"{entry.flow}: {error}", file=sys.stderr)
            return Exit.START_FAILED
        if as_json:
            print(json.dumps({"flow": str(entry.flow), **plain(report), **more}), flush=True)
        else:
            text = render(report, only_problems=only_problems)
            print(f"{entry.flow}\n{text}", flush=True)
        # An alias topic has no copy that could be wrong: it does not count beside others.
        if not entry.policy.merges:
            verdicts.add(report.verdict)
    return _EXITS[worst(verdicts)]


def _again_and_again(compared: Callable[..., Exit], every_s: float, *, as_json: bool) -> Exit:
    """Compare at regular intervals until a signal comes; return the worst that was found."""
    clock, stop = SystemClock(), threading.Event()
    found = Exit.OK
    on_signal(lambda _: stop.set())
    while not stop.is_set():
        began_s, at_ms = clock.monotonic_s(), clock.wall_ms()
        if not as_json:
            print(moment(at_ms), flush=True)
        result: list[Exit] = []
        thread = threading.Thread(
            target=lambda: result.append(compared(more={"at_ms": at_ms})),  # noqa: B023
            name="kmirror-verify",
            daemon=True,
        )
        thread.start()
        # A round that is interrupted says nothing.
        while thread.is_alive() and not clock.wait(stop, _LOOK_S):
            pass
        if result:
            found = max(found, result[0], key=_WORSE.index)
        clock.wait(stop, max(0.0, every_s - (clock.monotonic_s() - began_s)))
    return found


def _report(
    config: FlowConfig, topics: NamePattern | None, *, up_to_position: bool, record: bool
) -> VerifyReport:
    """Compare one flow, if its two sides should be equal."""
    if config.policy.merges:
        return VerifyReport(reason="the topic merges others, so there are no two sides")
    if config.looks_inside_records:
        return VerifyReport(reason="the flow changes records, so both sides differ by intent")
    return verify_flow(config, topics, up_to_position=up_to_position, record=record)


def verify_flow(
    config: FlowConfig,
    topics: NamePattern | None = None,
    *,
    up_to_position: bool = False,
    record: bool = False,
) -> VerifyReport:
    """
    Compare one flow's partitions, with a progress bar on the terminal.

    Args:
        config: The flow.
        topics: Its source topics to compare; all if `None`.
        up_to_position: Compare up to the committed positions instead of the log ends.
        record: Write down what is identical.

    Raises:
        ClusterError: One of the clusters does not answer.
    """
    clients = open_clients(config, SystemClock())

    def selected(topic: str) -> bool:
        return selection.selects(topic) and (topics is None or topics.matches(topic))

    try:
        selection = with_readable_generations(config, clients).topic_selection()
        positions = None
        if up_to_position:
            positions = clients.target.group_positions(position_group(config.flow))
        pairs = plan_pairs(clients.source.topics(), selection.remote_topic, selected, positions)
        before = _ids(clients, pairs) if record else {}
        with _bar() as bar:
            task = bar.add_task(f"verify {config.flow}", total=None)
            report = compare(
                Side(name=config.flow.source, admin=clients.source, config=clients.source_rdkafka),
                Side(name=config.flow.target, admin=clients.target, config=clients.target_rdkafka),
                pairs,
                began_at_latest=config.auto_offset_reset == "latest",
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
        if record:
            after = _ids(clients, pairs)
            same = {place: ids for place, ids in before.items() if after.get(place) == ids}
            _record(config, clients, report, same)
        return report
    finally:
        clients.close()


def _ids(
    clients: FlowClients, pairs: Sequence[PartitionPair]
) -> Mapping[TopicPartition, tuple[str, str]]:
    """Return the ids of the topics that are compared, by source partition."""
    ours = clients.source.topic_ids(pair.source.topic for pair in pairs)
    theirs = clients.target.topic_ids(pair.target.topic for pair in pairs)
    return {
        pair.source: (ours[pair.source.topic], theirs[pair.target.topic])
        for pair in pairs
        if pair.source.topic in ours and pair.target.topic in theirs
    }


def _record(
    config: FlowConfig,
    clients: FlowClients,
    report: VerifyReport,
    ids: Mapping[TopicPartition, tuple[str, str]],
) -> None:
    """Write down what was found identical, and what was not."""
    known = read_audit_book(config, clients, clients.target.topics())
    found = recorded(report, ids, known, at_ms=SystemClock().wall_ms(), by=who())
    write_audits(config, clients, found.audits, windows=found.windows, gone=found.gone)


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

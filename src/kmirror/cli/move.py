"""`kmirror failover`, `promote`, `failback`: take consumer groups to the other cluster."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.files import flow_or_exit, load_or_exit
from kmirror.cli.places_table import places_table
from kmirror.cli.terminal import pattern, wide_console
from kmirror.clock import SystemClock
from kmirror.config.client_properties import ClientProperties
from kmirror.errors import EnvironmentProblem, MirrorError, MoveRefused
from kmirror.flows.clients import open_clients
from kmirror.flows.hold import FlowHold
from kmirror.flows.move import Move, abort
from kmirror.flows.move_ends import MoveEnds, MoveFlows
from kmirror.pipeline.gateway import client_jvm
from kmirror.pipeline.groups import JvmGroups
from kmirror.plans.moves import MoveKind, MoveOptions, MoveReport, MoveStep

_TIMEOUT_S = 30.0

File = Annotated[Path, typer.Argument(help="MirrorMaker 2's properties file.")]
FlowName = Annotated[str, typer.Argument(metavar="S->T", help="The flow.")]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups", help="A regular expression of whole group names; without, those of the file."
    ),
]
Wait = Annotated[
    float,
    typer.Option("--wait", min=0, help="How long to wait until everything is copied, seconds."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show which offsets would be set, and do nothing.")
]
Drill = Annotated[
    bool, typer.Option("--drill", help="Do every step that changes nothing, and measure.")
]
Abort = Annotated[bool, typer.Option("--abort", help="Let the flow copy again, and move nobody.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """What the command line says."""

    file: Path
    flow: str
    groups: str | None
    options: MoveOptions
    dry_run: bool
    as_json: bool


def failover(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    groups: Groups = None,
    max_lag_records: Annotated[
        int, typer.Option(min=0, help="Go on although so many records are not copied.")
    ] = 0,
    wait: Wait = 30.0,
    dry_run: DryRun = False,
    drill: Drill = False,
    abort: Abort = False,
    as_json: AsJson = False,
) -> None:
    """
    Take groups from S to T because S fails; what S has not given out by then is lost, or late.

    The flow is kept from copying until `kmirror failback`, or --abort. Exit code 5 when a group
    could not be moved, or when the move was refused. Interrupted, it goes on when it is repeated.
    """
    options = MoveOptions(
        kind=MoveKind.FAILOVER, max_lag_records=max_lag_records, wait_s=wait, drill=drill
    )
    order = _Order(
        file=file, flow=flow, groups=groups, options=options, dry_run=dry_run, as_json=as_json
    )
    _abort(order) if abort else _move(order)


def promote(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    groups: Groups = None,
    wait: Wait = 30.0,
    dry_run: DryRun = False,
    drill: Drill = False,
    abort: Abort = False,
    as_json: AsJson = False,
) -> None:
    """
    Take groups from S to T as planned: with everything copied and all consumers stopped.

    Stop producers and consumers on S first. Otherwise the same as `kmirror failover`.
    """
    options = MoveOptions(kind=MoveKind.PROMOTE, wait_s=wait, drill=drill)
    order = _Order(
        file=file, flow=flow, groups=groups, options=options, dry_run=dry_run, as_json=as_json
    )
    _abort(order) if abort else _move(order)


def failback(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    groups: Groups = None,
    wait: Wait = 30.0,
    dry_run: DryRun = False,
    drill: Drill = False,
    as_json: AsJson = False,
) -> None:
    """
    Take groups from T back to S, and let the flow S->T copy again.

    What was written on T meanwhile comes to S by the flow T->S, if the file has one: it is waited
    for. Stop the consumers on T first.
    """
    options = MoveOptions(kind=MoveKind.FAILBACK, wait_s=wait, drill=drill)
    _move(
        _Order(
            file=file, flow=flow, groups=groups, options=options, dry_run=dry_run, as_json=as_json
        )
    )


def _move(order: _Order) -> None:
    clock = SystemClock()
    began_ms = clock.wall_ms()
    with _words(order.flow), _ends(order) as ends:
        if order.dry_run:
            _show(ends)
            return
        tell = _tell_nothing if order.as_json else _tell
        report = Move(ends, order.options, tell=tell, began_ms=began_ms, clock=clock).run()
    if order.as_json:
        print(json.dumps(_plain(report)))
    else:
        _print(report, here=ends.here, there=ends.there)
    raise SystemExit(Exit.OK if report.is_complete else Exit.INCOMPLETE)


def _abort(order: _Order) -> None:
    config = flow_or_exit(order.file, load_or_exit(order.file), order.flow)
    with _words(order.flow):
        clients = open_clients(config, SystemClock())
        try:
            was_held = abort(FlowHold(config, clients, SystemClock()))
        finally:
            clients.close()
    print(f"{config.flow} may copy again" if was_held else f"{config.flow} was not held")


@contextmanager
def _words(flow: str) -> Iterator[None]:
    """Errors end the process with their words."""
    try:
        yield
    except MoveRefused as error:
        print(f"{flow}: {error}", file=sys.stderr)
        raise SystemExit(Exit.INCOMPLETE) from error
    except (MirrorError, EnvironmentProblem) as error:
        print(f"{flow}: {error}; the same command goes on from here", file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error


@contextmanager
def _ends(order: _Order) -> Iterator[MoveEnds]:
    config = load_or_exit(order.file)
    main = flow_or_exit(order.file, config, order.flow)
    back = f"{main.flow.target}->{main.flow.source}"
    reverse = next((entry for entry in config.flows if str(entry.flow) == back), None)
    chosen = pattern("--groups", order.groups)
    allowed = main.consumers.group_filter().allows
    with client_jvm() as jvm:

        def open_groups(alias: str, properties: ClientProperties) -> JvmGroups:
            return JvmGroups(jvm, alias, properties, timeout_s=_TIMEOUT_S)

        with MoveEnds(
            MoveFlows(main=main, reverse=reverse),
            back=order.options.kind.is_back,
            allowed=allowed if chosen is None else lambda name: bool(chosen.fullmatch(name)),
            open_groups=open_groups,
            clock=SystemClock(),
        ) as ends:
            yield ends


def _show(ends: MoveEnds) -> None:
    """Print what would be done."""
    survey = ends.survey()
    moves = survey.moves(backwards=False)
    console = wide_console()
    console.print(places_table(moves, here=ends.here, there=ends.there))
    if ends.trouble:
        print(f"{ends.here} does not answer, its checkpoints on {ends.there} count: {ends.trouble}")
    else:
        lag = sum(each.records for each in ends.uncopied())
        active = ", ".join(ends.active()) or "none"
        print(f"lag {lag:,} records; groups with members on {ends.here}: {active}")
    for group, why in sorted(survey.left().items()):
        print(f"{group}: would be left alone: {why}")
    for group, partition in survey.unknown:
        print(f"{group}: where it goes on in {partition} is not known")
    owner = ends.hold.owner()
    print(f"the flow: {'was never started' if owner is None else owner.owner}")
    print(f"{len(moves)} offsets would be set; nothing was changed")


def _tell(step: MoveStep) -> None:
    print(f"  {step.name:<8} {step.took_s:6.1f} s  {step.words}", flush=True)


def _tell_nothing(_step: MoveStep) -> None:
    """The report has everything."""


def _print(report: MoveReport, *, here: str, there: str) -> None:
    for group, why in sorted(report.left.items()):
        print(f"{group}: not moved: {why}")
    for group, partition in report.unknown:
        print(f"{group}: where it goes on in {partition} is not known")
    print(f"not copied (RPO): {report.loss}")
    print(f"time (RTO): {report.took_s:.1f} s")
    if report.drill:
        print(f"a drill: {len(report.groups)} groups would go on at {there}; nothing was changed")
    elif report.is_complete:
        print(f"done: {len(report.groups)} groups go on at {there}")
    else:
        missing = len(report.left) + len({group for group, _ in report.unknown})
        print(f"not done: {missing} groups do not go on where they were on {here}")


def _plain(report: MoveReport) -> dict[str, object]:
    """Give what JSON can hold."""
    return asdict(report) | {
        "flow": str(report.flow),
        "kind": report.kind.value,
        "complete": report.is_complete,
        "unknown": [[group, str(partition)] for group, partition in report.unknown],
    }

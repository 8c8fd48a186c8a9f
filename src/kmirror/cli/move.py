"""`kmirror failover`, `promote`, `failback`: move consumer groups to the other cluster."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flow_or_exit, load_or_exit
from kmirror.cli.group_names import Groups, allowed_groups
from kmirror.cli.places_table import places_table
from kmirror.cli.terminal import wide_console
from kmirror.clock import SystemClock
from kmirror.ends.clients import open_clients
from kmirror.errors import EnvironmentProblem, MirrorError, MoveRefused
from kmirror.moves.dry_run import dry_run as look
from kmirror.moves.ends import MoveEnds, MoveFlows
from kmirror.moves.hold import FlowHold
from kmirror.moves.move import Move, abort
from kmirror.pipeline.gateway import client_jvm
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.moves import MoveKind, MoveOptions, MoveReport, MoveStep

FlowName = Annotated[str, typer.Argument(metavar="S->T", help="The flow.")]
Wait = Annotated[
    float,
    typer.Option("--wait", min=0, help="Seconds to wait until everything is copied."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show which offsets would be set.")]
Drill = Annotated[
    bool, typer.Option("--drill", help="Run every step that changes nothing, and measure.")
]
AllowBackwards = Annotated[
    bool,
    typer.Option(
        "--allow-backwards",
        help="Also move offsets backwards that a consumer has committed on the destination.",
    ),
]
WithoutSource = Annotated[
    bool,
    typer.Option(
        "--without-source",
        help="Do not ask S, of which a part may answer; continue with what T knows.",
    ),
]
Abort = Annotated[bool, typer.Option("--abort", help="Let the flow copy again; move no groups.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]

_PART = "; if only a part of the source answers, --without-source does not ask it"


def failover(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    groups: Groups = None,
    max_lag_records: Annotated[
        int, typer.Option(min=0, help="Go on although up to this many records are not copied.")
    ] = 0,
    wait: Wait = 30.0,
    dry_run: DryRun = False,
    drill: Drill = False,
    allow_backwards: AllowBackwards = False,
    without_source: WithoutSource = False,
    abort: Abort = False,
    as_json: AsJson = False,
) -> None:
    """
    Move groups from S to T because S fails.

    Records that are not copied by then are lost if S never comes back; otherwise they arrive after
    the failback. The flow is held, so it copies nothing, until `kmirror failback` or --abort. Exit
    code 5 if the failover was refused or a group could not be moved. If it was interrupted, repeat
    it: it continues.
    """
    options = MoveOptions(
        kind=MoveKind.FAILOVER,
        max_lag_records=max_lag_records,
        wait_s=wait,
        drill=drill,
        allow_backwards=allow_backwards,
        without_source=without_source,
    )
    _one_of({"--dry-run": dry_run, "--drill": drill, "--abort": abort})
    if abort:
        _abort(file, flow)
    else:
        _move(file, flow, groups, options, dry_run=dry_run, as_json=as_json)


def promote(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    groups: Groups = None,
    wait: Wait = 30.0,
    dry_run: DryRun = False,
    drill: Drill = False,
    allow_backwards: AllowBackwards = False,
    abort: Abort = False,
    as_json: AsJson = False,
) -> None:
    """
    Move groups from S to T as planned, with everything copied and all consumers stopped.

    Stop producers and consumers on S first. Otherwise it works like `kmirror failover`.
    """
    options = MoveOptions(
        kind=MoveKind.PROMOTE, wait_s=wait, drill=drill, allow_backwards=allow_backwards
    )
    _one_of({"--dry-run": dry_run, "--drill": drill, "--abort": abort})
    if abort:
        _abort(file, flow)
    else:
        _move(file, flow, groups, options, dry_run=dry_run, as_json=as_json)


def failback(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    groups: Groups = None,
    wait: Wait = 30.0,
    dry_run: DryRun = False,
    drill: Drill = False,
    allow_backwards: AllowBackwards = False,
    as_json: AsJson = False,
) -> None:
    """
    Move groups from T back to S, and let the flow S->T copy again.

    Stop the consumers on T first. If the file has a flow T->S, the command waits until it has
    copied what was written on T meanwhile.
    """
    options = MoveOptions(
        kind=MoveKind.FAILBACK, wait_s=wait, drill=drill, allow_backwards=allow_backwards
    )
    _one_of({"--dry-run": dry_run, "--drill": drill})
    _move(file, flow, groups, options, dry_run=dry_run, as_json=as_json)


def _one_of(flags: Mapping[str, bool]) -> None:
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) > 1:
        raise typer.BadParameter(f"{' and '.join(given)}: these exclude each other; give one")


def _move(
    file: Path,
    flow: str,
    groups: str | None,
    options: MoveOptions,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    clock = SystemClock()
    began_ms = clock.wall_ms()
    may_leave_out = options.kind is MoveKind.FAILOVER and not options.without_source
    with (
        _words(flow, _PART if may_leave_out else ""),
        _ends(file, flow, groups, options) as ends,
    ):
        if dry_run:
            is_complete = _show(ends, options)
            raise SystemExit(Exit.OK if is_complete else Exit.INCOMPLETE)
        tell = _tell_nothing if as_json else _tell
        report = Move(ends, options, tell=tell, began_ms=began_ms, clock=clock).run()
    if as_json:
        print(json.dumps(_plain(report)))
    else:
        _print(report, here=ends.here, there=ends.there)
    raise SystemExit(Exit.OK if report.is_complete else Exit.INCOMPLETE)


def _abort(file: Path, flow: str) -> None:
    config = flow_or_exit(file, load_or_exit(file), flow)
    clock = SystemClock()
    with _words(flow), client_jvm() as jvm, closing(open_clients(config, clock)) as clients:
        was_held = abort(FlowHold(config, clients, JvmClients(jvm), clock))
    print(f"{config.flow} may copy again" if was_held else f"{config.flow} was not held")


@contextmanager
def _words(flow: str, more: str = "") -> Iterator[None]:
    """Exit with the text of an error, and *more* where a cluster is its cause."""
    try:
        yield
    except MoveRefused as error:
        print(f"{flow}: {error}", file=sys.stderr)
        raise SystemExit(Exit.INCOMPLETE) from error
    except (MirrorError, EnvironmentProblem) as error:
        print(f"{flow}: {error}; repeat the command to continue{more}", file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error


@contextmanager
def _ends(file: Path, flow: str, groups: str | None, options: MoveOptions) -> Iterator[MoveEnds]:
    config = load_or_exit(file)
    main = flow_or_exit(file, config, flow)
    with (
        client_jvm() as jvm,
        MoveEnds(
            MoveFlows.of(main, config.flows),
            back=options.kind.is_back,
            without_source=options.without_source,
            allowed=allowed_groups(main, groups),
            kafka=JvmClients(jvm),
            clock=SystemClock(),
        ) as ends,
    ):
        yield ends


def _show(ends: MoveEnds, options: MoveOptions) -> bool:
    """Print what would be done; return whether every group would go on."""
    found = look(ends, options, SystemClock())
    wide_console().print(places_table(found.moves, here=ends.here, there=ends.there))
    if found.trouble:
        print(f"{ends.silence}, its checkpoints on {ends.there} count: {found.trouble}")
    else:
        active = ", ".join(found.active) or "none"
        print(f"lag {found.lag_records:,} records; groups with members on {ends.here}: {active}")
    for group, why in sorted(found.left.items()):
        print(f"{group}: would not be moved: {why}")
    for unknown in found.unknown:
        print(unknown)
    print(f"the flow: {'was never started' if found.owner is None else found.owner.owner}")
    print(f"{len(found.moves)} offsets would be set; nothing was changed")
    return found.is_complete


def _tell(step: MoveStep) -> None:
    print(f"  {step.name:<8} {step.took_s:6.1f} s  {step.words}", flush=True)


def _tell_nothing(_step: MoveStep) -> None:
    """Print nothing: the report has everything."""


def _print(report: MoveReport, *, here: str, there: str) -> None:
    for group, why in sorted(report.left.items()):
        verb = "would not be moved" if report.drill else "not moved"
        print(f"{group}: {verb}: {why}")
    for unknown in report.unknown:
        print(unknown)
    print(f"not copied (RPO): {report.loss}")
    for sentence in report.loss.sentences(here=here, there=there):
        print(sentence)
    print(f"time (RTO): {report.took_s:.1f} s")
    missing = len(report.left.keys() | {each.group for each in report.unknown})
    if report.drill:
        others = f", {missing} would not" if missing else ""
        count = len(report.groups)
        print(f"a drill: {count} groups would go on at {there}{others}; nothing was changed")
    elif report.is_complete:
        print(f"done: {len(report.groups)} groups go on at {there}")
    else:
        print(f"not done: {missing} groups do not go on where they were on {here}")


def _plain(report: MoveReport) -> dict[str, object]:
    """Return the report as JSON values."""
    return asdict(report) | {
        "flow": str(report.flow),
        "kind": report.kind.value,
        "complete": report.is_complete,
        "unknown": [[each.group, str(each.partition), each.why] for each in report.unknown],
    }

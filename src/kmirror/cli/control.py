"""`kmirror pause`, `resume`, `park`, `skip`, `seek`: orders for a flow, a topic or a partition."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flows_or_exit, load_or_exit
from kmirror.cli.terminal import who
from kmirror.clock import SystemClock
from kmirror.console import orders
from kmirror.control.actions import ControlActions
from kmirror.control.targets import seek_target
from kmirror.errors import EnvironmentProblem, MirrorError, OrderRefused
from kmirror.units import DURATIONS_S, UnitProblem, quantity
from kmirror.wire.control_orders import Author, PauseVerb, Scope

FlowName = Annotated[str, typer.Argument(metavar="S->T", help="The flow.")]
Place = Annotated[
    str | None,
    typer.Argument(
        metavar="TOPIC[:PARTITION]", help="A topic of the source, or one partition of it."
    ),
]
For = Annotated[
    str | None, typer.Option("--for", metavar="30m", help="Undo it by itself after this time.")
]
Reason = Annotated[str, typer.Option("--reason", help="Why, for whoever asks later.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
To = Annotated[
    str,
    typer.Option("--to", metavar="WHERE", help="earliest, latest, an offset, or a time."),
]
SkipTo = Annotated[
    int | None, typer.Option("--to", min=0, help="The offset to go on at. Default: the next one.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")]


def pause(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    place: Place = None,
    duration: For = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """
    Stop copying a flow, a topic or a partition, until `kmirror resume` or for some time.

    It is in effect within 2 s while the flow runs, disturbs no other partition, and outlives
    restarts: the order lies on T. Lag grows meanwhile, and the source's retention goes on.
    """
    _pause(PauseVerb.PAUSE, file, flow, place, reason, duration=duration, as_json=as_json)


def resume(
    file: File,
    flow: FlowName,
    place: Place = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """
    Copy a flow, a topic or a partition again that was paused or parked.

    The newest order counts: `kmirror resume FILE S->T` ends all pauses of the flow. What is parked
    for another cause is tried again at once.
    """
    _pause(PauseVerb.RESUME, file, flow, place, reason, duration=None, as_json=as_json)


def park(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    place: Place = None,
    duration: For = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """
    Pause it as something that needs attention: it is shown and counted among parked partitions.
    """
    _pause(PauseVerb.PARK, file, flow, place, reason, duration=duration, as_json=as_json)


def skip(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    place: Annotated[str, typer.Argument(metavar="TOPIC:PARTITION", help="One partition.")],
    to: SkipTo = None,
    reason: Reason = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """
    Give up the next record of a partition, or all before an offset, and copy on behind.

    It only goes forward. What is given up is never on the target.
    """
    scope = _scope(place)
    if scope.partition is None:
        raise typer.BadParameter(f"{place}: give a partition, as TOPIC:PARTITION")
    where = None if to is None else str(to)
    _seek("skip", file, flow, scope, where, reason, False, dry_run=dry_run, as_json=as_json)


def seek(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    place: Annotated[
        str, typer.Argument(metavar="TOPIC[:PARTITION]", help="A topic, or one partition of it.")
    ],
    to: To,
    reason: Reason = "",
    allow_repeats: Annotated[
        bool,
        typer.Option("--allow-repeats", help="Also go back: records are on the target twice then."),
    ] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """
    Let a topic or a partition go on elsewhere.

    The order is done once, also when the driver is not running now. Without --allow-repeats it is
    refused if records would be copied again.
    """
    _seek(
        "seek",
        file,
        flow,
        _scope(place),
        to,
        reason,
        allow_repeats,
        dry_run=dry_run,
        as_json=as_json,
    )


def _pause(
    verb: PauseVerb,
    file: Path,
    flow: str,
    place: str | None,
    reason: str,
    *,
    duration: str | None,
    as_json: bool,
) -> None:
    scope, author = _scope(place), author_now(reason)
    until_ms = None if duration is None else author.at_ms + _duration_ms(duration)
    with open_actions(file, flow) as actions:
        order = actions.pause(verb, scope, author, until_ms=until_ms)
        effect = actions.await_effect()
    if as_json:
        print(json.dumps({"order": asdict(order), "effect": asdict(effect)}))
    else:
        print(f"{flow}: {order}, {author}; {effect}")


def _seek(  # noqa: PLR0917 - the parameters are the command line's
    verb: str,
    file: Path,
    flow: str,
    scope: Scope,
    to: str | None,
    reason: str,
    allow_repeats: bool,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    with open_actions(file, flow) as actions:
        target = None if to is None else seek_target(to)
        planned = actions.plan_seek(verb, scope, target, author_now(reason))
        if not as_json:
            for each in planned:
                print(f"  {each}")
        effect = None
        if not dry_run:
            actions.seek(planned, allow_repeats=allow_repeats)
            effect = actions.await_effect()
    if as_json:
        plain = [asdict(each) for each in planned]
        print(json.dumps({"planned": plain, "effect": None if effect is None else asdict(effect)}))
    else:
        print("nothing was changed" if effect is None else f"{flow}: {effect}")


def _scope(place: str | None) -> Scope:
    if place is None:
        return Scope()
    topic, colon, number = place.rpartition(":")
    if not colon:
        return Scope(topic=place)
    if not topic or not (number.isascii() and number.isdigit()):
        raise typer.BadParameter(f"{place}: expected TOPIC or TOPIC:PARTITION, such as orders:3")
    return Scope(topic=topic, partition=int(number))


def _duration_ms(text: str) -> int:
    try:
        seconds = quantity(text, DURATIONS_S, "a duration, such as 30m")
    except UnitProblem as problem:
        raise typer.BadParameter(f"--for {text}: {problem}") from problem
    return int(seconds * 1000)


def author_now(reason: str) -> Author:
    """Return who gives an order now, and why."""
    return Author(by=who(), at_ms=SystemClock().wall_ms(), reason=reason)


@contextmanager
def open_actions(file: Path, flow: str) -> Iterator[ControlActions]:
    """Open what gives orders; exit with the text of an error."""
    config = flows_or_exit(file, load_or_exit(file), flow)[0]
    try:
        with orders.open_actions(config, SystemClock()) as actions:
            yield actions
    except OrderRefused as error:
        print(f"{flow}: {error}", file=sys.stderr)
        raise SystemExit(Exit.CONFIG) from error
    except (MirrorError, EnvironmentProblem) as error:
        print(f"{flow}: {error}", file=sys.stderr)
        raise SystemExit(Exit.START_FAILED) from error

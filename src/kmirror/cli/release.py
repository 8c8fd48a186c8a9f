"""`kmirror release`: give the copy of a deleted topic free again."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from kmirror.cli.control import (
    AsJson,
    DryRun,
    FlowName,
    Reason,
    author_now,
    open_actions,
)
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, flows_or_exit, load_or_exit
from kmirror.cli.terminal import complain, who
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.control.actions import Effect
from kmirror.ends.clients import open_clients
from kmirror.errors import MirrorError, OrderRefused
from kmirror.parity.release import Release, do_release, plan_release

Topic = Annotated[str, typer.Argument(metavar="TOPIC", help="The deleted topic, on the source.")]


def release(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: FlowName,
    topic: Topic,
    reason: Reason = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """
    End the quarantine of a deleted topic's copy, or keep a copy that is to be deleted.

    What the source has by that name now, or later, is treated as kmirror.topic.recreated says. A
    second time changes nothing. Exit codes: 0 it is released, 2 there is no such copy, 3 a cluster
    does not answer.
    """
    config = flows_or_exit(file, load_or_exit(file), flow)[0]
    try:
        found = _release(config, topic, dry_run=dry_run)
    except OrderRefused as error:
        complain(f"{flow}: {error}")
        raise SystemExit(Exit.CONFIG) from error
    except MirrorError as error:
        complain(f"{flow}: {error}")
        raise SystemExit(Exit.START_FAILED) from error
    effect: Effect | None = None
    if found.is_there and not dry_run and not found.is_done:
        with open_actions(file, flow) as actions:
            if actions.retry(topic, author_now(reason or "released")):
                effect = actions.await_effect()
    _print(config, found, effect, dry_run=dry_run, as_json=as_json)


def _release(config: FlowConfig, topic: str, *, dry_run: bool) -> Release:
    clients = open_clients(config, SystemClock())
    try:
        found = plan_release(config, clients, topic, by=who(), clock=SystemClock())
        if not dry_run:
            do_release(config, clients, found)
        return found
    finally:
        clients.close()


def _print(
    config: FlowConfig, found: Release, effect: Effect | None, *, dry_run: bool, as_json: bool
) -> None:
    if as_json:
        plain = {"release": asdict(found), "effect": None if effect is None else asdict(effect)}
        print(json.dumps(plain))
        return
    gone = found.gone
    words = f"released the copy {gone.copy} of {gone.topic} (id {gone.topic_id})"
    if found.is_done:
        words = f"{gone.copy} was released before, by {gone.released_by}"
    elif dry_run:
        words = f"would have {words}"
    elif effect is not None:
        words = f"{words}; {effect}"
    print(f"{config.flow}: {words}")

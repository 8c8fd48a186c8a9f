"""`kmirror reload`: a running driver reads its file again, and changes what differs."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from kmirror.cli.control import AsJson, Reason, author_now
from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit
from kmirror.cli.terminal import complain
from kmirror.clock import SystemClock
from kmirror.console.reloading import ask_drivers
from kmirror.model import Flow
from kmirror.wire.control_orders import Reloaded, ReloadOrder, ReloadOutcome

_HEADS = {
    ReloadOutcome.APPLIED: "changed:",
    ReloadOutcome.UNCHANGED: "nothing has changed:",
    ReloadOutcome.REFUSED: "refused, and nothing was changed:",
    ReloadOutcome.PLANNED: "would change:",
}
_NOBODY = "no driver has answered: none runs, or it cannot read its orders"


def reload(
    file: File,
    reason: Reason = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be changed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """
    Have the running driver read FILE again: only what has changed is touched.

    FILE is checked here first; the driver then reads its own, which may be on another machine. The
    order lies on the targets of the flows, as those of `kmirror pause` do; SIGHUP asks for the
    same. What can change while a flow copies, such as its filters, does; for the rest that one flow
    starts again. If anything is wrong, nothing is changed.

    Exit codes: 0 changed or nothing to change, 2 the file is wrong or the driver refuses it, 3 no
    driver has answered.
    """
    config, clock = load_or_exit(file), SystemClock()
    order = ReloadOrder(number=secrets.token_hex(8), author=author_now(reason), dry_run=dry_run)
    answers = ask_drivers(config.flows, order, clock)
    found, silent = answers.found, answers.silent
    for trouble in answers.troubles:
        complain(trouble)
    if as_json:
        plain = {"answers": [asdict(each) for each in found], "silent": list(map(str, silent))}
        print(json.dumps(plain))
    else:
        _print(found)
    for flow in silent or (() if found else tuple(flow.flow for flow in config.flows)):
        complain(f"{flow}: {_NOBODY}")
    raise SystemExit(_exit_of(found, silent))


def _exit_of(found: Sequence[Reloaded], silent: Sequence[Flow]) -> Exit:
    if any(answer.outcome is ReloadOutcome.REFUSED for answer in found):
        return Exit.CONFIG
    return Exit.START_FAILED if silent or not found else Exit.OK


def _print(answers: Iterable[Reloaded]) -> None:
    for answer in answers:
        print(f"{answer.driver} has read {answer.file}; {_HEADS[answer.outcome]}")
        for line in answer.lines:
            print(f"  {line}")

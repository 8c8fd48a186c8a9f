"""Does what the plan of a flow says, and looks whether its target has all of it then."""

from __future__ import annotations

from kmirror.api.answers import Step
from kmirror.api.orders import Ordered
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.events.console import PLAN_APPLIED
from kmirror.events.emit import emit
from kmirror.parity.asked_apply import apply_plan
from kmirror.parity.asked_plan import ask_plan
from kmirror.parity.plan_steps import outcome_steps, plan_steps
from kmirror.wire.control_orders import Author

_ORDER = "apply the plan"


def apply_and_look(
    config: FlowConfig, clients: FlowClients, author: Author, clock: Clock, *, dry_run: bool
) -> Ordered:
    """
    Do what the plan says now.

    Args:
        config: The flow, with the generations that its copies are in.
        clients: Its clients.
        author: Who wants it, and why.
        clock: Where time comes from.
        dry_run: Only say what would be done.

    Raises:
        ClusterError: A cluster does not answer, or refuses.
    """
    began_s = clock.monotonic_s()
    if dry_run:
        plan = ask_plan(config, clients, clock, author.by)
        return Ordered(
            order=_ORDER,
            steps=_lines(plan_steps(plan)),
            is_written=False,
            is_in_effect=False,
            took_s=0.0,
            words="nothing was changed: this was a dry run"
            if plan
            else "there is nothing to change",
        )
    outcome = apply_plan(config, clients, clock, author.by)
    steps = _lines(outcome_steps(outcome))
    left = ask_plan(config, clients, clock, author.by)
    took_s = clock.monotonic_s() - began_s
    is_done = outcome.is_complete and not left
    emit(
        PLAN_APPLIED,
        flow=config.flow,
        reason=str(author),
        status="; ".join(steps) or "there was nothing to change",
    )
    if is_done:
        words = f"in effect after {took_s:.1f} s: the target was seen to have all of it"
    elif not outcome.is_complete:
        words = "something could not be done: see the lines with cannot"
    else:
        words = f"done, and {len(plan_steps(left))} lines of the plan are there again, or still"
    return Ordered(
        order=_ORDER,
        steps=steps,
        is_written=True,
        is_in_effect=is_done,
        took_s=took_s,
        words=words,
    )


def _lines(steps: tuple[Step, ...]) -> tuple[str, ...]:
    return tuple(f"{step.verb} {step.words}".strip() for step in steps)

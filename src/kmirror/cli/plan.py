"""`kmirror plan` and `kmirror apply`: topics and their settings, without running a flow."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, OneFlow, flows_or_exit, load_or_exit
from kmirror.cli.plan_view import (
    draw_error,
    draw_outcome,
    draw_plan,
    plain_error,
    plain_outcome,
    plain_plan,
)
from kmirror.cli.terminal import who, wide_console
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.copy_generations import open_readable
from kmirror.errors import ClusterError, EnvironmentProblem
from kmirror.parity.asked_apply import apply_plan
from kmirror.parity.asked_plan import ask_plan
from kmirror.parity.flow_plan import FlowOutcome, FlowPlan
from kmirror.parity.reports import Reports, account_reports
from kmirror.pipeline.gateway import client_jvm

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object per flow, one per line.")
]

Answer = TypeVar("Answer")


def plan(file: File, flow: OneFlow = None, as_json: AsJson = False) -> None:
    """
    Show what `kmirror apply FILE` would change: topics to create and grow, their settings and ACLs,
    and copies whose topics were deleted.

    It changes nothing. Each line says why. What an administrator has to do is reported, with the
    command: quotas, SCRAM users and replicas that the target lacks. Exit codes: 0 nothing would
    change, 1 something would, 2 the file is wrong, 3 a cluster does not answer, 5 something is
    wanted that is not possible.
    """
    flows = flows_or_exit(file, load_or_exit(file), flow)
    answers = _with_accounts(flows, [_with_clients(config, _plan) for config in flows])
    for config, answer in zip(flows, answers, strict=True):
        if isinstance(answer, ClusterError):
            _show(as_json, plain_error(config.flow, answer), draw_error(config.flow, answer))
        else:
            _show(as_json, plain_plan(answer), draw_plan(answer))
    raise SystemExit(_plan_exit(answers))


def apply(file: File, flow: OneFlow = None, as_json: AsJson = False) -> None:
    """
    Create and grow topics, make their settings and ACLs equal, and do what the file wants done with
    copies of deleted topics, as `kmirror plan FILE` shows it.

    It copies no record, needs no Spark, and may run beside `kmirror run`. Repeat it at will: what
    is equal is left alone. Exit codes: 0 everything is equal now, 2 the file is wrong, 3 a cluster
    does not answer, 5 something could not be done; everything else was.
    """
    flows = flows_or_exit(file, load_or_exit(file), flow)
    answers = list[FlowOutcome | ClusterError]()
    for config in flows:
        answer = _with_clients(config, _apply)
        answers.append(answer)
        # At once: what was done is told even if the next flow's cluster keeps us waiting.
        if isinstance(answer, ClusterError):
            _show(as_json, plain_error(config.flow, answer), draw_error(config.flow, answer))
        else:
            _show(as_json, plain_outcome(answer), draw_outcome(answer))
    raise SystemExit(_apply_exit(answers))


def _with_clients(
    config: FlowConfig, work: Callable[[FlowConfig, FlowClients], Answer]
) -> Answer | ClusterError:
    """Work with the clusters of a flow; return an error, so that other flows have their turn."""
    try:
        with open_readable(config, SystemClock()) as (current, clients):
            return work(current, clients)
    except ClusterError as error:
        return error


def _plan(config: FlowConfig, clients: FlowClients) -> FlowPlan:
    return ask_plan(config, clients, SystemClock(), who())


def _with_accounts(
    flows: Sequence[FlowConfig], answers: Sequence[FlowPlan | ClusterError]
) -> list[FlowPlan | ClusterError]:
    """Add what only Kafka's own client tells; without Java the rest of the plan is shown."""
    if not any(isinstance(answer, FlowPlan) for answer in answers):
        return list(answers)
    try:
        with client_jvm() as jvm:
            return [
                answer.with_reports(account_reports(config, jvm))
                if isinstance(answer, FlowPlan)
                else answer
                for config, answer in zip(flows, answers, strict=True)
            ]
    except EnvironmentProblem as problem:
        left = Reports(unread=(f"client quotas and SCRAM users are not compared: {problem}",))
        return [
            answer.with_reports(left) if isinstance(answer, FlowPlan) else answer
            for answer in answers
        ]


def _apply(config: FlowConfig, clients: FlowClients) -> FlowOutcome:
    return apply_plan(config, clients, SystemClock(), who())


def _show(as_json: bool, plain: object, drawn: object) -> None:
    if as_json:
        print(json.dumps(plain))
    else:
        wide_console().print(drawn, soft_wrap=True)


def _plan_exit(answers: Sequence[FlowPlan | ClusterError]) -> Exit:
    """Return the exit code of the worst flow."""
    plans = [answer for answer in answers if isinstance(answer, FlowPlan)]
    if len(plans) < len(answers):
        return Exit.START_FAILED
    if not all(each.is_possible for each in plans):
        return Exit.INCOMPLETE
    return Exit.DIFFERENT if any(plans) else Exit.OK


def _apply_exit(answers: Sequence[FlowOutcome | ClusterError]) -> Exit:
    outcomes = [answer for answer in answers if isinstance(answer, FlowOutcome)]
    if len(outcomes) < len(answers):
        return Exit.START_FAILED
    return Exit.OK if all(each.is_complete for each in outcomes) else Exit.INCOMPLETE

"""Asks the drivers of flows to read their file again, and waits for what they say."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.channel import open_channel
from kmirror.control.reload import ReloadRequest
from kmirror.ends.clients import open_clients
from kmirror.errors import EnvironmentProblem, MirrorError
from kmirror.model import Flow
from kmirror.wire.control_orders import Reloaded, ReloadOrder

_ANSWER_S_MAX = 30.0
_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadAnswers:
    """
    What drivers have said.

    Args:
        asked: Flows for which the order was written.
        found: Their answers, each once: a driver of several flows gives one.
        silent: Flows whose driver has not answered.
        troubles: What went wrong when a flow's driver was asked, a line each.
    """

    asked: tuple[Flow, ...]
    found: tuple[Reloaded, ...]
    silent: tuple[Flow, ...]
    troubles: tuple[str, ...]


def ask_drivers(flows: Iterable[FlowConfig], order: ReloadOrder, clock: Clock) -> ReloadAnswers:
    """
    Write an order for each flow that was ever driven, and wait for the answers, 30 s at most.

    Args:
        flows: They.
        order: What is wanted.
        clock: Where time comes from.
    """
    with ExitStack() as opened:
        return _ask(flows, order, opened, clock)


def _ask(
    flows: Iterable[FlowConfig], order: ReloadOrder, opened: ExitStack, clock: Clock
) -> ReloadAnswers:
    answers: dict[Flow, Reloaded | None] = {}
    troubles: list[str] = []
    asked: list[Flow] = []
    waiting: list[ReloadRequest] = []
    for config in flows:
        try:
            request = _request(config, opened, clock)
            if not request.send(order):
                continue  # a new one: the driver of the others starts it
            waiting.append(request)
            asked.append(config.flow)
        except (MirrorError, EnvironmentProblem) as error:
            troubles.append(f"{config.flow}: {error}")
        answers[config.flow] = None
    deadline_s, never = clock.monotonic_s() + _ANSWER_S_MAX, threading.Event()
    while waiting and clock.monotonic_s() < deadline_s:
        clock.wait(never, _PAUSE_S)
        for request in tuple(waiting):
            try:
                answer = request.answer()
            except MirrorError as error:
                troubles.append(f"{request.flow}: {error}")
                waiting.remove(request)
                continue
            if answer is not None:
                answers[request.flow] = answer
                waiting.remove(request)
    return ReloadAnswers(
        asked=tuple(asked),
        found=tuple(dict.fromkeys(each for each in answers.values() if each is not None)),
        silent=tuple(flow for flow, answer in answers.items() if answer is None),
        troubles=tuple(troubles),
    )


def _request(config: FlowConfig, opened: ExitStack, clock: Clock) -> ReloadRequest:
    clients = open_clients(config, clock)
    opened.callback(clients.close)
    timeout_s = config.admin_timeout_s
    channel = open_channel(
        config, clients.target, clients.target_rdkafka, timeout_s=timeout_s, clock=clock
    )
    return ReloadRequest(config, clients.target, opened.enter_context(channel))

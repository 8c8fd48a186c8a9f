"""What may be ordered of a flow over HTTP: through the layer that the command line has, too."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from kmirror.api.orders import ApplyPlan, Ordered, PauseRequest, ReloadFile, SeekRequest
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.console.applying import apply_and_look
from kmirror.console.reasons import reason_of, require_name
from kmirror.console.reloading import ReloadAnswers, ask_drivers
from kmirror.control.actions import ControlActions, Effect
from kmirror.control.caller import Caller, Role
from kmirror.control.channel import open_channel
from kmirror.control.targets import seek_target
from kmirror.ends.clients import open_clients
from kmirror.ends.copy_generations import open_readable, with_readable_generations
from kmirror.errors import OrderRefused
from kmirror.wire.control_orders import Author, PauseVerb, ReloadOrder, ReloadOutcome, Scope


class Orders:
    """
    Gives orders, and looks whether they are obeyed.

    Args:
        clock: Where time comes from.
        no_reload: Why there is no file to be read again, and what to do; empty where there is one.
    """

    def __init__(self, clock: Clock, *, no_reload: str = "") -> None:
        self._clock = clock
        self._no_reload = no_reload

    def pause(
        self, config: FlowConfig, verb: PauseVerb, asked: PauseRequest, caller: Caller
    ) -> Ordered:
        """
        Order that something is copied, or not.

        Args:
            config: The flow.
            verb: Which of the two.
            asked: What, and why.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            OrderRefused: That cannot be.
            ClusterError: It could not be written.
        """
        caller.require(Role.OPERATOR, f"{verb.value} {config.flow}")
        if asked.partition is not None and asked.topic is None:
            raise OrderRefused("a partition is of a topic: say which")
        if asked.for_s is not None and verb is PauseVerb.RESUME:
            raise OrderRefused("a resume has no end: leave for_s out")
        author = self._author(asked.reason, caller)
        until_ms = None if asked.for_s is None else author.at_ms + asked.for_s * 1000
        scope = Scope(topic=asked.topic, partition=asked.partition)
        with open_actions(config, self._clock) as actions:
            order = actions.pause(verb, scope, author, until_ms=until_ms)
            effect = actions.await_effect()
        return _still_paused(_ordered(str(order), (), effect), config, verb)

    def seek(self, config: FlowConfig, verb: str, asked: SeekRequest, caller: Caller) -> Ordered:
        """
        Order that partitions go on elsewhere.

        Args:
            config: The flow.
            verb: `seek` or `skip`.
            asked: Which, where, and why.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            OrderRefused: That cannot be, or the flow was not named again.
            ClusterError: It could not be written.
        """
        caller.require(Role.ADMIN, f"{verb} partitions of {config.flow}")
        require_name(config, asked.flow)
        if verb == "skip" and asked.partition is None:
            raise OrderRefused("a skip is of one partition: say which")
        if verb == "seek" and asked.to is None:
            raise OrderRefused("say where to go on: earliest, latest, an offset, or a time")
        to = None if asked.to is None else seek_target(asked.to)
        scope = Scope(topic=asked.topic, partition=asked.partition)
        with open_actions(config, self._clock) as actions:
            planned = actions.plan_seek(verb, scope, to, self._author(asked.reason, caller))
            effect = None
            if not asked.dry_run:
                actions.seek(planned, allow_repeats=asked.allow_repeats)
                effect = actions.await_effect()
        order = f"{verb} {scope}" + ("" if asked.to is None else f" to {asked.to}")
        return _ordered(order, tuple(map(str, planned)), effect)

    def reload(self, flows: Sequence[FlowConfig], asked: ReloadFile, caller: Caller) -> Ordered:
        """
        Order that the drivers of flows read their file again.

        Args:
            flows: They.
            asked: Why.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            OrderRefused: There is no file to be read again, no flow, or no reason.
        """
        caller.require(Role.ADMIN, "reload the file")
        if self._no_reload:
            raise OrderRefused("no file is read again", hint=self._no_reload)
        order = ReloadOrder(
            number=secrets.token_hex(8),
            author=self._author(asked.reason, caller),
            dry_run=asked.dry_run,
        )
        began_s = self._clock.monotonic_s()
        answers = ask_drivers(flows, order, self._clock)
        return _reloaded(answers, took_s=self._clock.monotonic_s() - began_s)

    def apply(self, config: FlowConfig, asked: ApplyPlan, caller: Caller) -> Ordered:
        """
        Do what the plan of a flow says, and look whether anything of it is left.

        Args:
            config: The flow.
            asked: Why.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            OrderRefused: The flow was not named again.
            ClusterError: A cluster does not answer, or refuses.
        """
        caller.require(Role.ADMIN, f"apply the plan of {config.flow}")
        require_name(config, asked.flow)
        author = self._author(asked.reason, caller)
        with open_readable(config, self._clock) as (current, clients):
            return apply_and_look(current, clients, author, self._clock, dry_run=asked.dry_run)

    def _author(self, reason: str, caller: Caller) -> Author:
        return Author(by=str(caller), at_ms=self._clock.wall_ms(), reason=reason_of(reason))


@contextmanager
def open_actions(config: FlowConfig, clock: Clock) -> Iterator[ControlActions]:
    """
    Open what gives orders to a flow, until the context ends.

    Args:
        config: The flow.
        clock: Where time comes from.
    """
    clients = open_clients(config, clock)
    try:
        with open_channel(
            config,
            clients.target,
            clients.target_rdkafka,
            timeout_s=config.admin_timeout_s,
            clock=clock,
        ) as channel:
            yield ControlActions(
                config,
                clients.source,
                clients.target,
                channel,
                clock,
                read_generations=lambda: with_readable_generations(config, clients),
            )
    finally:
        clients.close()


def _reloaded(answers: ReloadAnswers, *, took_s: float) -> Ordered:
    """Say what drivers have answered."""
    if not answers.found and not answers.silent:
        raise OrderRefused("no flow was ever driven: there is nobody to read the file again")
    outcomes = {each.outcome for each in answers.found}
    is_refused = ReloadOutcome.REFUSED in outcomes
    silent = tuple(f"{flow}: no driver has answered" for flow in answers.silent)
    if is_refused:
        words = "refused, and nothing was changed"
    elif answers.silent:
        words = "not all drivers have answered: none runs, or it cannot read its orders"
    elif ReloadOutcome.PLANNED in outcomes:
        words = "nothing was changed: this was a dry run"
    elif outcomes == {ReloadOutcome.UNCHANGED}:
        words = f"read after {took_s:.1f} s, and nothing has changed"
    else:
        words = f"in effect after {took_s:.1f} s, as the driver says"
    done = {ReloadOutcome.APPLIED, ReloadOutcome.UNCHANGED}
    return Ordered(
        order="reload",
        steps=(
            *(f"{each.driver}: {line}" for each in answers.found for line in each.lines),
            *answers.troubles,
            *silent,
        ),
        is_written=bool(answers.asked) and ReloadOutcome.PLANNED not in outcomes,
        is_in_effect=not silent and bool(outcomes) and outcomes <= done,
        took_s=took_s,
        words=words,
    )


def _still_paused(done: Ordered, config: FlowConfig, verb: PauseVerb) -> Ordered:
    """Say of a flow that is resumed what still pauses it: the target state of its connector."""
    if verb is not PauseVerb.RESUME or config.pause is None:
        return done
    author = config.pause.author
    return replace(
        done,
        is_in_effect=False,
        words=f"{done.words}; it stays paused by {author.by}: {author.reason}. PUT "
        "/connectors/NAME/resume of Connect's REST API ends that",
    )


def _ordered(order: str, steps: tuple[str, ...], effect: Effect | None) -> Ordered:
    words = "nothing was changed: this was a dry run" if effect is None else str(effect)
    return Ordered(
        order=order,
        steps=steps,
        is_written=effect is not None,
        is_in_effect=effect is not None and effect.generation is not None,
        took_s=0.0 if effect is None else effect.took_s,
        words=words,
    )

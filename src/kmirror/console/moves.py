"""Moves consumer groups for whoever orders it over HTTP, in threads of their own."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from kmirror.api.moves import (
    AbortRequest,
    MoveList,
    MovePlanView,
    MoveRequest,
    MoveState,
    MoveStepView,
    MoveVerb,
    MoveView,
)
from kmirror.api.orders import Ordered
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.console.kept_answers import KeptAnswers
from kmirror.console.move_views import loss_view, plan_view, report_groups
from kmirror.console.reasons import reason_of, require_name
from kmirror.control.caller import Caller, Role
from kmirror.ends.clients import open_clients
from kmirror.errors import (
    BadRequest,
    MirrorError,
    MoveRefused,
    NotFound,
    OrderRefused,
)
from kmirror.events.console import MOVE_BEGUN, MOVE_ENDED, MOVE_STEP
from kmirror.events.emit import emit
from kmirror.events.table import RUN_CRASHED
from kmirror.moves.dry_run import dry_run
from kmirror.moves.ends import MoveEnds, MoveFlows
from kmirror.moves.hold import FlowHold
from kmirror.moves.move import Move, abort
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.moves import MoveKind, MoveOptions, MoveReport, MoveStep, step_names
from kmirror.policy.regex import RegexProblem, compile_any

_KEPT = 50
_KEEP_S = 3.0
_AGAIN = "Order it again: it goes on where it was."
_NEXT = {
    MoveVerb.FAILOVER: "A failback brings the groups back, and lets the flow copy again.",
    MoveVerb.PROMOTE: "A failback brings the groups back, and lets the flow copy again.",
    MoveVerb.FAILBACK: "",
}


class Moves:
    """
    Moves consumer groups, and remembers what became of it as long as the process lives.

    Args:
        config: Gives the file as it is now.
        kafka: Gives what opens Kafka's own clients.
        clock: Where time comes from.
    """

    def __init__(
        self, config: Callable[[], MirrorConfig], kafka: Callable[[], JvmClients], clock: Clock
    ) -> None:
        self._config = config
        self._kafka = kafka
        self._clock = clock
        self._plans = KeptAnswers[MovePlanView](_KEEP_S, clock)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._moves: deque[_Ordered] = deque(maxlen=_KEPT)

    def plan(self, config: FlowConfig, asked: MoveRequest) -> MovePlanView:
        """
        Say what a move would do now; nothing is changed.

        Args:
            config: The flow.
            asked: Which move; who waits for nothing needs no reason.

        Raises:
            BadRequest: The groups are no regular expression.
            ClusterError: A cluster does not answer, or refuses.
            EnvironmentProblem: There is no Java to ask with.
        """
        return self._plans.get((config.flow, asked), lambda: self._plan(config, asked))

    def moves(self) -> MoveList:
        """Return all that were ordered here, the newest first."""
        with self._lock:
            return MoveList(moves=tuple(each.view for each in self._moves))

    def move(self, number: int) -> MoveView:
        """
        Return one of them.

        Raises:
            NotFound: There is none, or it was too long ago.
        """
        for each in self.moves().moves:
            if each.number == number:
                return each
        raise NotFound(f"there is no move {number} of this process")

    def begin(self, config: FlowConfig, asked: MoveRequest, caller: Caller) -> MoveView:
        """
        Begin a move; it goes on by itself.

        Args:
            config: The flow.
            asked: Which move, and why.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            BadRequest: The groups are no regular expression.
            OrderRefused: The flow was not named again, or its groups are being moved.
        """
        caller.require(Role.ADMIN, f"{asked.kind.value} {config.flow}")
        require_name(config, asked.flow)
        reason = reason_of(asked.reason)
        options, allowed = _options(asked), _allowed(config, asked.groups)
        flow, is_back = config.flow, options.kind.is_back
        view = MoveView(
            number=next(self._numbers),
            flow=str(flow),
            kind=asked.kind,
            drill=asked.drill,
            state=MoveState.RUNNING,
            by=str(caller),
            reason=reason,
            here=flow.target if is_back else flow.source,
            there=flow.source if is_back else flow.target,
            began_ms=self._clock.wall_ms(),
            doing=step_names(options)[0],
        )
        ordered = _Ordered(view, options, self._clock)
        with self._lock:
            clusters = {flow.source, flow.target}
            for each in self._moves:
                if each.is_running and {each.view.here, each.view.there} == clusters:
                    raise OrderRefused(
                        f"move {each.view.number} is under way: {each.view.kind.value} of "
                        f"{each.view.flow} by {each.view.by}",
                        hint="wait until it has ended",
                    )
            self._moves.appendleft(ordered)
        emit(MOVE_BEGUN, flow=flow, order=_words(view), caller=view.by, reason=reason)
        threading.Thread(
            target=self._run,
            args=(ordered, config, allowed),
            name=f"move-{view.number}",
            daemon=True,
        ).start()
        return ordered.view

    def abort(self, config: FlowConfig, asked: AbortRequest, caller: Caller) -> Ordered:
        """
        Let a flow copy again that a move keeps from it, and move nobody.

        Args:
            config: The flow.
            asked: Why.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            OrderRefused: The flow was not named again.
            ClusterError: The target does not answer, or refuses.
        """
        caller.require(Role.ADMIN, f"let {config.flow} copy again")
        require_name(config, asked.flow)
        reason = reason_of(asked.reason)
        began_s = self._clock.monotonic_s()
        order = "end the hold"
        emit(MOVE_BEGUN, flow=config.flow, order=order, caller=str(caller), reason=reason)
        with closing(open_clients(config, self._clock)) as clients:
            was_held = abort(FlowHold(config, clients, self._kafka(), self._clock))
        words = f"{config.flow} may copy again" if was_held else f"{config.flow} was not held"
        return Ordered(
            order=order,
            steps=(),
            is_written=was_held,
            is_in_effect=True,
            took_s=self._clock.monotonic_s() - began_s,
            words=words,
        )

    def _plan(self, config: FlowConfig, asked: MoveRequest) -> MovePlanView:
        options, allowed = _options(asked), _allowed(config, asked.groups)
        with self._ends(config, options, allowed) as ends:
            found = dry_run(ends, options, self._clock)
        return plan_view(config.flow, options.kind, found, self._clock.wall_ms())

    def _ends(
        self, config: FlowConfig, options: MoveOptions, allowed: Callable[[str], bool]
    ) -> MoveEnds:
        return MoveEnds(
            MoveFlows.of(config, self._config().flows),
            back=options.kind.is_back,
            without_source=options.without_source,
            allowed=allowed,
            kafka=self._kafka(),
            clock=self._clock,
        )

    def _run(self, ordered: _Ordered, config: FlowConfig, allowed: Callable[[str], bool]) -> None:
        try:
            with self._ends(config, ordered.options, allowed) as ends:
                report = Move(
                    ends,
                    ordered.options,
                    tell=ordered.tell,
                    began_ms=ordered.view.began_ms,
                    clock=self._clock,
                ).run()
            ordered.end(report)
        except MoveRefused as error:
            ordered.stop(MoveState.REFUSED, error.message, error.hint)
        except MirrorError as error:
            ordered.stop(MoveState.FAILED, str(error), _AGAIN)
        except Exception as error:  # noqa: BLE001 - or it would run for ever in the list
            emit(RUN_CRASHED, error=error, trace=error)
            ordered.stop(MoveState.FAILED, f"unexpected: {error!r}", _AGAIN)
        view = ordered.view
        emit(
            MOVE_ENDED,
            flow=config.flow,
            order=_words(view),
            status=view.state.value,
            reason=view.problem or f"{len(view.groups)} groups go on at {view.there}",
        )


class _Ordered:
    """
    A move, as far as it is.

    Args:
        view: How it begins.
        options: What was ordered.
        clock: Where time comes from.
    """

    def __init__(self, view: MoveView, options: MoveOptions, clock: Clock) -> None:
        self.view = view
        self.options = options
        self._clock = clock

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.view.state is MoveState.RUNNING

    def tell(self, step: MoveStep) -> None:
        """Note a step that is done."""
        done = MoveStepView(
            name=step.name, words=step.words, took_s=step.took_s, at_ms=self._clock.wall_ms()
        )
        steps = (*self.view.steps, done)
        names = step_names(self.options)
        doing = names[len(steps)] if len(steps) < len(names) else ""
        self.view = view = replace(self.view, steps=steps, doing=doing)
        emit(
            MOVE_STEP,
            flow=view.flow,
            order=_words(view),
            step=step.name,
            duration_s=step.took_s,
            status=step.words,
        )

    def end(self, report: MoveReport) -> None:
        """Note what was seen at its end."""
        view = self.view
        is_complete = report.is_complete
        self.view = replace(
            view,
            state=MoveState.DONE if is_complete else MoveState.INCOMPLETE,
            ended_ms=self._clock.wall_ms(),
            doing="",
            loss=loss_view(report.loss, here=view.here, there=view.there),
            took_s=report.took_s,
            groups=report.groups,
            left=report_groups(report),
            hint="" if report.drill else _NEXT[view.kind],
        )

    def stop(self, state: MoveState, problem: str, hint: str) -> None:
        """Note why it did not come to its end."""
        self.view = replace(
            self.view, state=state, ended_ms=self._clock.wall_ms(), problem=problem, hint=hint
        )


def _options(asked: MoveRequest) -> MoveOptions:
    if asked.without_source and asked.kind is not MoveVerb.FAILOVER:
        raise BadRequest("without_source: only a failover goes on without its source")
    return MoveOptions(
        kind=MoveKind(asked.kind.value),
        max_lag_records=asked.max_lag_records,
        wait_s=float(asked.wait_s),
        drill=asked.drill,
        allow_backwards=asked.allow_backwards,
        without_source=asked.without_source,
    )


def _allowed(config: FlowConfig, groups: str | None) -> Callable[[str], bool]:
    if groups is None:
        return config.consumers.group_filter().allows
    try:
        pattern = compile_any((groups,))
    except RegexProblem as error:
        raise BadRequest(f"groups: {groups}: {error}") from error
    assert pattern is not None, "there is one"
    return pattern.matches


def _words(view: MoveView) -> str:
    return f"{view.kind.value} (a drill)" if view.drill else view.kind.value

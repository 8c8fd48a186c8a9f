"""What the console's API says of moves of consumer groups, and does."""

from __future__ import annotations

from functools import partial
from http import HTTPMethod, HTTPStatus

from kmirror.api import moves
from kmirror.api.moves import AbortRequest, MoveRequest, MoveVerb
from kmirror.console.console import Console
from kmirror.control.caller import Role
from kmirror.errors import BadRequest
from kmirror.server.answers import Answer
from kmirror.server.api.models import answer_of, body_of
from kmirror.server.api.unanswered import answered
from kmirror.server.endpoint import Call, Endpoint, whole_number

MODELS = (moves.MovePlanView, moves.MoveList, moves.MoveView, MoveRequest, AbortRequest)
_RECORDS_MAX = 1 << 53
_read = partial(Endpoint, method=HTTPMethod.GET, role=Role.VIEWER)
_order = partial(Endpoint, method=HTTPMethod.POST, role=Role.ADMIN)


def move_endpoints(console: Console, base: str, flow: str) -> tuple[Endpoint, ...]:
    """
    Return the rows.

    Args:
        console: Answers, and gives orders.
        base: The path of the API.
        flow: The path of a flow.
    """
    handlers = _MoveHandlers(console)
    return (
        _read(
            path=f"{flow}/move-plan",
            handle=answered(handlers.plan),
            summary="What a move of groups would do now; nothing is changed",
            answers={200: "MovePlanView", 503: "Error"},
            query={
                "kind": "`failover`, `promote` or `failback`; `failover` if absent.",
                "groups": "A Java regex of whole names; those that the file names if absent.",
                "max_lag_records": "As in an order.",
                "allow_backwards": "`true` or `false`; as in an order.",
                "without_source": "The same.",
            },
            numbers=frozenset({"max_lag_records"}),
            asks=True,
        ),
        _read(
            path=f"{base}/moves",
            handle=handlers.moves,
            summary="Moves that were ordered here since the process began, the newest first",
            answers={200: "MoveList"},
        ),
        _read(
            path=f"{base}/moves/{{number}}",
            handle=handlers.move,
            summary="One of them, with its steps so far",
            answers={200: "MoveView"},
        ),
        _order(
            path=f"{flow}/moves",
            handle=answered(handlers.begin),
            summary="Begin to move groups to the other cluster, or back; it goes on by itself",
            body="MoveRequest",
            answers={202: "MoveView", 503: "Error"},
        ),
        _order(
            path=f"{flow}/moves/abort",
            handle=answered(handlers.abort),
            summary="Let a flow copy again that a move keeps from it; move no groups",
            body="AbortRequest",
            answers={200: "Ordered", 503: "Error"},
        ),
    )


class _MoveHandlers:
    """
    Their handlers.

    Args:
        console: Answers, and gives orders.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def plan(self, call: Call) -> Answer:
        """Say what a move would do."""
        config = self._console.flow_config(call.path["flow"])
        return answer_of(self._console.moves.plan(config, asked_plan(call)))

    def moves(self, _: Call) -> Answer:
        """Give all moves."""
        return answer_of(self._console.moves.moves())

    def move(self, call: Call) -> Answer:
        """Give one."""
        number = whole_number(call.path["number"], "number")
        return answer_of(self._console.moves.move(number))

    def begin(self, call: Call) -> Answer:
        """Begin one."""
        asked = body_of(MoveRequest, call)
        config = self._console.flow_config(call.path["flow"])
        self._console.require_orders()
        found = self._console.moves.begin(config, asked, call.caller)
        return answer_of(found, HTTPStatus.ACCEPTED)

    def abort(self, call: Call) -> Answer:
        """End what a move has left."""
        asked = body_of(AbortRequest, call)
        config = self._console.flow_config(call.path["flow"])
        self._console.require_orders()
        return answer_of(self._console.moves.abort(config, asked, call.caller))


def asked_plan(call: Call) -> MoveRequest:
    """
    Read which move a dry run is asked for.

    Args:
        call: With it in its query.

    Raises:
        BadRequest: There is no such move.
    """
    kind = call.text("kind") or MoveVerb.FAILOVER.value
    if kind not in set(MoveVerb):
        raise BadRequest(f"kind: expected one of {', '.join(MoveVerb)}")
    return MoveRequest(
        kind=MoveVerb(kind),
        reason="a dry run",
        flow=call.path.get("flow") or call.text("flow") or "",
        groups=call.text("groups"),
        max_lag_records=call.number("max_lag_records", default=0, high=_RECORDS_MAX),
        allow_backwards=call.flag("allow_backwards"),
        without_source=call.flag("without_source"),
    )

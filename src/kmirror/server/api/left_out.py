"""What the console's API says of what copies have gone on without, and does about it."""

from __future__ import annotations

from functools import partial
from http import HTTPMethod

from kmirror.api import left_out
from kmirror.api.left_out import ReplayRequest
from kmirror.console.console import Console
from kmirror.control.caller import Role
from kmirror.server.answers import Answer
from kmirror.server.api.models import answer_of, body_of
from kmirror.server.api.unanswered import answered
from kmirror.server.endpoint import Call, Endpoint, whole_number

MODELS = (left_out.LeftOutList, left_out.LetterView, ReplayRequest, left_out.ReplayList)
_LIMIT, _LIMIT_MAX = 200, 10_000
_asked = partial(Endpoint, method=HTTPMethod.GET, role=Role.VIEWER, asks=True)


def left_out_endpoints(console: Console, flow: str) -> tuple[Endpoint, ...]:
    """
    Return the rows.

    Args:
        console: Answers, and gives orders.
        flow: The path of a flow.
    """
    handlers = _LeftOutHandlers(console)
    return (
        _asked(
            path=f"{flow}/left-out",
            handle=answered(handlers.gaps),
            summary="What copies have gone on without, or stand still before, the newest first",
            answers={200: "LeftOutList", 503: "Error"},
            query={
                "topic": "Only of one topic of the source.",
                "offset": "So many are left out first.",
                "limit": f"So many at most: up to {_LIMIT_MAX}, {_LIMIT} if absent.",
            },
            numbers=frozenset({"offset", "limit"}),
        ),
        _asked(
            path=f"{flow}/dead-letters/{{number}}",
            role=Role.OPERATOR,
            handle=answered(handlers.letter),
            summary="A dead letter with what is kept of it",
            answers={200: "LetterView", 503: "Error"},
        ),
        Endpoint(
            method=HTTPMethod.POST,
            path=f"{flow}/dead-letters/replay",
            role=Role.ADMIN,
            handle=answered(handlers.replay),
            summary="Write dead letters to the topics that did not take them, each of them once",
            body="ReplayRequest",
            answers={200: "ReplayList", 503: "Error"},
        ),
    )


class _LeftOutHandlers:
    """
    Their handlers.

    Args:
        console: Answers, and gives orders.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def gaps(self, call: Call) -> Answer:
        """Give what copies have gone on without."""
        found = self._console.left_out.gaps(
            self._console.flow_config(call.path["flow"]),
            topic=call.text("topic"),
            offset=call.number("offset", default=0),
            limit=call.number("limit", default=_LIMIT, high=_LIMIT_MAX),
        )
        return answer_of(found)

    def letter(self, call: Call) -> Answer:
        """Give one that is kept."""
        config = self._console.flow_config(call.path["flow"])
        number = whole_number(call.path["number"], "number")
        return answer_of(self._console.left_out.letter(config, number, call.caller))

    def replay(self, call: Call) -> Answer:
        """Write them to their topics."""
        asked = body_of(ReplayRequest, call)
        config = self._console.flow_config(call.path["flow"])
        self._console.require_orders()
        return answer_of(self._console.left_out.replay(config, asked, call.caller))

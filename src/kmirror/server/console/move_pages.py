"""The page on which consumer groups are moved to the other cluster, and back."""

from __future__ import annotations

from kmirror.api.moves import MovePlanView, MoveVerb
from kmirror.console.console import Console
from kmirror.errors import BadRequest, MirrorError
from kmirror.server.api.moves import asked_plan
from kmirror.server.console.page import Page, flow_names, looks, tried
from kmirror.server.endpoint import Call

_ROWS_MAX = 500


class MovePages:
    """
    Makes the page.

    Args:
        console: Knows what is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def move(self, call: Call, is_part: bool) -> Page:
        """Show what a move would do, and the moves that were ordered here."""
        names = flow_names(self._console)
        asked = {
            "flow": call.text("flow") or "",
            "kind": call.text("kind") or MoveVerb.FAILOVER.value,
            "groups": call.text("groups") or "",
            "max_lag_records": call.text("max_lag_records") or "",
            "allow_backwards": "true" if call.flag("allow_backwards") else "",
            "without_source": "true" if call.flag("without_source") else "",
        }
        found: MovePlanView | MirrorError | None = None
        if asked["flow"] and looks(call, is_part):
            found = tried(lambda: self._plan(call))
        return Page(
            template="move.html",
            context={
                "names": names,
                "asked": asked,
                "kinds": [each.value for each in MoveVerb],
                "has_plan": bool(asked["flow"]) and (looks(call, is_part) or not is_part),
                "found": found,
                "rows_max": _ROWS_MAX,
                "moves": self._console.moves.moves().moves,
                "section": "move",
            },
            every_s=1.0,
            follows="events",
        )

    def _plan(self, call: Call) -> MovePlanView:
        asked = asked_plan(call)
        if not asked.flow:
            raise BadRequest("flow: is missing")
        return self._console.moves.plan(self._console.flow_config(asked.flow), asked)

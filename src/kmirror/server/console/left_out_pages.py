"""The pages of what copies have gone on without: all of a flow, and one dead letter."""

from __future__ import annotations

from kmirror.api.left_out import LeftOutList, LetterView
from kmirror.console.console import Console
from kmirror.errors import MirrorError
from kmirror.server.console.page import ROWS_MAX, Page, looks, tried
from kmirror.server.endpoint import Call, whole_number


class LeftOutPages:
    """
    Makes the pages.

    Args:
        console: Knows what is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def left_out(self, call: Call, is_part: bool) -> Page:
        """Show a flow and what its copies have gone on without."""
        flow, topic = call.path["flow"], call.text("topic") or ""
        config = self._console.flow_config(flow)
        offset = call.number("offset", default=0)
        found: LeftOutList | MirrorError | None = None
        if looks(call, is_part):
            found = tried(
                lambda: self._console.left_out.gaps(
                    config, topic=topic or None, offset=offset, limit=ROWS_MAX
                )
            )
        return Page(
            template="flow_left_out.html",
            context={
                "flow": self._console.flow(flow),
                "tab": "left-out",
                "section": "flows",
                "asked": {"topic": topic},
                "offset": offset,
                "step": ROWS_MAX,
                "has_list": looks(call, is_part) or not is_part,
                "found": found,
            },
            every_s=2.0,
        )

    def letter(self, call: Call, is_part: bool) -> Page:
        """Show a dead letter."""
        flow = call.path["flow"]
        number = whole_number(call.path["number"], "number")
        self._console.topic_questions.require_records(call.caller)
        config = self._console.flow_config(flow)
        found: LetterView | MirrorError | None = None
        if is_part:
            found = tried(lambda: self._console.left_out.letter(config, number, call.caller))
        return Page(
            template="letter.html",
            context={"flow_name": flow, "number": number, "found": found, "section": "flows"},
        )

"""The pages of one topic that ask the clusters: why it is copied, or not, and its records."""

from __future__ import annotations

from kmirror.api.topic_answers import ExplanationView, RecordList, TopicSettingsView
from kmirror.console.asked_places import SIDES
from kmirror.console.console import Console
from kmirror.console.topic_questions import COUNT, RecordsAsked
from kmirror.errors import MirrorError
from kmirror.model import TopicPartition
from kmirror.server.console.contents import FORMS
from kmirror.server.console.page import Page, tried
from kmirror.server.endpoint import PARTITION_MAX, Call

_FOLLOW_S = 5.0
_COUNTS = (10, COUNT, 50, 100)


class TopicPages:
    """
    Makes the pages.

    Args:
        console: Knows what is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def explain(self, call: Call, is_part: bool) -> Page:
        """Show why a topic is copied, or is not."""
        flow, topic = call.path["flow"], call.text("topic") or ""
        config = self._console.flow_config(flow)
        found: ExplanationView | MirrorError | None = None
        if topic and is_part:
            found = tried(lambda: self._console.topic_questions.explain(config, topic))
        context = {"flow_name": flow, "name": topic, "found": found, "section": "flows"}
        return Page(template="explain.html", context=context)

    def settings(self, call: Call, is_part: bool) -> Page:
        """Show the settings of a topic and of its copy."""
        flow, topic = call.path["flow"], call.path["topic"]
        config = self._console.flow_config(flow)
        found: TopicSettingsView | MirrorError | None = None
        if is_part:
            found = tried(lambda: self._console.topic_questions.settings(config, topic))
        return Page(
            template="topic_settings.html",
            context={
                "flow_name": flow,
                "name": topic,
                "found": found,
                "shows_all": call.text("show") == "all",
                "section": "flows",
            },
        )

    def records(self, call: Call, is_part: bool) -> Page:
        """Show records of a partition, and of its copy."""
        flow, topic = call.path["flow"], call.text("topic") or ""
        self._console.topic_questions.require_records(call.caller)
        asked = {
            "partition": call.text("partition") or "0",
            "at": call.text("at") or "",
            "side": call.text("side") or "source",
            "form": call.text("form") or "",
            "follow": "true" if call.flag("follow") and not call.text("at") else "",
            # The window of an audit that somebody comes from, by its first source offset.
            "window": call.text("window") or "",
            "limit": call.number("limit", default=COUNT),
        }
        found: RecordList | MirrorError | None = None
        if topic and is_part:
            found = tried(lambda: self._records(call, topic))
        return Page(
            template="records.html",
            context={
                "flow_name": flow,
                "name": topic,
                "asked": asked,
                "counts": _COUNTS,
                "sides": SIDES,
                "forms": FORMS,
                "found": found,
                "section": "flows",
            },
            every_s=_FOLLOW_S if asked["follow"] and topic else 0.0,
        )

    def _records(self, call: Call, topic: str) -> RecordList:
        number = call.number("partition", default=0, high=PARTITION_MAX)
        return self._console.topic_questions.records(
            self._console.flow_config(call.path["flow"]),
            TopicPartition(topic, number),
            RecordsAsked(
                at=call.text("at"),
                side=call.text("side") or "source",
                count=call.number("limit", default=COUNT, low=1),
                follows=call.flag("follow"),
            ),
            call.caller,
        )

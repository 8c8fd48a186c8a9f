"""What each page shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.responses import Response

from kmirror.api.answers import EventList, EventView, Translation
from kmirror.api.flows import PartitionView, TopicView
from kmirror.config.flows import FlowConfig
from kmirror.console.choices import PARTITION_SORTS, TOPIC_SORTS, RowChoice, chosen_topics
from kmirror.console.console import Console
from kmirror.console.figures import STATES
from kmirror.console.stopped import STOPPED
from kmirror.errors import BadRequest, ClusterError, EnvironmentProblem, MirrorError, NotFound
from kmirror.model import TopicPartition
from kmirror.server.api.endpoints import SHAPES, api_endpoints
from kmirror.server.console.headline import worst_first
from kmirror.server.console.page import ROWS_MAX, Page, flow_names, parts, tried
from kmirror.server.console.plots import drawings
from kmirror.server.console.tables import csv_answer
from kmirror.server.endpoint import PARTITION_MAX, Call

_CSV_ROWS_MAX = 100_000
_EVENTS_MAX = 200
_NEWEST_EVENTS = 8
# These the page says where the answer would be.
_TOLD = (ClusterError, EnvironmentProblem, BadRequest)
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class Pages:
    """
    Makes the pages.

    Args:
        console: Knows what is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def overview(self, _call: Call, _is_part: bool) -> Page:
        """Show all flows."""
        found = self._console.flows()
        return Page(
            template="overview.html",
            context={
                "flows": worst_first(found.flows),
                "elsewhere": self._console.elsewhere(),
                "events": self._console.events(level="INFO", limit=_NEWEST_EVENTS),
                "section": "overview",
            },
            every_s=1.0,
        )

    def partitions(self, call: Call, _is_part: bool) -> Page:
        """Show a flow and its partitions; of one that is stopped, what starts it."""
        flow = self._console.flow(call.path["flow"])
        if flow.verdict == STOPPED:
            context = {"flow": flow, "section": "flows"}
            return Page(template="flow_stopped.html", context=context, every_s=2.0)
        return self._flow_page(call, "partitions", self._partition_rows(call, None))

    def partitions_csv(self, call: Call) -> Response:
        """Give the partitions that a view shows, all of them, as a table for programs."""
        choice = _choice(call, topic=call.text("topic"), limit=_CSV_ROWS_MAX)
        found = self._console.partitions(call.path["flow"], choice)
        return csv_answer(PartitionView, found.partitions, "partitions.csv")

    def topics(self, call: Call, _is_part: bool) -> Page:
        """Show a flow and its topics."""
        flow, choice = call.path["flow"], _choice(call, limit=ROWS_MAX)
        known = self._console.topics(flow)
        rows = chosen_topics(known.topics, choice)
        context = {"topics": choice.page(rows), "total": len(rows), **_asked(choice)}
        more = {"logs_error": known.logs_error, "sorts": TOPIC_SORTS}
        return self._flow_page(call, "topics", {**context, **more})

    def topics_csv(self, call: Call) -> Response:
        """Give the topics that a view shows, all of them, as a table for programs."""
        rows = chosen_topics(self._console.topics(call.path["flow"]).topics, _choice(call))
        return csv_answer(TopicView, rows, "topics.csv")

    def slots(self, call: Call, _is_part: bool) -> Page:
        """Show a flow and what holds it up."""
        return self._flow_page(call, "slots", {})

    def topic(self, call: Call, _is_part: bool) -> Page:
        """Show a topic and its partitions."""
        flow, topic = call.path["flow"], call.path["topic"]
        plots = self._console.topic_plots(flow, topic)
        return Page(
            template="topic.html",
            context={
                "plots": plots,
                "drawings": drawings(plots, of_topic=True),
                "flow": self._console.flow(flow),
                "topic": self._console.topic(flow, topic),
                "section": "flows",
                **self._partition_rows(call, topic),
            },
            every_s=2.0,
        )

    def groups(self, call: Call, is_part: bool) -> Page:
        """Show the groups of all flows; a part for each flow."""
        names, found = self._parts(call, is_part, self._console.questions.groups)
        return Page(
            template="groups.html",
            context={"names": names, "found": found, "section": "groups"},
            every_s=15.0,
        )

    def group(self, call: Call, is_part: bool) -> Page:
        """Show a group, partition by partition."""
        flow, name = call.path["flow"], call.path["group"]
        config = self._console.flow_config(flow)
        found = (
            self._tried(lambda: self._console.questions.group(config, name)) if is_part else None
        )
        return Page(
            template="group.html",
            context={"flow_name": flow, "name": name, "found": found, "section": "groups"},
            every_s=15.0,
        )

    def events(self, call: Call, _is_part: bool) -> Page:
        """Show the driver's events."""
        asked, found = self._events(call, _EVENTS_MAX)
        return Page(
            template="events.html",
            context={
                "found": found,
                "asked": asked,
                "levels": LEVELS,
                "names": flow_names(self._console),
                "section": "events",
            },
            every_s=1.0,
            follows="events",
        )

    def events_csv(self, call: Call) -> Response:
        """Give the events that a view shows, all that are kept, as a table for programs."""
        return csv_answer(EventView, self._events(call, _CSV_ROWS_MAX)[1].events, "events.csv")

    def _events(self, call: Call, limit: int) -> tuple[dict[str, str], EventList]:
        asked = {
            "flow": call.text("flow") or "",
            "level": call.text("level") or "INFO",
            "q": call.text("q") or "",
        }
        found = self._console.events(
            flow=asked["flow"] or None, level=asked["level"], text=asked["q"], limit=limit
        )
        return asked, found

    def plan(self, call: Call, is_part: bool) -> Page:
        """Show what would be changed on the targets; a part for each flow."""
        names, found = self._parts(call, is_part, self._console.questions.plan)
        return Page(
            template="plan.html",
            context={"names": names, "found": found, "section": "plan"},
        )

    def offsets(self, call: Call, _is_part: bool) -> Page:
        """Show the offset of the other cluster."""
        asked = {
            name: call.text(name) or "" for name in ("flow", "side", "topic", "partition", "offset")
        }
        names = flow_names(self._console)
        found: Translation | MirrorError | None = None
        if asked["topic"]:
            # Whoever has mistyped a name has the form still.
            found = tried(lambda: self._translated(call), (*_TOLD, NotFound))
        return Page(
            template="offsets.html",
            context={"names": names, "asked": asked, "found": found, "section": "offsets"},
        )

    def api(self, _call: Call, _is_part: bool) -> Page:
        """Show the API as a page."""
        endpoints = api_endpoints(self._console)
        return Page(
            template="api.html",
            context={
                "endpoints": endpoints,
                "shapes": SHAPES,
                "section": "api",
            },
        )

    def _translated(self, call: Call) -> Translation:
        config = self._console.flow_config(call.text("flow") or "")
        topic = call.text("topic")
        if topic is None:
            raise BadRequest("topic: is missing")
        place = TopicPartition(topic, call.number("partition", default=None, high=PARTITION_MAX))
        at, back = call.text("offset") or "", call.text("side") == "target"
        return self._console.questions.translate_at(config, place, at, back=back)

    def _flow_page(self, call: Call, tab: str, more: Mapping[str, Any]) -> Page:
        context = {"flow": self._console.flow(call.path["flow"]), "tab": tab, "section": "flows"}
        return Page(template=f"flow_{tab}.html", context={**context, **more}, every_s=2.0)

    def _partition_rows(self, call: Call, topic: str | None) -> dict[str, Any]:
        choice = _choice(call, topic=topic, limit=ROWS_MAX)
        found = self._console.partitions(call.path["flow"], choice)
        more = {"found": found, "states": STATES, "sorts": PARTITION_SORTS}
        return {**_asked(choice), **more}

    def _parts(
        self, call: Call, is_part: bool, ask: Callable[[FlowConfig], object]
    ) -> tuple[list[str], dict[str, object]]:
        def answer(config: FlowConfig) -> object:
            return self._tried(partial(ask, config))

        return parts(self._console, call, is_part, answer)

    @staticmethod
    def _tried(ask: Callable[[], Any]) -> Any:
        return tried(ask, _TOLD)


def _choice(call: Call, *, topic: str | None = None, limit: int = 0) -> RowChoice:
    """Return which rows of a long table a call asks for."""
    return RowChoice(
        topic=topic,
        state=call.text("state"),
        text=call.text("q"),
        sort=call.text("sort") or "",
        offset=call.number("offset", default=0),
        limit=limit,
    )


def _asked(choice: RowChoice) -> dict[str, Any]:
    """Return the same for a table's links."""
    asked = {"q": choice.text or "", "state": choice.state or "", "sort": choice.sort}
    return {"asked": asked, "offset": choice.offset, "step": ROWS_MAX}

"""What the console's API answers to whoever reads."""

from __future__ import annotations

import kmirror
from kmirror.api.answers import Server
from kmirror.console.asked_places import is_on_target
from kmirror.console.choices import RowChoice
from kmirror.console.console import Console
from kmirror.errors import BadRequest
from kmirror.model import TopicPartition
from kmirror.server.answers import Answer
from kmirror.server.api.models import answer_of
from kmirror.server.endpoint import PARTITION_MAX, Call, whole_number

_PARTITIONS_MAX = 10_000
_EVENTS_MAX = 2_000


class Reads:
    """
    The handlers of endpoints that change nothing.

    Args:
        console: Answers.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def server(self, call: Call) -> Answer:
        """Say who answers."""
        console = self._console
        return answer_of(
            Server(
                version=kmirror.__version__,
                has_driver=console.figures.has_driver,
                read_only=console.is_read_only,
                file=console.config().path.name,
                you=call.caller.name,
                role=call.caller.role.label,
                now_ms=console.clock.wall_ms(),
            )
        )

    def flows(self, _: Call) -> Answer:
        """Give all flows."""
        return answer_of(self._console.flows())

    def flow(self, call: Call) -> Answer:
        """Give one."""
        return answer_of(self._console.flow(call.path["flow"]))

    def topics(self, call: Call) -> Answer:
        """Give a flow's topics."""
        return answer_of(self._console.topics(call.path["flow"]))

    def topic(self, call: Call) -> Answer:
        """Give one of them."""
        return answer_of(self._console.topic(call.path["flow"], call.path["topic"]))

    def plots(self, call: Call) -> Answer:
        """Give how a flow was."""
        return answer_of(self._console.plots(call.path["flow"], call.text("range")))

    def topic_plots(self, call: Call) -> Answer:
        """Give how a topic was."""
        return answer_of(self._console.topic_plots(call.path["flow"], call.path["topic"]))

    def partitions(self, call: Call) -> Answer:
        """Give a flow's partitions."""
        return answer_of(
            self._console.partitions(
                call.path["flow"],
                RowChoice(
                    topic=call.text("topic"),
                    state=call.text("state"),
                    text=call.text("q"),
                    sort=call.text("sort") or "",
                    offset=call.number("offset", default=0),
                    limit=call.number("limit", default=1000, high=_PARTITIONS_MAX),
                ),
            )
        )

    def lag_summary(self, call: Call) -> Answer:
        """Give the lag of a flow, or of a group."""
        return answer_of(self._console.lag_summary(call.path["flow"], call.path.get("group")))

    def lags(self, call: Call) -> Answer:
        """Give it for each partition."""
        return answer_of(self._console.lags(call.path["flow"], call.path.get("group")))

    def partition_lag(self, call: Call) -> Answer:
        """Give it for one partition."""
        return answer_of(
            self._console.partition_lag(
                call.path["flow"],
                call.path["topic"],
                whole_number(call.path["partition"], "partition", high=PARTITION_MAX),
                call.path.get("group"),
            )
        )

    def groups(self, call: Call) -> Answer:
        """Give the groups of a flow's source."""
        console = self._console
        return answer_of(console.questions.groups(console.flow_config(call.path["flow"])))

    def group(self, call: Call) -> Answer:
        """Give one of them."""
        console, flow = self._console, call.path["flow"]
        return answer_of(console.questions.group(console.flow_config(flow), call.path["group"]))

    def translation(self, call: Call) -> Answer:
        """Give the offset of the other cluster."""
        console, topic = self._console, call.text("topic")
        if topic is None:
            raise BadRequest("topic: is missing")
        back = is_on_target(call.text("side"))
        place = TopicPartition(topic, call.number("partition", default=None, high=PARTITION_MAX))
        config = console.flow_config(call.path["flow"])
        if (at := call.text("at")) is not None:
            return answer_of(console.questions.translate_at(config, place, at, back=back))
        offset = call.number("offset", default=None)
        return answer_of(console.questions.translate(config, place, offset, back=back))

    def plan(self, call: Call) -> Answer:
        """Give what would be changed on a flow's target."""
        console = self._console
        return answer_of(console.questions.plan(console.flow_config(call.path["flow"])))

    def file(self, _: Call) -> Answer:
        """Give the properties file as it is in effect."""
        return answer_of(self._console.file.file())

    def file_changes(self, _: Call) -> Answer:
        """Give what a reload of it would change."""
        return answer_of(self._console.file.changes())

    def advice(self, call: Call) -> Answer:
        """Give advice about the lines that a flow comes from."""
        return answer_of(self._console.advice(call.path["flow"]))

    def settings(self, call: Call) -> Answer:
        """Give the settings of a flow."""
        console = self._console
        return answer_of(console.file.flow(console.flow_config(call.path["flow"])))

    def clusters(self, _: Call) -> Answer:
        """Give all clusters."""
        return answer_of(self._console.clusters.clusters())

    def cluster(self, call: Call) -> Answer:
        """Give one."""
        return answer_of(self._console.clusters.cluster(call.path["cluster"]))

    def events(self, call: Call) -> Answer:
        """Give the driver's events."""
        return answer_of(
            self._console.events(
                flow=call.text("flow"),
                level=call.text("level"),
                text=call.text("q"),
                after=call.number("after", default=0),
                limit=call.number("limit", default=500, high=_EVENTS_MAX),
            )
        )

    def logical(self, call: Call) -> Answer:
        """Give where a topic is now."""
        return answer_of(self._console.questions.logical(call.path["region"], call.path["topic"]))

"""What the console's API says of one topic: why it is copied, or not, and its records."""

from __future__ import annotations

from functools import partial
from http import HTTPMethod

from kmirror.admin.record_tail import RECORDS_MAX
from kmirror.api import topic_answers
from kmirror.console.console import Console
from kmirror.console.topic_questions import COUNT, RecordsAsked
from kmirror.control.caller import Role
from kmirror.model import TopicPartition
from kmirror.server.answers import Answer
from kmirror.server.api.models import answer_of
from kmirror.server.api.unanswered import answered
from kmirror.server.endpoint import PARTITION_MAX, Call, Endpoint, whole_number

MODELS = (
    *(topic_answers.ExplanationView, topic_answers.RecordList),
    topic_answers.TopicSettingsView,
)
_asked = partial(Endpoint, method=HTTPMethod.GET, role=Role.VIEWER, asks=True)


def topic_endpoints(console: Console, flow: str) -> tuple[Endpoint, ...]:
    """
    Return the rows.

    Args:
        console: Answers.
        flow: The path of a flow.
    """
    reads = _TopicReads(console)
    return (
        _asked(
            path=f"{flow}/topics/{{topic}}/explanation",
            handle=answered(reads.explanation),
            summary="Why a topic is copied, or is not; it need not be one that is",
            answers={200: "ExplanationView", 503: "Error"},
        ),
        _asked(
            path=f"{flow}/topics/{{topic}}/settings",
            handle=answered(reads.settings),
            summary="The settings of a topic and of its copy, and what keeping them equal would do",
            answers={200: "TopicSettingsView", 503: "Error"},
        ),
        _asked(
            path=f"{flow}/topics/{{topic}}/partitions/{{partition}}/records",
            role=Role.OPERATOR,
            handle=answered(reads.records),
            summary="Records of a partition and of its copy, beside each other",
            answers={200: "RecordList", 503: "Error"},
            query={
                "at": "From where on: `earliest`, an offset, or a time; the last ones if absent.",
                "side": "The cluster that an offset is of: `source` or `target`; `source` if "
                "absent.",
                "limit": f"So many of each side at most: up to {RECORDS_MAX}, {COUNT} if absent.",
            },
            numbers=frozenset({"limit"}),
        ),
    )


class _TopicReads:
    """
    Their handlers.

    Args:
        console: Answers.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def explanation(self, call: Call) -> Answer:
        """Say why a topic is copied, or is not."""
        config = self._console.flow_config(call.path["flow"])
        found = self._console.topic_questions.explain(config, call.path["topic"])
        return answer_of(found)

    def settings(self, call: Call) -> Answer:
        """Give the settings of both sides."""
        config = self._console.flow_config(call.path["flow"])
        return answer_of(self._console.topic_questions.settings(config, call.path["topic"]))

    def records(self, call: Call) -> Answer:
        """Give records of both sides."""
        number = whole_number(call.path["partition"], "partition", high=PARTITION_MAX)
        found = self._console.topic_questions.records(
            self._console.flow_config(call.path["flow"]),
            TopicPartition(call.path["topic"], number),
            RecordsAsked(
                at=call.text("at"),
                side=call.text("side") or "source",
                count=call.number("limit", default=COUNT, low=1, high=RECORDS_MAX),
            ),
            call.caller,
        )
        return answer_of(found)

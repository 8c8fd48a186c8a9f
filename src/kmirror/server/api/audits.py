"""The part of the API's table that tells of audits and canaries."""

from __future__ import annotations

from functools import partial
from http import HTTPMethod

from kmirror.api import audits, canaries
from kmirror.console.audits import AuditChoice
from kmirror.console.console import Console
from kmirror.control.caller import Role
from kmirror.server.answers import Answer
from kmirror.server.api.models import answer_of
from kmirror.server.api.unanswered import answered
from kmirror.server.endpoint import Call, Endpoint

AUDIT_MODELS = (
    *(audits.AuditList, audits.AuditView, audits.TopicAuditList, audits.TopicAudit),
    *(audits.PartitionAuditList, audits.WindowList, canaries.CanaryList, canaries.CanaryView),
)
"""What it answers with."""
_ROWS_MAX = 10_000
_CHOICE = {
    "topic": "Only those of one topic.",
    "offset": "So many are left out first.",
    "limit": "So many at most: up to 10000, 1000 if absent.",
}
_NUMBERS = frozenset({"offset", "limit"})
_read = partial(Endpoint, method=HTTPMethod.GET, role=Role.VIEWER)
_asked = partial(_read, asks=True)


def audit_endpoints(console: Console, base: str) -> tuple[Endpoint, ...]:
    """
    Return what is told of audits: the clusters are asked first; an answer counts for ten seconds.

    Args:
        console: Answers.
        base: The path of the API.
    """
    reads = _Reads(console)
    flow = f"{base}/audit/{{flow}}"
    return (
        _asked(
            path=f"{base}/audit",
            handle=reads.audits,
            summary="How far each flow is audited, and what was found",
            answers={200: "AuditList"},
        ),
        _asked(
            path=flow,
            handle=answered(reads.audit),
            summary="How far a flow is audited, and what was found",
            answers={200: "AuditView", 503: "Error"},
        ),
        _asked(
            path=f"{flow}/topics",
            handle=answered(reads.topics),
            summary="The same for its topics, the worst first",
            answers={200: "TopicAuditList", 503: "Error"},
        ),
        _asked(
            path=f"{flow}/topics/{{topic}}",
            handle=answered(reads.topic),
            summary="The same for a topic",
            answers={200: "TopicAudit", 503: "Error"},
        ),
        _asked(
            path=f"{flow}/partitions",
            handle=answered(reads.partitions),
            summary="The same for its partitions, the worst first",
            answers={200: "PartitionAuditList", 503: "Error"},
            query={
                **_CHOICE,
                "verdict": "Only those with this verdict.",
                "q": "Only those whose topic or number has this text.",
            },
            numbers=_NUMBERS,
        ),
        _asked(
            path=f"{flow}/windows",
            handle=answered(reads.windows),
            summary="The windows that are kept, those that differ first",
            answers={200: "WindowList", 503: "Error"},
            query={
                **_CHOICE,
                "verdict": "Only those with this verdict; `open` for all that are not identical.",
                "q": "Only those whose topic, number or words have this text.",
            },
            numbers=_NUMBERS,
        ),
    )


def canary_endpoints(console: Console, base: str) -> tuple[Endpoint, ...]:
    """
    Return what is told of canaries, without asking a cluster.

    Args:
        console: Answers.
        base: The path of the API.
    """
    reads = _Reads(console)
    return (
        _read(
            path=f"{base}/canary",
            handle=reads.canaries,
            summary="What the canaries of all flows have seen",
            answers={200: "CanaryList"},
        ),
        _read(
            path=f"{base}/canary/{{flow}}",
            handle=reads.canary,
            summary="What the canary of a flow has seen",
            answers={200: "CanaryView"},
        ),
    )


class _Reads:
    """
    The handlers.

    Args:
        console: Answers.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def audits(self, _: Call) -> Answer:
        """Give all flows' audits."""
        return answer_of(self._console.audit_list())

    def audit(self, call: Call) -> Answer:
        """Give one."""
        console = self._console
        return answer_of(console.audits.view(console.flow_config(call.path["flow"])))

    def topics(self, call: Call) -> Answer:
        """Give it by topic."""
        console = self._console
        return answer_of(console.audits.topics(console.flow_config(call.path["flow"])))

    def topic(self, call: Call) -> Answer:
        """Give it of one topic."""
        console = self._console
        config = console.flow_config(call.path["flow"])
        return answer_of(console.audits.topic(config, call.path["topic"]))

    def partitions(self, call: Call) -> Answer:
        """Give it by partition."""
        console = self._console
        config = console.flow_config(call.path["flow"])
        return answer_of(console.audits.partitions(config, _choice(call)))

    def windows(self, call: Call) -> Answer:
        """Give its windows."""
        console = self._console
        config = console.flow_config(call.path["flow"])
        return answer_of(console.audits.windows(config, _choice(call)))

    def canaries(self, _: Call) -> Answer:
        """Give all canaries."""
        return answer_of(self._console.canaries())

    def canary(self, call: Call) -> Answer:
        """Give one."""
        return answer_of(self._console.canary(call.path["flow"]))


def _choice(call: Call) -> AuditChoice:
    return AuditChoice(
        topic=call.text("topic"),
        verdict=call.text("verdict"),
        text=call.text("q"),
        offset=call.number("offset", default=0),
        limit=call.number("limit", default=1000, high=_ROWS_MAX),
    )

"""The table of the console's API: each method of each path, who may call it, what it answers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from http import HTTPMethod
from typing import Any

from kmirror.api import answers, clusters, config, flows, orders, plots
from kmirror.api.codec import schemas
from kmirror.connect.model import JsonValue
from kmirror.console.choices import PARTITION_SORTS
from kmirror.console.console import Console
from kmirror.control.caller import Role
from kmirror.server.api.audits import AUDIT_MODELS, audit_endpoints, canary_endpoints
from kmirror.server.api.left_out import MODELS as LEFT_OUT_MODELS
from kmirror.server.api.left_out import left_out_endpoints
from kmirror.server.api.live import LIVE
from kmirror.server.api.live import PATH as LIVE_PATH
from kmirror.server.api.moves import MODELS as MOVE_MODELS
from kmirror.server.api.moves import move_endpoints
from kmirror.server.api.orders import Ordering
from kmirror.server.api.reads import Reads
from kmirror.server.api.topics import MODELS as TOPIC_MODELS
from kmirror.server.api.topics import topic_endpoints
from kmirror.server.api.unanswered import answered
from kmirror.server.connect.schemas import SHAPES as CONNECT_SHAPES
from kmirror.server.endpoint import Endpoint
from kmirror.server.openapi import openapi_document, openapi_endpoint
from kmirror.wire.control_orders import PauseVerb

BASE = "/api/v1"
DOCUMENT_PATH = f"{BASE}/openapi.json"
TITLE = "kmirror's REST API"
_FLOW = f"{BASE}/flows/{{flow}}"
_GROUP = f"{_FLOW}/groups/{{group}}"
_LAG = "lags/{topic}/partitions/{partition}"
_MODELS = (
    *(answers.Server, answers.FlowList, flows.FlowView, answers.TopicList, flows.TopicView),
    plots.PlotList,
    *(answers.PartitionList, answers.LagSummary, answers.PartitionLagList, answers.PartitionLag),
    *(answers.GroupList, answers.GroupView, answers.Translation, answers.PlanView),
    *(answers.EventList, answers.LogicalTopic, orders.PauseRequest, orders.SeekRequest),
    *(orders.Ordered, orders.ReloadFile, orders.ApplyPlan),
    *(config.FileView, config.FlowSettings, config.FileChanges),
    config.AdviceList,
    *(clusters.ClusterList, clusters.ClusterView),
    *AUDIT_MODELS,
    *TOPIC_MODELS,
    *MOVE_MODELS,
    *LEFT_OUT_MODELS,
)
SHAPES: dict[str, dict[str, Any]] = schemas(_MODELS) | {
    "Error": CONNECT_SHAPES["Error"],
    "Document": {"type": "object"},
}
"""The shapes of the API, by name: those of the models."""

_read = partial(Endpoint, method=HTTPMethod.GET, role=Role.VIEWER)
_order = partial(
    Endpoint,
    method=HTTPMethod.POST,
    role=Role.OPERATOR,
    body="PauseRequest",
    answers={200: "Ordered", 503: "Error"},
)


def api_endpoints(console: Console) -> tuple[Endpoint, ...]:
    """
    Return the API, its document included.

    Args:
        console: Answers, and gives orders.
    """
    reads = Reads(console)
    found = (
        *(*_of_flows(reads), *_plots(reads), *_lags(reads), *_of_file(reads)),
        *(*audit_endpoints(console, BASE), *canary_endpoints(console, BASE)),
        *(*_of_clusters(reads), *_orders(Ordering(console))),
        *topic_endpoints(console, _FLOW),
        *move_endpoints(console, BASE, _FLOW),
        *left_out_endpoints(console, _FLOW),
    )
    return (*found, openapi_endpoint(api_document(found), DOCUMENT_PATH))


def api_document(endpoints: Iterable[Endpoint]) -> dict[str, JsonValue]:
    """
    Return the OpenAPI document.

    Args:
        endpoints: The table, without the document's own row.
    """
    return openapi_document(endpoints, SHAPES, TITLE, {LIVE_PATH: LIVE})


def _of_flows(reads: Reads) -> tuple[Endpoint, ...]:
    """Return what is known here, without asking a cluster."""
    return (
        _read(
            path=f"{BASE}/server",
            handle=reads.server,
            summary="Who answers, and what the caller may do",
            answers={200: "Server"},
        ),
        _read(
            path=f"{BASE}/flows",
            handle=reads.flows,
            summary="All flows",
            answers={200: "FlowList"},
        ),
        _read(path=_FLOW, handle=reads.flow, summary="A flow", answers={200: "FlowView"}),
        _read(
            path=f"{_FLOW}/topics",
            handle=reads.topics,
            summary="The topics of a flow, the worst first",
            answers={200: "TopicList"},
        ),
        _read(
            path=f"{_FLOW}/topics/{{topic}}",
            handle=reads.topic,
            summary="A topic of a flow",
            answers={200: "TopicView"},
        ),
        _read(
            path=f"{_FLOW}/partitions",
            handle=reads.partitions,
            summary="The partitions of a flow, the worst first",
            answers={200: "PartitionList"},
            query={
                "topic": "Only those of one topic.",
                "state": "Only those in a state.",
                "q": "Only those whose topic or reason has this text.",
                "sort": f"By what: {', '.join(f'`{each}`' for each in PARTITION_SORTS)}, with `-` "
                "before it the largest first; the worst first if absent.",
                "offset": "So many are left out first.",
                "limit": "So many at most: up to 10000, 1000 if absent.",
            },
            numbers=frozenset({"offset", "limit"}),
        ),
        _read(
            path=f"{BASE}/events",
            handle=reads.events,
            summary="Events of the driver, the newest first",
            answers={200: "EventList"},
            query={
                "flow": "Only those of one flow, `S->T`.",
                "level": "Only those of a level, or a higher one: `INFO`, `WARNING`, `ERROR`.",
                "q": "Only those with this text in their line or name.",
                "after": "Only those whose number is larger.",
                "limit": "So many at most: up to 2000, 500 if absent.",
            },
            numbers=frozenset({"after", "limit"}),
        ),
    )


def _plots(reads: Reads) -> tuple[Endpoint, ...]:
    return (
        _read(
            path=f"{_FLOW}/topics/{{topic}}/plots",
            handle=reads.topic_plots,
            summary="How a topic was in the last 15 minutes: lag, and what was copied a second",
            answers={200: "PlotList"},
        ),
        _read(
            path=f"{_FLOW}/plots",
            handle=reads.plots,
            summary="How a flow was in the last minutes or hours, as far as that is known here",
            answers={200: "PlotList"},
            query={"range": "How far back: `15m`, `1h`, `6h` or `24h`; `15m` if absent."},
        ),
    )


def _lags(reads: Reads) -> tuple[Endpoint, ...]:
    return (
        _read(
            path=f"{_FLOW}/lag-summary",
            handle=reads.lag_summary,
            summary="The lag of a flow, as Confluent Cloud shapes a group's",
            answers={200: "LagSummary"},
        ),
        _read(
            path=f"{_FLOW}/lags",
            handle=reads.lags,
            summary="The lag of each partition of a flow, the largest first",
            answers={200: "PartitionLagList"},
        ),
        _read(
            path=f"{_FLOW}/{_LAG}",
            handle=reads.partition_lag,
            summary="The lag of a partition of a flow",
            answers={200: "PartitionLag"},
        ),
    )


def _of_file(reads: Reads) -> tuple[Endpoint, ...]:
    return (
        _read(
            path=f"{BASE}/config",
            handle=reads.file,
            summary="The properties file as it is in effect, and which lines are in doubt",
            answers={200: "FileView"},
        ),
        _read(
            path=f"{BASE}/config/changes",
            handle=answered(reads.file_changes),
            summary="What a reload of the file, as it lies on disk now, would change",
            answers={200: "FileChanges", 503: "Error"},
            asks=True,
        ),
        _read(
            path=f"{_FLOW}/advice",
            handle=answered(reads.advice),
            summary="Advice about the lines that a flow comes from, as `kmirror tune` gives it",
            answers={200: "AdviceList", 503: "Error"},
        ),
        _read(
            path=f"{_FLOW}/config",
            handle=reads.settings,
            summary="The settings of a flow: their values, and who sets them",
            answers={200: "FlowSettings"},
        ),
        _read(
            path=f"{BASE}/clusters",
            handle=reads.clusters,
            summary="The clusters: whether they answer, brokers, internal topics, missing rights",
            answers={200: "ClusterList"},
        ),
        _read(
            path=f"{BASE}/clusters/{{cluster}}",
            handle=reads.cluster,
            summary="A cluster",
            answers={200: "ClusterView"},
        ),
    )


def _of_clusters(reads: Reads) -> tuple[Endpoint, ...]:
    """Return what asks the clusters first; an answer counts for ten seconds."""
    asked = partial(_read, asks=True)
    return (
        asked(
            path=f"{_FLOW}/groups",
            handle=answered(reads.groups),
            summary="The consumer groups of a flow's source, and where they go on",
            answers={200: "GroupList", 503: "Error"},
        ),
        asked(
            path=_GROUP,
            handle=answered(reads.group),
            summary="A consumer group",
            answers={200: "GroupView", 503: "Error"},
        ),
        asked(
            path=f"{_GROUP}/lag-summary",
            handle=answered(reads.lag_summary),
            summary="The lag of a group, as Confluent Cloud shapes it",
            answers={200: "LagSummary", 503: "Error"},
        ),
        asked(
            path=f"{_GROUP}/lags",
            handle=answered(reads.lags),
            summary="The lag of a group in each partition, the largest first",
            answers={200: "PartitionLagList", 503: "Error"},
        ),
        asked(
            path=f"{_GROUP}/{_LAG}",
            handle=answered(reads.partition_lag),
            summary="The lag of a group in a partition",
            answers={200: "PartitionLag", 503: "Error"},
        ),
        asked(
            path=f"{_FLOW}/offsets",
            handle=answered(reads.translation),
            summary="Where one goes on, on the other cluster, who is at an offset of this one",
            answers={200: "Translation", 503: "Error"},
            query={
                "topic": "On the cluster that `side` says.",
                "partition": "Of the topic.",
                "offset": "In it; or `at`.",
                "at": "`earliest`, `latest`, an offset, or a time: the first record not older.",
                "side": "`source` or `target`; `source` if absent.",
            },
            numbers=frozenset({"partition", "offset"}),
            required=frozenset({"topic", "partition"}),
        ),
        asked(
            path=f"{_FLOW}/plan",
            handle=answered(reads.plan),
            summary="What would be changed on the target, besides records",
            answers={200: "PlanView", 503: "Error"},
        ),
        asked(
            path=f"{BASE}/logical/{{region}}/{{topic}}",
            handle=answered(reads.logical),
            summary="Where applications of a region find a topic now",
            answers={200: "LogicalTopic", 503: "Error"},
        ),
    )


def _orders(ordering: Ordering) -> tuple[Endpoint, ...]:
    return (
        _order(
            path=f"{_FLOW}/pause",
            handle=answered(partial(ordering.pause, PauseVerb.PAUSE)),
            summary="Stop copying a flow, a topic or a partition; waits until that is in effect",
        ),
        _order(
            path=f"{_FLOW}/park",
            handle=answered(partial(ordering.pause, PauseVerb.PARK)),
            summary="Pause it as something that needs attention",
        ),
        _order(
            path=f"{_FLOW}/resume",
            handle=answered(partial(ordering.pause, PauseVerb.RESUME)),
            summary="Copy again what was paused or parked",
        ),
        _order(
            path=f"{_FLOW}/seek",
            handle=answered(partial(ordering.seek, "seek")),
            summary="Let a topic or a partition go on elsewhere",
            role=Role.ADMIN,
            body="SeekRequest",
        ),
        _order(
            path=f"{_FLOW}/skip",
            handle=answered(partial(ordering.seek, "skip")),
            summary="Give up records of a partition, and go on behind them",
            role=Role.ADMIN,
            body="SeekRequest",
        ),
        _order(
            path=f"{_FLOW}/apply",
            handle=answered(ordering.apply),
            summary="Do what the plan of a flow says, and look whether anything of it is left",
            role=Role.ADMIN,
            body="ApplyPlan",
        ),
        _order(
            path=f"{BASE}/config/reload",
            handle=answered(ordering.reload),
            summary="Have the drivers read the properties file again",
            role=Role.ADMIN,
            body="ReloadFile",
        ),
    )

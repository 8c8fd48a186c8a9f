"""What clusters might answer to a console about groups, plans, offsets, themselves, and flows."""

from __future__ import annotations

import time

from kmirror.api.answers import (
    GroupList,
    GroupPlaceView,
    GroupView,
    PlanView,
    Step,
    StepKind,
    Translation,
)
from kmirror.api.clusters import (
    BrokerView,
    CertificateView,
    ClusterList,
    ClusterUse,
    ClusterView,
    FeatureView,
    InternalTopicView,
    RightView,
)
from kmirror.api.flows import Sample

_DAY_MS = 86_400_000
FLOW = "A->B"


def groups() -> GroupList:
    """Give a group that is followed, one that lags, and one that nobody moves."""
    return GroupList(
        as_of_ms=_now_ms(),
        groups=(
            group("billing"),
            GroupView(
                flow=FLOW,
                group="reports",
                is_active=False,
                is_followed=True,
                source_lag=120_411,
                lag_seconds=None,
                verdict="STALL",
                trend="growing",
            ),
            GroupView(
                flow=FLOW,
                group="cache.1",
                is_active=False,
                is_followed=False,
                source_lag=None,
                note="it has members on both clusters, so it is not followed",
            ),
        ),
    )


def group(name: str) -> GroupView:
    """Give a group in two partitions, and a third whose place on the target is not known."""
    places = [
        GroupPlaceView(
            topic="topic-0000",
            partition=number,
            offset=10_240 + number,
            source_end=10_300,
            source_lag=60 - number,
            copy="A.topic-0000",
            goes_on=None if number == 2 else 10_100,
            committed=10_050 if number == 0 else None,
            note="the map of offsets begins behind it" if number == 2 else "",
        )
        for number in range(3)
    ]
    return GroupView(
        flow=FLOW,
        group=name,
        is_active=True,
        is_followed=True,
        source_lag=177,
        lag_seconds=3.2,
        verdict="OK",
        trend="steady",
        places=tuple(places),
    )


def plan() -> PlanView:
    """Give a plan with a line of every kind."""
    lines = (
        ("create", StepKind.NEW, "topic A.orders with 3 partitions"),
        ("set", StepKind.CHANGE, "A.topic-0000: retention.ms 604800000 becomes 86400000"),
        ("delete", StepKind.LOSS, "A.gone, whose source was deleted"),
        ("leave", StepKind.LEFT, "A.topic-0001: min.insync.replicas, which the file excludes"),
        ("cannot", StepKind.IMPOSSIBLE, "A.small has more partitions than its source"),
        ("report", StepKind.REPORT, "B: User:mirror may not Alter topic A.topic-0000"),
        ("run", StepKind.COMMAND, "kafka-acls.sh --bootstrap-server b:9092 --add --topic x"),
    )
    steps = tuple(Step(verb=verb, kind=kind, words=words) for verb, kind, words in lines)
    return PlanView(
        flow=FLOW,
        as_of_ms=_now_ms(),
        changes=True,
        is_possible=False,
        syncs_settings=False,
        steps=steps,
    )


def translation() -> Translation:
    """Give an offset of a topic, and where that is on the target."""
    return Translation(
        flow=FLOW,
        topic="topic-0000",
        partition=0,
        offset=1240,
        side="source",
        other_topic="A.topic-0000",
        other_partition=0,
        other_offset=1148,
        is_exact=True,
    )


def clusters() -> ClusterList:
    """Give a cluster with much to say, and one that has been silent for a while."""
    return ClusterList(now_ms=_now_ms(), clusters=(_answering(), _silent()))


def _answering() -> ClusterView:
    now_ms = _now_ms()
    brokers = [
        BrokerView(
            id=number,
            address=f"a{number}.example:9092",
            rack="" if number == 2 else "r1",
            is_controller=number == 0,
            unreachable=("", "connection refused", None)[number],
        )
        for number in range(3)
    ]
    topics = [
        InternalTopicView(
            topic=f"__kmirror-{name}-A-B",
            purpose="the map of offsets",
            partitions=1,
            replicas=1,
            records=None if doubt else 1200,
            bytes=None if doubt else 88_000,
            cleanup_policy="" if doubt else "compact",
            retention_ms=None if doubt else -1,
            min_in_sync=None if doubt else 1,
            doubt=doubt,
        )
        for name, doubt in (("offsets", ""), ("control", "it has one replica of three brokers"))
    ]
    rights = [
        RightView(words=words, without="flows stop at the next restart", is_optional=optional)
        for words, optional in (
            ("User:mirror may not Describe the cluster", True),
            ("User:mirror may not Write on topic A.topic-0000", False),
        )
    ]
    return ClusterView(
        alias="A",
        bootstrap_servers="a0.example:9092,a1.example:9092",
        flows=(ClusterUse(flow=FLOW, end="source"), ClusterUse(flow="B->A", end="target")),
        answers=True,
        asked_ms=now_ms,
        answered_ms=now_ms,
        silent_since_ms=None,
        error="",
        latency_ms=2.4,
        cluster_id="5L6g3nShT-eMCtK--X86sw",
        controller=0,
        brokers=tuple(brokers),
        protocol_version="",
        features=(FeatureView(name="metadata.version", level=29),),
        looked_ms=now_ms,
        topics=42,
        internal=tuple(topics),
        missing_rights=tuple(rights),
        clock_ahead_s=3.2,
        clock_unknown="",
        certificates=tuple(
            CertificateView(kind=kind, ends_ms=now_ms + days * _DAY_MS)
            for kind, days in (("client", 3), ("authority", 900), ("old", -2))
        ),
        notes=("sizes on disk need Describe on the cluster",),
    )


def _silent() -> ClusterView:
    now_ms = _now_ms()
    return ClusterView(
        alias="B",
        bootstrap_servers="b:9092",
        flows=(ClusterUse(flow=FLOW, end="target"),),
        answers=False,
        asked_ms=now_ms,
        answered_ms=None,
        silent_since_ms=now_ms - 90_000,
        error="cluster B (b:9092): no answer",
        latency_ms=None,
        cluster_id="",
        controller=None,
        brokers=(),
        protocol_version="",
        features=None,
        looked_ms=None,
        topics=None,
        internal=(),
        missing_rights=None,
        clock_ahead_s=None,
        clock_unknown="not looked at yet",
        certificates=(),
        notes=(),
    )


def samples() -> tuple[Sample, ...]:
    """Give what was seen of a flow in the last 15 minutes: for a while, nothing was."""
    now_ms = _now_ms()
    return tuple(
        Sample(
            at_ms=now_ms - 10_000 * (90 - at),
            lag_records=40 * at,
            lag_seconds=0.1 * at,
            records_per_s=None if 40 < at < 55 else 1200.0,
            bytes_per_s=None if 40 < at < 55 else 120_000.0 + 900 * at,
        )
        for at in range(90)
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000

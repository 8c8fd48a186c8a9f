"""What would go wrong with a flow on its clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kmirror.model import Flow
from kmirror.plans.access_table import HEARTBEAT_ROW
from kmirror.plans.check_facts import BrokerFacts, ClusterFacts, FlowFacts, TopicCheckFacts
from kmirror.plans.check_rules import (
    CheckFinding,
    Level,
    check_cluster,
    check_flow_facts,
    check_rights,
)
from kmirror.plans.grants import Need, grants
from kmirror.plans.missing_rights import MissingRights
from kmirror.plans.snapshot import TopicConfigEntry
from kmirror.policy.acl_names import AclName

NOW_MS = 1_768_240_576_000
DAY_MS = 86_400_000
BROKER = {
    "message.max.bytes": "1048588",
    "min.insync.replicas": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.max.timeout.ms": "900000",
    "log.retention.ms": str(7 * DAY_MS),
    "log.message.timestamp.after.max.ms": "3600000",
    "log.message.timestamp.type": "CreateTime",
}


def cluster(alias: str, settings: Mapping[str, str] | None = None) -> ClusterFacts:
    """Give a cluster of one broker, of Kafka 4."""
    return ClusterFacts(
        alias=alias,
        brokers=(
            BrokerFacts(id=1, address=f"{alias}:9092", settings=BROKER | dict(settings or {})),
        ),
        features={"transaction.version": 2},
    )


def entries(**settings: str) -> tuple[TopicConfigEntry, ...]:
    """Give a topic's settings, with underscores for dots."""
    return tuple(
        TopicConfigEntry(name=name.replace("_", "."), value=value)
        for name, value in settings.items()
    )


TOPIC = TopicCheckFacts(topic="orders", copy="A.orders")
FLOW = FlowFacts(
    flow=Flow("A", "B"),
    source=cluster("A"),
    target=cluster("B"),
    replication_factor=1,
    exactly_once=True,
    transaction_timeout_ms=60_000,
    now_ms=NOW_MS,
    topics=(TOPIC,),
)


def with_topic(topic: TopicCheckFacts) -> FlowFacts:
    """Give a flow of one topic."""
    return replace(FLOW, topics=(topic,))


def with_target(**settings: str) -> FlowFacts:
    """Give a flow whose target's brokers have other settings."""
    named = {name.replace("_", "."): value for name, value in settings.items()}
    return replace(FLOW, target=cluster("B", named))


def test_a_flow_that_is_fine() -> None:
    """There is nothing to say."""
    assert not list(check_cluster(FLOW.source))
    assert not list(check_flow_facts(FLOW))


@pytest.mark.parametrize(
    ("facts", "level", "kind", "words", "do"),
    [
        (
            replace(FLOW, replication_factor=3),
            Level.ERROR,
            "replication_factor",
            "replication.factor = 3, and B has 1 brokers",
            "set replication.factor = 1",
        ),
        (
            with_target(min_insync_replicas="2"),
            Level.ERROR,
            "min_insync_replicas",
            "min.insync.replicas = 2",
            "set replication.factor = 2",
        ),
        (
            with_target(transaction_state_log_min_isr="2"),
            Level.ERROR,
            "transaction_log",
            "transaction.state.log.min.isr = 2, and there are 1 brokers",
            "on the brokers",
        ),
        (
            with_target(transaction_max_timeout_ms="30000"),
            Level.ERROR,
            "transaction_timeout",
            "transaction.max.timeout.ms = 30000",
            "B.producer.transaction.timeout.ms = 30000",
        ),
        (
            replace(FLOW, target=replace(FLOW.target, features={"transaction.version": 1})),
            Level.NOTE,
            "transaction_version",
            "transaction.version = 1",
            "kafka-features.sh",
        ),
        (
            replace(FLOW, topics=()),
            Level.ERROR,
            "nothing_selected",
            "no topic of A is selected",
            "kmirror explain FILE 'A->B' TOPIC",
        ),
        (
            replace(FLOW, unmatched=("orders*: ...",)),
            Level.WARNING,
            "unmatched",
            "nothing matches orders*",
            "",
        ),
        (
            with_topic(replace(TOPIC, source=entries(max_message_bytes="2000000"))),
            Level.WARNING,
            "record_size",
            "max.message.bytes = 2000000 on A and 1048588 on the copy",
            "max.message.bytes=2000000 --entity-name A.orders",
        ),
        (
            with_topic(replace(TOPIC, outdated={"retention.ms": 5})),
            Level.WARNING,
            "retention",
            "keeps records for 7 days",
            "retention.ms=-1 --entity-name A.orders",
        ),
        (
            with_topic(
                replace(
                    TOPIC,
                    target=entries(message_timestamp_before_max_ms=str(DAY_MS)),
                    outdated={"message.timestamp.before.max.ms": 1},
                )
            ),
            Level.ERROR,
            "timestamp_before",
            "older than 1 days",
            "--delete-config message.timestamp.before.max.ms",
        ),
        (
            with_topic(replace(TOPIC, newest_ms=NOW_MS + 2 * 3_600_000)),
            Level.ERROR,
            "timestamp_after",
            "a record is from 2 h ahead, and the copy takes 1 h at most",
            "message.timestamp.after.max.ms=",
        ),
        (
            with_topic(
                replace(
                    TOPIC,
                    source=entries(message_timestamp_type="LogAppendTime"),
                    newest_ms=NOW_MS + 30_000,
                )
            ),
            Level.WARNING,
            "clock_skew",
            "at least 30.0 s ahead of this machine's clock",
            "NTP",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isidentifier() else "",
)
def test_what_would_go_wrong(
    facts: FlowFacts, level: Level, kind: str, words: str, do: str
) -> None:
    """Each is named alone, with what to do."""
    (finding,) = check_flow_facts(facts)
    assert (finding.level, finding.kind) == (level, kind)
    assert words in finding.words
    assert do in finding.do
    assert finding.why or kind in {"unmatched", "nothing_selected"}


def test_a_copy_counts_more_than_what_it_would_get() -> None:
    """An existing copy has settings of its own; a new one gets the source's."""
    larger = entries(max_message_bytes="2000000")
    new = replace(TOPIC, source=larger, copied={"max.message.bytes": "2000000"})
    assert not list(check_flow_facts(with_topic(new)))
    old = replace(new, target=entries(max_message_bytes="1000"))
    (finding,) = check_flow_facts(with_topic(old))
    assert finding.kind == "record_size"
    assert not list(check_flow_facts(with_topic(replace(old, is_synced=True))))


def test_topics_with_the_same_trouble_are_one_finding() -> None:
    """A hundred topics do not fill a screen."""
    topics = tuple(
        replace(TOPIC, topic=f"t-{n}", copy=f"A.t-{n}", outdated={"retention.ms": n})
        for n in range(1, 9)
    )
    (finding,) = check_flow_facts(replace(FLOW, topics=topics))
    assert finding.where == "A->B t-1, t-2, t-3, t-4, t-5 and 3 more"
    assert finding.do.count("A.t-1") == 1


def test_a_cluster_that_is_not_there() -> None:
    """It is told once, and its flows are not judged."""
    away = ClusterFacts(alias="B", unavailable="cluster B (b:1): no answer")
    (finding,) = check_cluster(away)
    assert finding.kind == "unavailable"
    assert not list(check_flow_facts(replace(FLOW, target=away)))


def test_a_listener_that_is_closed() -> None:
    """Which broker, what it advertises, and why no connection comes about."""
    broker = replace(FLOW.target.brokers[0], unreachable="Connection refused")
    (finding,) = check_cluster(replace(FLOW.target, brokers=(broker,)))
    assert finding.level is Level.ERROR
    assert finding.where == "B broker 1"
    assert "B:9092" in finding.words
    assert "Connection refused" in finding.words


def test_brokers_whose_settings_are_not_told() -> None:
    """What was not checked is said."""
    broker = replace(FLOW.target.brokers[0], settings={})
    (finding,) = check_cluster(replace(FLOW.target, brokers=(broker,)))
    assert (finding.level, finding.kind) == (Level.NOTE, "brokers_untold")


def test_retention_in_other_units() -> None:
    """Brokers have it in hours by default, and in minutes or milliseconds on wish."""
    assert cluster("B").default("retention.ms") == str(7 * DAY_MS)
    hours = {"log.retention.ms": "", "log.retention.hours": "168"}
    assert cluster("B", hours).default("retention.ms") == str(7 * DAY_MS)
    minutes = hours | {"log.retention.minutes": "10"}
    assert cluster("B", minutes).default("retention.ms") == "600000"


def test_missing_rights() -> None:
    """Each ACL is one finding, and brings what its command needs; what is untold is a note."""
    need = Need(cluster="B", principal="User:m", row=HEARTBEAT_ROW, name=AclName("heartbeats"))
    found: tuple[CheckFinding, ...] = tuple(
        check_rights(MissingRights(missing=grants([need]), untold=grants([need])))
    )
    missing, untold = found
    assert (missing.level, missing.kind) == (Level.ERROR, "missing_right")
    assert "User:m lacks Write and Create on topic heartbeats" in missing.words
    assert missing.grants == grants([need])
    assert (untold.level, untold.kind) == (Level.NOTE, "rights_untold")

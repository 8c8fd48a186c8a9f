"""Names of remote topics. The expected values are those of Kafka 4.3.1's own classes."""

from __future__ import annotations

import pytest

from kmirror.policy.replication import (
    DefaultReplicationPolicy,
    IdentityReplicationPolicy,
    ReplicationPolicy,
)

DEFAULT = DefaultReplicationPolicy()
IDENTITY = IdentityReplicationPolicy(source_alias="src")


@pytest.mark.parametrize(
    ("topic", "source", "upstream", "original", "traits"),
    [
        (".b", "", "b", "b", (False, True)),
        ("a.", None, None, "a.", (False, False)),
        ("a..b", "a", ".b", "b", (False, False)),
        ("..", None, None, "..", (False, True)),
        (".", None, None, ".", (False, True)),
        ("a.b.", "a", "b.", "b.", (False, False)),
        ("a.heartbeats", "a", "heartbeats", "heartbeats", (True, False)),
        ("heartbeats", None, None, "heartbeats", (True, False)),
        ("x.y.heartbeats", "x", "y.heartbeats", "heartbeats", (True, False)),
    ],
)
def test_default_policy_reads_names_as_kafka_does(
    topic: str, source: str | None, upstream: str | None, original: str, traits: tuple[bool, bool]
) -> None:
    assert DEFAULT.topic_source(topic) == source
    assert DEFAULT.upstream_topic(topic) == upstream
    assert DEFAULT.original_topic(topic) == original
    assert (DEFAULT.is_heartbeats_topic(topic), DEFAULT.is_internal_topic(topic)) == traits


@pytest.mark.parametrize(
    ("topic", "upstream_ends", "remote", "original", "heartbeats"),
    [
        ("a.b", ("src", "a.b"), "a.b", "a.b", False),
        ("my-heartbeats", (None, None), "src.my-heartbeats", "my-heartbeats", False),
        ("heartbeats", (None, None), "src.heartbeats", "heartbeats", True),
        ("x.heartbeats", ("x", "heartbeats"), "src.x.heartbeats", "heartbeats", True),
        ("src.heartbeats", ("src", "heartbeats"), "src.src.heartbeats", "heartbeats", True),
    ],
)
def test_identity_policy_reads_names_as_kafka_does(
    topic: str,
    upstream_ends: tuple[str | None, str | None],
    remote: str,
    original: str,
    heartbeats: bool,
) -> None:
    assert (IDENTITY.topic_source(topic), IDENTITY.upstream_topic(topic)) == upstream_ends
    assert IDENTITY.format_remote_topic("src", topic) == remote
    assert IDENTITY.original_topic(topic) == original
    assert IDENTITY.is_heartbeats_topic(topic) is heartbeats


def test_internal_topics_follow_the_separator_unless_told_not_to() -> None:
    """KIP-690 put the separator into internal names, KIP-949 lets one keep the dot."""
    underscore = DefaultReplicationPolicy(separator="_", internal_separator="_")
    assert underscore.is_mm2_internal_topic("mm2-x_internal")
    assert not underscore.is_internal_topic("mm2-offsets.A.internal")
    assert underscore.is_checkpoints_topic("A_checkpoints_internal")
    dotted = DefaultReplicationPolicy(separator="_", internal_separator=".")
    assert dotted.is_checkpoints_topic("A.checkpoints.internal")
    assert dotted.is_internal_topic("mm2-offsets.A.internal")
    assert dotted.format_remote_topic("A", "t") == "A_t"


@pytest.mark.parametrize("policy", [DEFAULT, IDENTITY])
def test_user_topics_that_end_in_internal_are_not_internal(policy: ReplicationPolicy) -> None:
    """KIP-1074."""
    assert not policy.is_internal_topic("orders.internal")
    assert policy.is_internal_topic("__consumer_offsets")

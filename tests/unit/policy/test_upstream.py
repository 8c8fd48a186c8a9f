"""What topic names say about the clusters upstream: `MirrorClientTest`'s cases, and loops."""

from __future__ import annotations

from kmirror.policy.replication import DefaultReplicationPolicy, IdentityReplicationPolicy
from kmirror.policy.upstream import (
    heartbeats_topics,
    remote_topics,
    replication_hops,
    sources_of,
    upstream_clusters,
)

POLICY = DefaultReplicationPolicy()
TOPICS = (
    *("topic1", "heartbeats", "source1.heartbeats", "source2.source1.heartbeats"),
    *("source3.heartbeats", "source1.topic", "source2.source1.topic", "mm2-x.internal"),
    *("source1.checkpoints.internal", "__consumer_offsets"),
)


def test_heartbeats_and_clusters() -> None:
    """Over any number of hops."""
    assert heartbeats_topics(TOPICS, POLICY) == (
        *("heartbeats", "source1.heartbeats", "source2.source1.heartbeats"),
        "source3.heartbeats",
    )
    assert upstream_clusters(TOPICS, POLICY) == ("source1", "source2", "source3")


def test_hops() -> None:
    """The shortest way counts."""
    assert replication_hops(TOPICS, POLICY, "source1") == 1
    assert replication_hops(TOPICS[3:], POLICY, "source1") == 2
    assert replication_hops(TOPICS, POLICY, "source2") == 1
    assert replication_hops(TOPICS, POLICY, "nobody") is None


def test_remote_topics() -> None:
    """Internal ones are not among them."""
    assert remote_topics(TOPICS, POLICY, "source2") == (
        *("source2.source1.heartbeats", "source2.source1.topic"),
    )
    assert "source1.checkpoints.internal" not in remote_topics(TOPICS, POLICY)
    assert len(remote_topics(TOPICS, POLICY)) == 5


def test_a_name_that_goes_round() -> None:
    """As often as it went; a policy whose names stay the same ends at once."""
    assert list(sources_of("a.b.a.topic", POLICY)) == ["a", "b", "a"]
    identity = IdentityReplicationPolicy(source_alias="a")
    assert list(sources_of("topic", identity)) == ["a"]

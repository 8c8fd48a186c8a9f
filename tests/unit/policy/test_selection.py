"""Which topics a flow copies, and why not the others."""

from __future__ import annotations

import pytest

from kmirror.model import Flow
from kmirror.policy.filters import TOPICS_EXCLUDE_DEFAULT, NameFilter
from kmirror.policy.replication import (
    DefaultReplicationPolicy,
    IdentityReplicationPolicy,
    ReplicationPolicy,
)
from kmirror.policy.selection import TopicSelection


def selection(
    topics: str = ".*", *, policy: ReplicationPolicy | None = None, heartbeats: bool = True
) -> TopicSelection:
    return TopicSelection(
        flow=Flow("A", "B"),
        filter=NameFilter((topics,), TOPICS_EXCLUDE_DEFAULT),
        policy=policy or DefaultReplicationPolicy(),
        heartbeats_replication=heartbeats,
    )


@pytest.mark.parametrize("topic", ["orders", "C.orders", "orders.internal", "heartbeats", "a."])
def test_it_selects(topic: str) -> None:
    assert selection().refusal(topic) is None
    assert selection().selects(topic)


@pytest.mark.parametrize(
    ("topic", "why"),
    [
        ("orders.replica", "topics.exclude"),
        ("__consumer_offsets", "topics.exclude"),
        (".hidden", "internal"),
        ("C.checkpoints.internal", "internal"),
        ("B.orders", "loop"),
        ("A.orders", "loop"),
        ("C.B.orders", "loop"),
        ("B.heartbeats", "loop"),
    ],
)
def test_it_refuses_in_words(topic: str, why: str) -> None:
    assert why in (selection().refusal(topic) or "")
    assert not selection().selects(topic)


def test_heartbeats_pass_the_filter_unless_switched_off() -> None:
    """KIP-1089."""
    assert selection("orders").selects("heartbeats")
    assert selection("orders").selects("C.heartbeats")
    assert not selection("orders", heartbeats=False).selects("heartbeats")


def test_identity_names_are_no_cycle() -> None:
    """With Identity every topic comes from the source: only the target counts."""
    identity = selection(policy=IdentityReplicationPolicy(source_alias="A"))
    assert identity.selects("B.orders")
    assert identity.selects("A.heartbeats")
    assert not identity.selects("B.heartbeats")
    assert identity.remote_topic("orders") == "orders"


def test_remote_topic_carries_the_source() -> None:
    assert selection().remote_topic("orders") == "A.orders"

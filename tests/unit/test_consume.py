"""What an application subscribes to."""

from __future__ import annotations

import re

import pytest

from kmirror.apps.consume import parts, subscription

TOPICS = (
    *("payment-events", "kafka-a.payment-events", "kafka-b.payment-events", "user-actions"),
    *("kafka-b.kafka-a.payment-events", "other.payment-events", "xpayment-events"),
    *("payment-events2", "kafka-a-payment-events", "kafka-aXpayment-events"),
)


def matched(pattern: str) -> list[str]:
    """Give the topics that a consumer would get."""
    return [topic for topic in TOPICS if re.match(pattern, topic)]


def test_local_and_remote() -> None:
    """The two-region tutorial: the same on either side."""
    pattern = subscription("payment-events", clusters=["kafka-a", "kafka-b"])
    assert pattern == r"^((kafka-a|kafka-b)\.){0,1}payment-events$"
    assert matched(pattern) == [
        "payment-events",
        "kafka-a.payment-events",
        "kafka-b.payment-events",
    ]


def test_more_hops() -> None:
    """A chain."""
    pattern = subscription("payment-events", clusters=["kafka-a", "kafka-b"], hops_max=2)
    assert "kafka-b.kafka-a.payment-events" in matched(pattern)
    assert "other.payment-events" not in matched(pattern)


def test_dots_are_dots() -> None:
    """In aliases, separators and topics."""
    pattern = subscription("a.b", clusters=["x.y"], separator=".")
    assert re.match(pattern, "x.y.a.b")
    assert not re.match(pattern, "xzy.a.b")
    assert not re.match(pattern, "x.y.aXb")


@pytest.mark.parametrize(
    ("topic", "clusters", "hops"),
    [("", ["a"], 1), ("a b", ["a"], 1), ("t", [], 1), ("t", ["a"], 0), ("t", ["("], 1)],
)
def test_nonsense_is_refused(topic: str, clusters: list[str], hops: int) -> None:
    """Rather than matching nothing, or everything."""
    with pytest.raises(ValueError, match=r"expected|no topic"):
        subscription(topic, clusters=clusters, hops_max=hops)


def test_parts() -> None:
    """By the way they came."""
    found = parts("payment-events", TOPICS)
    assert found[()] == "payment-events"
    assert found["kafka-a",] == "kafka-a.payment-events"
    assert found["kafka-b", "kafka-a"] == "kafka-b.kafka-a.payment-events"
    assert "user-actions" not in found.values()
    assert "xpayment-events" not in found.values()

"""The choice of what becomes of poison, as the file writes it."""

from __future__ import annotations

import pytest

from kmirror.config.keys.key import ValueProblem
from kmirror.config.keys.table import KEYS
from kmirror.config.per_topic import read_per_topic
from kmirror.model import Flow
from kmirror.policy.filters import NameFilter
from kmirror.policy.poison import Poison, dlq_topic, is_dlq_topic
from kmirror.policy.replication import DefaultReplicationPolicy
from kmirror.policy.selection import TopicSelection

KEY = KEYS["kmirror.poison"]


def test_one_for_all_and_others_for_some() -> None:
    """By the topic's name on the source."""
    value = KEY.parse("dlq, audit.*: skip, orders: park")
    assert isinstance(value, tuple)
    chosen = read_per_topic(value, Poison.PARK, Poison)
    assert chosen.of("anything") is Poison.DLQ
    assert chosen.of("audit-1") is Poison.SKIP
    assert chosen.of("orders") is Poison.PARK


@pytest.mark.parametrize("text", ["drop", "audit.*: drop", ": skip", "park, skip"])
def test_what_is_no_choice(text: str) -> None:
    """It is refused with what was expected."""
    with pytest.raises(ValueProblem):
        KEY.parse(text)


def test_dead_letters_stay_where_they_are() -> None:
    """A flow that copies everything does not copy them."""
    topic = dlq_topic("A")
    assert topic == "kmirror-dlq.A"
    assert is_dlq_topic(topic)
    assert not is_dlq_topic("my-kmirror-dlq.A")
    selection = TopicSelection(
        flow=Flow("B", "C"), filter=NameFilter((".*",), ()), policy=DefaultReplicationPolicy()
    )
    assert selection.refusal(topic) == "it is a topic for dead letters"

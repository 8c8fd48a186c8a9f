"""Which topics are kmirror's and MirrorMaker 2's own."""

from __future__ import annotations

import pytest

from kmirror.model import Flow
from kmirror.policy.internal_names import purpose_of
from kmirror.wire.control_orders import control_topic
from kmirror.wire.deletions import deletions_topic
from kmirror.wire.flow_names import offset_map_topic, offsets_topic

AB = Flow("A", "B")


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        (control_topic(AB), "orders"),
        (offset_map_topic(AB), "exact offset map"),
        (deletions_topic(AB), "deleted"),
        (offsets_topic("A"), "positions"),
        ("mm2-offset-syncs.B.internal", "offset syncs"),
        ("A.checkpoints.internal", "checkpoints"),
        ("heartbeats", "heartbeats"),
        ("A.heartbeats", "heartbeats"),
        ("kmirror-events", "gaps"),
        ("__kmirror-of-a-newer-version", "kmirror's own"),
    ],
)
def test_what_a_topic_is_for(topic: str, words: str) -> None:
    assert words in purpose_of(topic)


@pytest.mark.parametrize("topic", ["orders", "A.orders", "my-heartbeats", "__consumer_offsets"])
def test_topics_of_applications(topic: str) -> None:
    assert not purpose_of(topic)

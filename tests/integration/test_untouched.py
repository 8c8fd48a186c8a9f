"""What only looks makes nothing, also on clusters that never had a group or a transaction."""

from __future__ import annotations

from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.commands import check, explain, plan, status
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import topics_of

pytestmark = pytest.mark.kafka

TOPIC = "t"


def test_nothing_is_made(own_pair: ClusterPair, tmp_path: Path) -> None:
    """Who asks for a coordinator has Kafka's own topics made, with all their partitions."""
    own_pair.a.create_topic(TOPIC, partitions=1)
    file = mirror_file(
        tmp_path,
        {"A": own_pair.a, "B": own_pair.b},
        *flow_lines("A->B", TOPIC),
        "sync.group.offsets.enabled = true",
    )
    for answer in (
        check(file),
        plan(file),
        status(file),
        status(file, "A->B", TOPIC),
        explain(file, "A->B", TOPIC),
    ):
        assert answer.code in {0, 1, 5}, answer.text
        assert (topics_of(own_pair.a), topics_of(own_pair.b)) == ({TOPIC}, set()), answer.text

"""Before the first record: which copies take smaller records than their topics."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.ends.discovery import Mirrored
from kmirror.ends.record_sizes import smaller_copies, tell_record_sizes
from kmirror.events.emit import Occurrence, subscribed
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic
from tests.support.fake_flow import fake_clients, flow_config


def topic(name: str, size_bytes: int | None) -> NewTopic:
    """Give a topic; None is one whose limit nobody tells."""
    limit = () if size_bytes is None else (("max.message.bytes", str(size_bytes)),)
    return NewTopic(name=name, partitions=2, replication_factor=1, configs=limit)


def mirrored(name: str) -> list[Mirrored]:
    """Give both partitions of a topic that is copied."""
    return [
        Mirrored(
            source=TopicPartition(name, number),
            target=TopicPartition(f"A.{name}", number),
            topic_id="",
        )
        for number in range(2)
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "is_told"),
    [(2000, 1000, True), (1000, 1000, False), (1000, 2000, False), (None, 1000, False)],
)
def test_who_takes_less(
    tmp_path: Path, ours: int | None, theirs: int | None, *, is_told: bool
) -> None:
    """Once for a flow, with the first of the topics."""
    config, source = flow_config(tmp_path), FakeAdmin()
    clients = fake_clients(config, source)
    source.create_topics([topic("t", ours), topic("u", ours)])
    clients.target.create_topics([topic("A.t", theirs), topic("A.u", theirs)])
    told: list[Occurrence] = []
    with subscribed(told.append):
        smaller = smaller_copies(clients, [*mirrored("t"), *mirrored("u")])
        tell_record_sizes(config.flow, smaller)
    assert [str(each) for each in told] == is_told * [
        "A->B: 2 copies take smaller records than their topics: t takes 2,000 bytes "
        "(max.message.bytes), its copy 1,000"
    ]

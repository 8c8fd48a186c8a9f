"""Consumer groups as tests use them: where they are, and what they would read next."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from confluent_kafka import TopicPartition as Place
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.oracle.record import Content

from kmirror.model import TopicPartition
from tests.support.copy_watch import GroupPositions
from tests.support.records import read_with_offsets

_ANSWER_S_MAX = 30


def commit(cluster: Cluster, group: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Commit a group's offsets, without being a member."""
    with closing(consumer(cluster.bootstrap, group_id=group)) as client:
        places = [Place(tp.topic, tp.partition, at) for tp, at in offsets.items()]
        client.commit(offsets=places, asynchronous=False)


def committed(cluster: Cluster, group: str, topic: str, partition: int = 0) -> int | None:
    """Give a group's offset; `None` when it has none."""
    found = GroupPositions(cluster.bootstrap, group).read([topic])
    return found.get(TopicPartition(topic, partition))


def next_record(cluster: Cluster, topic: str, offset: int, partition: int = 0) -> Content | None:
    """Give the first record at or behind an offset, for a reader of committed records."""
    records = read_with_offsets(cluster, topic, partition)
    return next((content for at, content in records if at >= offset), None)

"""Where partitions end."""

from __future__ import annotations

from collections.abc import Collection

from confluent_kafka import IsolationLevel
from confluent_kafka import TopicPartition as Assignment
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from kmirror.model import TopicPartition

_ANSWER_S_MAX = 30


def ends(
    admin: AdminClient, topics: Collection[str], *, committed: bool
) -> dict[TopicPartition, int]:
    """
    Return the ends of those of *topics* that are there.

    Args:
        admin: A client of the cluster.
        topics: Their names.
        committed: For a read_committed reader; otherwise for everybody, the high watermark.
    """
    listed = admin.list_topics(timeout=_ANSWER_S_MAX).topics
    places = [
        Assignment(topic, partition)
        for topic in set(topics) & set(listed)
        for partition in listed[topic].partitions
    ]
    if not places:
        return {}
    latest: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # theirs is bare
    asked = admin.list_offsets(
        dict.fromkeys(places, latest),
        isolation_level=(
            IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        ),
        request_timeout=_ANSWER_S_MAX,
    )
    return {TopicPartition(p.topic, p.partition): f.result().offset for p, f in asked.items()}

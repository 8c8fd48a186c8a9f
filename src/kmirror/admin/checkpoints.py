"""Reads the checkpoints that a cluster keeps of a flow's groups."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.reader import RecordReader
from kmirror.model import TopicPartition
from kmirror.wire.mirror_records import Checkpoint, decode_checkpoint


def newest_checkpoints(
    admin: ClusterAdmin, reader: RecordReader, topic: str
) -> Mapping[Checkpoint, int]:
    """
    Return the last checkpoint of each group and partition, in their order, and when it was written.

    Args:
        admin: The cluster's control plane.
        reader: Reads it.
        topic: The checkpoints topic; none are in one that does not exist.

    Returns:
        Their times, milliseconds since the epoch.

    Raises:
        ClusterError: The cluster did not answer, or refused.
    """
    found: dict[tuple[str, TopicPartition], tuple[Checkpoint, int]] = {}

    def take(key: bytes | None, value: bytes | None, at_ms: int) -> None:
        point = decode_checkpoint(key, value)
        if point is not None:
            found[point.group, point.partition] = (point, at_ms)

    if admin.topic(topic) is not None:
        reader.read_on(admin, TopicPartition(topic, 0), take)
    return dict(found[place] for place in sorted(found))

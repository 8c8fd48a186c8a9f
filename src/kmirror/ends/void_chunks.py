"""Takes out of the exact offset map what is no longer true, because one of both logs was cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.reader import RecordReader
from kmirror.config.flows import FlowConfig
from kmirror.model import TopicPartition
from kmirror.wire.flow_names import offset_map_topic
from kmirror.wire.offset_runs import decode_chunk


def void_chunks(
    config: FlowConfig,
    target: ClusterAdmin,
    client: Mapping[str, Any],
    void_from: Mapping[TopicPartition, int],
) -> None:
    """
    Delete the chunks that reach beyond an offset.

    Args:
        config: The flow.
        target: The target's control plane.
        client: librdkafka settings for the target.
        void_from: For source partitions, the first source offset of which the map is wrong.

    Raises:
        ClusterError: The map could not be read, or did not take it.
    """
    topic, timeout_s = offset_map_topic(config.flow), config.admin_timeout_s
    if target.topic(topic) is None:
        return
    keys: set[bytes] = set()

    def take(key: bytes | None, value: bytes | None, _at_ms: int) -> None:
        chunk = decode_chunk(key, value)
        if key is None or chunk is None:
            keys.discard(key or b"")
        elif chunk.end > void_from.get(chunk.partition, chunk.end):
            keys.add(key)

    cluster = f"cluster {config.flow.target}"
    reader = RecordReader(client, cluster=cluster, timeout_s=timeout_s)
    try:
        reader.read_on(target, TopicPartition(topic, 0), take)
    finally:
        reader.close()
    if keys:
        writer = InternalWriter(client, cluster=cluster, timeout_s=timeout_s)
        try:
            writer.write(topic, (InternalRecord(key=key, value=None) for key in sorted(keys)))
        finally:
            writer.close()

"""Counts the holes of what was copied: offsets without a record, which are no gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.errors import NotAuthorized
from kmirror.model import TopicPartition
from kmirror.wire.flow_names import offset_map_topic
from kmirror.wire.offset_runs import decode_chunk


def count_holes(
    config: FlowConfig, admin: ClusterAdmin, rdkafka: Mapping[str, Any], clock: Clock
) -> Mapping[str, int]:
    """
    Return how many source offsets of each topic hold nothing that was copied.

    Compaction, aborted records, markers and filters leave them. They are counted from the exact
    offset map, as far back as it goes: lanes have nothing to do with it. Without the right to read
    the map nothing is counted.

    Args:
        config: The flow.
        admin: The target's control plane.
        rdkafka: librdkafka settings for the target.
        clock: Where time comes from.

    Raises:
        ClusterError: The map could not be read.
    """
    topic = offset_map_topic(config.flow)
    if config.policy.merges or admin.topic(topic) is None:
        return {}
    holes: dict[bytes, tuple[str, int]] = {}

    def take(key: bytes | None, value: bytes | None, _at_ms: int) -> None:
        chunk = decode_chunk(key, value)
        if chunk is None:
            holes.pop(key or b"", None)
            return
        found = chunk.end - chunk.start - sum(run.count for run in chunk.runs)
        holes[key or b""] = (chunk.partition.topic, found)

    cluster, timeout_s = f"cluster {config.flow.target}", config.admin_timeout_s
    with RecordReader(rdkafka, cluster=cluster, timeout_s=timeout_s, clock=clock) as reader:
        try:
            reader.read_on(admin, TopicPartition(topic, 0), take)
        except NotAuthorized:
            return {}
    counted: Counter[str] = Counter()
    for name, found in holes.values():
        counted[name] += found
    return counted

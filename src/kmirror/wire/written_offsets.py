"""
What kmirror has committed for consumer groups, as it lies in the topic `__kmirror-groups-<S>-<T>`.

Kafka does not tell who committed an offset, and the text beside it belongs to the application. So
whatever a flow commits for a group is written down here, on the flow's target, after the cluster
has taken it. An offset that is not here was committed by somebody else.

Key: the JSON array `[cluster, group, topic, partition]`. Value: a JSON object with the committed
offset (`at`), the group's own offset on the other cluster that it stands for (`from`), and when
that one was read (`ms`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import joined
from kmirror.wire.json_text import parsed

_NAMES_MAX = 10_000  # groups and topics; each has many partitions


def written_offsets_topic(flow: Flow) -> str:
    """Name the topic on the target cluster that holds what *flow* has committed for groups."""
    return f"__kmirror-groups-{joined(flow)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenOffset:
    """
    An offset that kmirror has committed for a group.

    Args:
        cluster: The alias of the cluster that it was committed on.
        group: The group.
        partition: The partition of that cluster.
        offset: What was committed.
        origin: The group's own offset on the other cluster at that time.
        at_ms: When *origin* was read, milliseconds since the epoch.
    """

    cluster: str
    group: str
    partition: TopicPartition
    offset: int
    origin: int
    at_ms: int

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        key = written_offset_key(self.cluster, self.group, self.partition)
        # `json` would take most of the time of a round of many groups.
        return key, b'{"at":%d,"from":%d,"ms":%d}' % (self.offset, self.origin, self.at_ms)


def written_offset_key(cluster: str, group: str, partition: TopicPartition) -> bytes:
    """Return the key under which a group's offset is kept."""
    names = _names(cluster, group, partition.topic)
    return b"[%b,%d]" % (names, partition.partition)


@lru_cache(_NAMES_MAX)
def _names(*names: str) -> bytes:
    return ",".join(map(json.dumps, names)).encode()


def decode_written_offset(key: bytes | None, value: bytes | None) -> WrittenOffset | None:
    """Read a record of the topic; `None` when it is none of ours."""
    names, fields = parsed(key), parsed(value)
    match names, fields:
        case (
            [str(cluster), str(group), str(topic), int(partition)],
            {"at": int(offset), "from": int(origin), "ms": int(at_ms)},
        ) if bool not in map(type, (partition, offset, origin, at_ms)):
            return WrittenOffset(
                cluster=cluster,
                group=group,
                partition=TopicPartition(topic, partition),
                offset=offset,
                origin=origin,
                at_ms=at_ms,
            )
    return None

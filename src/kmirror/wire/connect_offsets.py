"""
MirrorMaker 2's source positions: records of the topic `mm2-offsets.<S>.internal`.

Connect stores a source task's progress as JSON, key `[connector, partition]`, value `{"offset":n}`.
*n* is the offset **last copied**; a position here is always the next one to copy, n + 1. Key order
inside the JSON does not matter to readers, but it decides compaction and the partition: keys are
therefore written byte for byte as Connect writes them (Java's `HashMap` order).
Source: KIP-618 and KIP-875, `MirrorUtils.wrapPartition`, `MirrorUtils.wrapOffset`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

_OFFSET_MAX = 2**63 - 1
_PARTITION_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class ConnectOffset:
    """
    The partition whose position a record of the offsets topic holds.

    Args:
        connector: The connector's name, `MirrorSourceConnector` unless configured otherwise.
        cluster: The source cluster's alias.
        topic: The topic's name on the source.
        partition: Its partition number.
    """

    connector: str
    cluster: str
    topic: str
    partition: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectPosition:
    """
    One decoded record.

    Args:
        key: Whose position it is.
        position: The next source offset to copy; `None` is a tombstone, which resets the position.
    """

    key: ConnectOffset
    position: int | None


def encode_key(key: ConnectOffset) -> bytes:
    """Return the record key, byte for byte as Connect's `JsonConverter` writes it."""
    partition = {"cluster": key.cluster, "partition": key.partition, "topic": key.topic}
    return _json([key.connector, partition])


def encode_value(position: int | None) -> bytes | None:
    """
    Return the record value for a position.

    Args:
        position: The next source offset to copy. 0 and `None` both mean that nothing was copied:
            a tombstone, because Connect cannot say "before offset 0".
    """
    if not position:
        return None
    assert 0 < position <= _OFFSET_MAX, "positions are never negative"
    return _json({"offset": position - 1})


def decode(key: bytes | None, value: bytes | None) -> ConnectPosition | None:
    """
    Read one record of the offsets topic.

    Returns:
        The position, or `None` for a record that is not a source position: those of the checkpoint
        and heartbeat connectors, and anything that somebody else left there.
    """
    whose = _decode_key(key)
    if whose is None:
        return None
    if value is None:
        return ConnectPosition(key=whose, position=None)
    fields = _parse(value)
    if not isinstance(fields, dict):
        # Connect writes a reset through its REST interface as the JSON `null`.
        return ConnectPosition(key=whose, position=None) if value.strip() == b"null" else None
    offset = _number(fields.get("offset"), _OFFSET_MAX - 1)
    return None if offset is None else ConnectPosition(key=whose, position=offset + 1)


def _decode_key(key: bytes | None) -> ConnectOffset | None:
    parsed = _parse(key)
    if not isinstance(parsed, list) or len(parsed) != 2:
        return None
    connector, fields = parsed
    if not isinstance(connector, str) or not isinstance(fields, dict):
        return None
    # More or fewer fields make another connector's key.
    if set(fields) != {"cluster", "partition", "topic"}:
        return None
    cluster, topic = fields["cluster"], fields["topic"]
    partition = _number(fields["partition"], _PARTITION_MAX)
    if not isinstance(cluster, str) or not isinstance(topic, str) or partition is None:
        return None
    return ConnectOffset(connector=connector, cluster=cluster, topic=topic, partition=partition)


def _number(value: object, max_: int) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= max_:
        return value
    return None


def _parse(data: bytes | None) -> object:
    if data is None:
        return None
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def _json(value: object) -> bytes:
    # Jackson writes characters outside ASCII as they are.
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8")

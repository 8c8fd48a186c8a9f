"""
MirrorMaker 2's source positions: records of the topic `mm2-offsets.<S>.internal`.

Connect stores a source task's progress as JSON, key `[connector, partition]`, value `{"offset":n}`.
*n* is the offset **last copied**; a position here is always the next one to copy, n + 1.
Source: KIP-618 and KIP-875, `MirrorUtils.wrapPartition`, `MirrorUtils.wrapOffset`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.wire.connect_json import INT_MAX, LONG_MAX, Damaged, JsonValue, number, text
from kmirror.wire.connect_nouns import Unreadable
from kmirror.wire.source_offsets import (
    SourceOffset,
    decode_source_offset,
    source_key,
    source_value,
)


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


def partition_words(key: ConnectOffset) -> dict[str, JsonValue]:
    """Return MirrorMaker 2's words for a partition."""
    return {"cluster": key.cluster, "partition": key.partition, "topic": key.topic}


def offset_words(position: int | None) -> dict[str, JsonValue] | None:
    """
    Return MirrorMaker 2's words for a position.

    Args:
        position: The next source offset to copy. 0 and `None` both mean that nothing was copied:
            none, because Connect cannot say "before offset 0".
    """
    if not position:
        return None
    assert 0 < position <= LONG_MAX, "positions are never negative"
    return {"offset": position - 1}


def encode_key(key: ConnectOffset) -> bytes:
    """Return the record key, byte for byte as Connect's `JsonConverter` writes it."""
    return source_key(key.connector, partition_words(key))


def encode_value(position: int | None) -> bytes | None:
    """Return the record value for a position; see `offset_words`."""
    return source_value(offset_words(position))


def decode(key: bytes | None, value: bytes | None) -> ConnectPosition | None:
    """
    Read one record of the offsets topic.

    Returns:
        The position, or `None` for a record that is not a source position: those of the checkpoint
        and heartbeat connectors, and anything that somebody else left there.
    """
    record = decode_source_offset(key, value)
    return None if isinstance(record, Unreadable) else position_of(record)


def position_of(record: SourceOffset) -> ConnectPosition | None:
    """Return what a record says of a source position; `None` if it is of something else."""
    fields = record.partition
    # More or fewer fields make another connector's key.
    if set(fields) != {"cluster", "partition", "topic"}:
        return None
    try:
        key = ConnectOffset(
            connector=record.connector,
            cluster=text(fields, "cluster"),
            topic=text(fields, "topic"),
            partition=number(fields, "partition", max_=INT_MAX),
        )
        return ConnectPosition(key=key, position=_position(record.offset))
    except Damaged:
        return None


def _position(offset: Mapping[str, JsonValue] | None) -> int | None:
    return None if offset is None else number(offset, "offset", max_=LONG_MAX - 1) + 1

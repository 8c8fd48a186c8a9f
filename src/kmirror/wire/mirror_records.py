"""
What MirrorMaker 2 writes beside the data: heartbeats, checkpoints, offset syncs (KIP-382).

Byte for byte as Kafka's schemas make them: numbers big-endian, a text is its length in 16 bits and
UTF-8. Readers ignore what follows, so longer values of a newer version are read as far as known.
MirrorMaker 2's own readers fail on a null value: none of these topics ever gets a tombstone.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from kmirror.model import TopicPartition

_VERSION = 0
_SHORT, _INT, _LONG = struct.Struct(">h"), struct.Struct(">i"), struct.Struct(">q")
_TEXT_BYTES_MAX = 32_767


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """
    A heartbeat of the flow *source* to *target*.

    Args:
        source, target: Their aliases.
        timestamp_ms: When it was emitted.
    """

    source: str
    target: str
    timestamp_ms: int

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        key = _text(self.source) + _text(self.target)
        return key, _SHORT.pack(_VERSION) + _LONG.pack(self.timestamp_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """
    A group's offset in both logs.

    Args:
        group: Its name.
        partition: The *target* partition.
        upstream: The group's offset on the source.
        downstream: Where it would go on, on the target.
        metadata: What the group committed with its offset.
    """

    group: str
    partition: TopicPartition
    upstream: int
    downstream: int
    metadata: str = ""

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        offsets = _LONG.pack(self.upstream) + _LONG.pack(self.downstream)
        key = _text(self.group) + _place(self.partition)
        return key, _SHORT.pack(_VERSION) + offsets + _text(self.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetSync:
    """
    A record's offset in both logs.

    Args:
        partition: The *source* partition.
        upstream: The offset there.
        downstream: The offset on the target.
    """

    partition: TopicPartition
    upstream: int
    downstream: int

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value; this one has no version."""
        value = _LONG.pack(self.upstream) + _LONG.pack(self.downstream)
        return _place(self.partition), value


def decode_heartbeat(key: bytes | None, value: bytes | None) -> Heartbeat | None:
    """Read a record of a heartbeats topic; `None` when it is none, or of an unknown version."""
    try:
        names, fields = _Reader(key), _Reader(value)
        if fields.short() != _VERSION:
            return None
        return Heartbeat(source=names.text(), target=names.text(), timestamp_ms=fields.long())
    except ValueError:
        return None


def decode_checkpoint(key: bytes | None, value: bytes | None) -> Checkpoint | None:
    """Read a record of a checkpoints topic; `None` when it is none, or of an unknown version."""
    try:
        names, fields = _Reader(key), _Reader(value)
        if fields.short() != _VERSION:
            return None
        return Checkpoint(
            group=names.text(),
            partition=names.place(),
            upstream=fields.long(),
            downstream=fields.long(),
            metadata=fields.text(),
        )
    except ValueError:
        return None


def decode_offset_sync(key: bytes | None, value: bytes | None) -> OffsetSync | None:
    """Read a record of an offset-syncs topic; `None` when it is none."""
    try:
        fields = _Reader(value)
        return OffsetSync(
            partition=_Reader(key).place(), upstream=fields.long(), downstream=fields.long()
        )
    except ValueError:
        return None


def _text(text: str) -> bytes:
    data = text.encode()
    if len(data) > _TEXT_BYTES_MAX:
        raise ValueError(f"a text of {len(data)} bytes; Kafka allows {_TEXT_BYTES_MAX}")
    return _SHORT.pack(len(data)) + data


def _place(partition: TopicPartition) -> bytes:
    return _text(partition.topic) + _INT.pack(partition.partition)


class _Reader:
    """Takes fields off the beginning; `ValueError` where there is none."""

    def __init__(self, data: bytes | None) -> None:
        self._data = data or b""
        self._at = 0

    def short(self) -> int:
        return self._number(_SHORT)

    def long(self) -> int:
        return self._number(_LONG)

    def text(self) -> str:
        length = self.short()
        if length < 0:
            raise ValueError("a null text")
        return self._take(length).decode()

    def place(self) -> TopicPartition:
        return TopicPartition(self.text(), self._number(_INT))

    def _number(self, kind: struct.Struct) -> int:
        number: int = kind.unpack(self._take(kind.size))[0]
        return number

    def _take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise ValueError("it ends too early")
        self._at += count
        return taken

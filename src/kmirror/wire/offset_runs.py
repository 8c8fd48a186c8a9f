"""
The chunks of the exact offset map, as they lie in the topic `__kmirror-offsets-<S>-<T>`.

A flow writes down which source offset went to which target offset: runs of records that lie side
by side in both logs, collected per partition into chunks. A chunk is written by the lane that
copied its records (`io.kmirror.offsets.OffsetChunk`), in a transaction after theirs.

Key: the JSON array `[topic, partition, start]` of the source. Value, numbers as unsigned LEB128:

    byte      1, the version
    16 bytes  id of the source topic, zeros when unknown
    16 bytes  id of the target topic, zeros when unknown
    number    end - start, in source offsets
    number    target offset from which the first run's gap counts
    runs      until the value ends

A run begins with a number: its count of records, times four, and two bits. Bit 0 says that a
number follows, the gap before it in the source (0 without the bit); bit 1 that a number follows,
the gap before it on the target. Without bit 1 that gap is 1, the marker of a transaction of ours,
when there is no gap in the source, and 0 when there is one: a marker of the source's, or a record
that is not there any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from kmirror.model import TopicPartition
from kmirror.wire.json_text import compact, parsed

CHUNK_RECORDS_MAX = 65_536
"""
With so many records a chunk is written down: what a lane, or a killed driver, has not written down
is hardly more.
"""

_VERSION = 1
_ID_BYTES = 16
_SOURCE_GAP, _TARGET_GAP, _GAP_BITS = 1, 2, 2
_BITS, _MORE = 7, 0x80


@dataclass(frozen=True, slots=True)
class Run:
    """
    Records that lie side by side in both logs.

    Args:
        source: The first one's source offset.
        target: Its target offset.
        count: How many.
    """

    source: int
    target: int
    count: int

    @property
    def source_end(self) -> int:
        """What follows in the source."""
        return self.source + self.count

    @property
    def target_end(self) -> int:
        """What follows on the target."""
        return self.target + self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """
    Where a range of one source partition went.

    Args:
        partition: The source partition.
        start: The range's first source offset.
        end: The offset after it.
        runs: Everything of the range that is on the target, in order; what is not in them was no
            record, or is not copied.
        source_id: The source topic's id; `None` when unknown.
        target_id: The target topic's id; `None` when unknown.
    """

    partition: TopicPartition
    start: int
    end: int
    runs: tuple[Run, ...]
    source_id: UUID | None = None
    target_id: UUID | None = None


def encode_chunk(chunk: Chunk) -> tuple[bytes, bytes]:
    """Give key and value of a chunk; the lanes write them, in `io.kmirror.offsets.OffsetChunk`."""
    first = chunk.runs[0].target if chunk.runs else 0
    value = bytearray([_VERSION])
    for topic_id in (chunk.source_id, chunk.target_id):
        value += topic_id.bytes if topic_id is not None else bytes(_ID_BYTES)
    _put(value, chunk.end - chunk.start)
    _put(value, first)
    source, target = chunk.start, first
    for run in chunk.runs:
        _put_run(value, run.source - source, run.target - target, run.count)
        source, target = run.source_end, run.target_end
    key = compact([chunk.partition.topic, chunk.partition.partition, chunk.start])
    return key, bytes(value)


def chunk_place(key: bytes | None) -> tuple[TopicPartition, int] | None:
    """Give the partition and start that a record's key names; `None` when it is none of ours."""
    fields = parsed(key)
    if not _is_key(fields):
        return None
    topic, partition, start = fields
    return TopicPartition(topic, partition), start


def decode_chunk(key: bytes | None, value: bytes | None) -> Chunk | None:
    """Read a record of the topic; `None` when it is none of ours, or of a newer kmirror."""
    place = chunk_place(key)
    try:
        reader = _Reader(value or b"")
        if place is None or reader.byte() != _VERSION:
            return None
        partition, start = place
        return Chunk(
            partition=partition,
            start=start,
            source_id=reader.topic_id(),
            target_id=reader.topic_id(),
            end=start + reader.number(),
            runs=tuple(_runs(reader, start, reader.number())),
        )
    except IndexError:
        return None


def _is_key(fields: object) -> bool:
    match fields:
        case [str(), int(partition), int(start)]:
            return partition >= 0 and start >= 0 and bool not in map(type, fields)
    return False


class _Reader:
    """Reads a value from its beginning; `IndexError` where it ends too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def more(self) -> bool:
        return self._at < len(self._data)

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def topic_id(self) -> UUID | None:
        raw = bytes(self.byte() for _ in range(_ID_BYTES))
        return UUID(bytes=raw) if any(raw) else None

    def number(self) -> int:
        shift = number = 0
        while (byte := self.byte()) >= _MORE:
            number |= (byte - _MORE) << shift
            shift += _BITS
        return number | byte << shift


def _runs(reader: _Reader, source: int, target: int) -> Iterator[Run]:
    while reader.more:
        number = reader.number()
        count = number >> _GAP_BITS
        source_gap = reader.number() if number & _SOURCE_GAP else 0
        source += source_gap
        target += reader.number() if number & _TARGET_GAP else _usual_target_gap(source_gap)
        yield Run(source, target, count)
        source, target = source + count, target + count


def _put_run(into: bytearray, source_gap: int, target_gap: int, count: int) -> None:
    gaps = _SOURCE_GAP if source_gap else 0
    if target_gap != _usual_target_gap(source_gap):
        gaps |= _TARGET_GAP
    _put(into, count << _GAP_BITS | gaps)
    if gaps & _SOURCE_GAP:
        _put(into, source_gap)
    if gaps & _TARGET_GAP:
        _put(into, target_gap)


def _usual_target_gap(source_gap: int) -> int:
    return 0 if source_gap else 1


def _put(into: bytearray, number: int) -> None:
    while number >= _MORE:
        into.append(number % _MORE + _MORE)
        number >>= _BITS
    into.append(number)

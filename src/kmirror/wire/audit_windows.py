"""
What an audit found in a window: a range of source offsets, and the same range of the copy.

They lie in the topic of `wire.audits`. Keys are JSON arrays `[topic, partition, start]` of the
source.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kmirror.model import TopicPartition
from kmirror.wire.json_text import compact, parsed


class AuditVerdict(StrEnum):
    """
    What a window is.

    `MISSING` and `EXTRA` are records of the source, or of the target, that the other side has not.
    """

    IDENTICAL = "identical"
    UNDECIDABLE = "undecidable"
    MISSING = "missing"
    EXTRA = "extra"
    DIFFERENT = "different"

    @property
    def is_difference(self) -> bool:
        """Whether the two sides are proved not to be equal."""
        return self in {AuditVerdict.MISSING, AuditVerdict.EXTRA, AuditVerdict.DIFFERENT}

    @classmethod
    def of_kind(cls, kind: str) -> AuditVerdict:
        """Return what a window is whose first difference is of a *kind*; see `AuditWindow`."""
        return cls(kind) if kind in {cls.MISSING, cls.EXTRA} else cls.DIFFERENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Hashed:
    """
    What was read of one side of a window.

    Args:
        records: How many records.
        bytes: Of their keys and values.
        hash: Order-sensitive, over all of every record, as hexadecimal digits.
        content_hash: The same without timestamps.
    """

    records: int = 0
    bytes: int = 0
    hash: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditWindow:
    """
    A window with its verdict.

    Args:
        partition: Of the source.
        target: Its copy.
        topic_id, copy_id: The ids of both topics: of others this says nothing.
        start, end: The window, in source offsets: the first, and the one behind the last.
        copy_start, copy_end: The same range of the copy.
        verdict: What it is.
        source, copy: What was read of both sides.
        kind: What differs: `key`, `value`, `headers`, `timestamp`, `missing`, `extra`, `record`,
            `reordered`; empty when nothing does.
        offset: The source offset of the first difference; `None` when the source has no record
            there.
        copy_offset: The same on the target.
        words: The same for people, or why it cannot be decided.
        at_ms: When it was compared, milliseconds since the epoch.
        by: Who did it.
    """

    partition: TopicPartition
    target: TopicPartition
    topic_id: str
    copy_id: str
    start: int
    end: int
    copy_start: int
    copy_end: int
    verdict: AuditVerdict
    source: Hashed = Hashed()
    copy: Hashed = Hashed()
    kind: str = ""
    offset: int | None = None
    copy_offset: int | None = None
    words: str = ""
    at_ms: int = 0
    by: str = ""

    @property
    def key(self) -> bytes:
        """The key of its record."""
        return compact([self.partition.topic, self.partition.partition, self.start])

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields = {
            "id": self.topic_id,
            "copy_id": self.copy_id,
            "copy_topic": self.target.topic,
            "end": self.end,
            "copy": [self.copy_start, self.copy_end],
            "verdict": self.verdict.value,
            "source_read": _hashed_fields(self.source),
            "copy_read": _hashed_fields(self.copy),
            "kind": self.kind,
            "offset": self.offset,
            "copy_offset": self.copy_offset,
            "words": self.words,
            "at_ms": self.at_ms,
            "by": self.by,
        }
        return self.key, compact(fields)


def window_place(key: bytes | None) -> tuple[TopicPartition, int] | None:
    """Give the partition and start that a record's key names; `None` when it is no window's."""
    match parsed(key):
        case [str(topic), int(partition), int(start)]:
            return TopicPartition(topic, partition), start
    return None


def decode_window(key: bytes | None, value: bytes | None) -> AuditWindow | None:
    """Read a record of the topic; `None` when it is no window, or of a newer kmirror."""
    place, fields = window_place(key), parsed(value)
    match place, fields:
        case (
            (TopicPartition() as partition, int(start)),
            {
                "id": str(topic_id),
                "copy_id": str(copy_id),
                "copy_topic": str(copy_topic),
                "end": int(end),
                "copy": [int(copy_start), int(copy_end)],
                "verdict": str(verdict),
                "source_read": [*source_read],
                "copy_read": [*copy_read],
                "kind": str(kind),
                "offset": int() | None as offset,
                "copy_offset": int() | None as copy_offset,
                "words": str(words),
                "at_ms": int(at_ms),
                "by": str(by),
            },
        ) if verdict in list(AuditVerdict):
            return AuditWindow(
                partition=partition,
                target=TopicPartition(copy_topic, partition.partition),
                topic_id=topic_id,
                copy_id=copy_id,
                start=start,
                end=end,
                copy_start=copy_start,
                copy_end=copy_end,
                verdict=AuditVerdict(verdict),
                source=_hashed(source_read),
                copy=_hashed(copy_read),
                kind=kind,
                offset=offset,
                copy_offset=copy_offset,
                words=words,
                at_ms=at_ms,
                by=by,
            )
    return None


def _hashed_fields(read: Hashed) -> list[object]:
    return [read.records, read.bytes, read.hash, read.content_hash]


def _hashed(fields: list[object]) -> Hashed:
    match fields:
        case [int(records), int(size), str(hash_), str(content_hash)]:
            return Hashed(records=records, bytes=size, hash=hash_, content_hash=content_hash)
    return Hashed()

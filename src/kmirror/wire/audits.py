"""
Which source offsets were compared with their copies and found identical.

It lies in the topic `__kmirror-audit-<S>-<T>`, on the flow's target and compacted. Keys are JSON
arrays `[topic, partition]` of the source. The windows that an audit has compared lie beside it; see
`wire.audit_windows`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import joined
from kmirror.wire.json_text import compact, parsed

_RANGES_MAX = 64


def audit_topic(flow: Flow) -> str:
    """Name the topic on the target cluster with what was found identical of *flow*."""
    return f"__kmirror-audit-{joined(flow)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """
    What was found identical of a partition.

    Args:
        partition: Of the source.
        topic_id, copy_id: The ids of both topics: of others this says nothing.
        ranges: Pairs of the first source offset and the one behind the last, in order; they do not
            touch.
        at_ms: When something was compared last, milliseconds since the epoch.
        by: Who did it.
        next: Where the continuous audit goes on: the source offset, and the same place on the
            target; `None` before its first window.
    """

    partition: TopicPartition
    topic_id: str
    copy_id: str
    ranges: tuple[tuple[int, int], ...]
    at_ms: int
    by: str
    next: tuple[int, int] | None = None

    def with_range(self, start: int, end: int) -> Audit:
        """Return this with one more range."""
        if start >= end:
            return self
        return replace(self, ranges=_merged([*self.ranges, (start, end)])[-_RANGES_MAX:])

    def without_range(self, start: int, end: int) -> Audit:
        """Return this without a range: something in it differs by now."""
        left = [
            part
            for a, b in self.ranges
            for part in ((a, min(b, start)), (max(a, end), b))
            if part[0] < part[1]
        ]
        return replace(self, ranges=tuple(left))

    def end_of(self, offset: int) -> int | None:
        """Return up to where all from *offset* on was identical; `None` if that begins later."""
        for start, end in self.ranges:
            if start <= offset <= end:
                return end
        return None

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields: dict[str, object] = {
            "id": self.topic_id,
            "copy_id": self.copy_id,
            "ranges": [list(each) for each in self.ranges],
            "at_ms": self.at_ms,
            "by": self.by,
        }
        if self.next is not None:
            fields["next"] = list(self.next)
        return compact([self.partition.topic, self.partition.partition]), compact(fields)


def audit_place(key: bytes | None) -> TopicPartition | None:
    """Give the partition that a record's key names; `None` when it is none of ours."""
    match parsed(key):
        case [str(topic), int(partition)]:
            return TopicPartition(topic, partition)
    return None


def decode_audit(key: bytes | None, value: bytes | None) -> Audit | None:
    """Read a record of the topic; `None` when it is none of ours."""
    place, fields = audit_place(key), parsed(value)
    match place, fields:
        case (
            TopicPartition() as partition,
            {
                "id": str(topic_id),
                "copy_id": str(copy_id),
                "ranges": list(ranges),
                "at_ms": int(at_ms),
                "by": str(by),
            },
        ):
            return Audit(
                partition=partition,
                topic_id=topic_id,
                copy_id=copy_id,
                ranges=_merged(_pairs(ranges)),
                at_ms=at_ms,
                by=by,
                next=_place(fields.get("next")),
            )
    return None


def _place(field: object) -> tuple[int, int] | None:
    match field:
        case [int(source), int(target)] if source >= 0 and target >= 0:
            return source, target
    return None


def _pairs(ranges: list[object]) -> Iterable[tuple[int, int]]:
    for each in ranges:
        match each:
            case [int(start), int(end)] if 0 <= start < end:
                yield start, end


def _merged(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)

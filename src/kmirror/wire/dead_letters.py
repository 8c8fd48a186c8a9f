"""
What lies in `kmirror-dlq.<S>`, and in `__kmirror-dlq-<S>-<T>`: which of it was replayed.

A lane writes dead letters (`io.kmirror.lane.DeadLetter`): what was refused, and behind its own
headers one for each of its coordinates. Replays are told by a compacted topic: the key is a JSON
array of the id of the topic for dead letters and an offset in it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import joined

Headers = tuple[tuple[str, bytes | None], ...]

_PREFIX = "kmirror.dlq."
_FIRST = f"{_PREFIX}flow"
_DAMAGED = "damaged_batch"


def replays_topic(flow: Flow) -> str:
    """Name the topic on the target that tells what of *flow* was replayed."""
    return f"__kmirror-dlq-{joined(flow)}"


def replay_transactional_id(flow: Flow) -> str:
    """Name the transactional id of whoever replays."""
    return f"kmirror-{joined(flow)}-dlq"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """
    Something that a copy has gone on without.

    Args:
        number: Its offset in the topic for dead letters.
        at_ms: When it was written there, milliseconds since the epoch.
        flow: `S->T`.
        source: The source's partition.
        topic_id: The id of the source's topic; empty if it is not known.
        target: The topic that did not take it.
        offset, end: Its offset on the source, and the one behind it.
        timestamp_ms: The record's time; `None` if it has none.
        reason: Why, for programs.
        words: Why, as the client has it.
        key, value, headers: What is kept of it; of a batch *value* is all of it.
        key_bytes, value_bytes: How large they were; -1 for null.
        header_count, headers_bytes: How many headers it had, and how large they were.
        is_truncated: Whether less is kept than there was.
    """

    number: int
    at_ms: int
    flow: str
    source: TopicPartition
    topic_id: str
    target: str
    offset: int
    end: int
    timestamp_ms: int | None
    reason: str
    words: str
    key: bytes | None
    value: bytes | None
    headers: Headers
    key_bytes: int
    value_bytes: int
    header_count: int
    headers_bytes: int
    is_truncated: bool

    @property
    def is_batch(self) -> bool:
        """Whether it is a batch that nobody could read."""
        return self.reason == _DAMAGED

    @property
    def size_bytes(self) -> int:
        """How large it was."""
        return max(0, self.key_bytes) + max(0, self.value_bytes) + self.headers_bytes


def decode_letter(
    number: int, at_ms: int, key: bytes | None, value: bytes | None, headers: Headers
) -> DeadLetter | None:
    """
    Return what a record of the topic for dead letters is; `None` for what no lane has written.

    Args:
        number: Its offset.
        at_ms: Its time.
        key, value, headers: What it has.
    """
    names = [name for name, _ in headers]
    if _FIRST not in names:
        return None
    first = len(names) - 1 - names[::-1].index(_FIRST)
    ours = {
        name.removeprefix(_PREFIX): (text or b"").decode(errors="replace")
        for name, text in headers[first:]
    }
    try:
        timestamp_ms = int(ours.get("timestamp", -1))
        return DeadLetter(
            number=number,
            at_ms=at_ms,
            flow=ours["flow"],
            source=TopicPartition(ours["topic"], int(ours["partition"])),
            topic_id=ours["topic.id"],
            target=ours["target"],
            offset=int(ours["offset"]),
            end=int(ours["end"]),
            timestamp_ms=timestamp_ms if timestamp_ms >= 0 else None,
            reason=ours["reason"],
            words=ours["words"],
            key=key,
            value=value,
            headers=headers[:first],
            key_bytes=int(ours["key.size"]),
            value_bytes=int(ours["value.size"]),
            header_count=int(ours["headers"]),
            headers_bytes=int(ours["headers.size"]),
            is_truncated="truncated" in ours,
        )
    except (KeyError, ValueError):
        return None


def without_content(letter: DeadLetter) -> DeadLetter:
    """Return the same without what was kept of it, for lists of many."""
    return replace(letter, key=None, value=None, headers=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """
    That a dead letter was written to its topic after all.

    Args:
        dlq_id: The id of the topic for dead letters; empty where clusters have none.
        number: The letter's offset there.
        at_ms: When, milliseconds since the epoch.
        by: Who, for people.
    """

    dlq_id: str
    number: int
    at_ms: int
    by: str

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        key = json.dumps([self.dlq_id, self.number]).encode()
        return key, json.dumps({"at_ms": self.at_ms, "by": self.by}).encode()


def decode_replayed(key: bytes | None, value: bytes | None) -> Replayed | None:
    """Return what a record tells; `None` for what nobody of ours has written."""
    if key is None or value is None:
        return None
    try:
        dlq_id, number = json.loads(key)
        fields = json.loads(value)
        return Replayed(
            dlq_id=str(dlq_id), number=int(number), at_ms=fields["at_ms"], by=fields["by"]
        )
    except (ValueError, KeyError, TypeError):
        return None


def numbers_of(replays: Sequence[Replayed], dlq_id: str) -> dict[int, Replayed]:
    """Return those of one topic for dead letters, by number: it may have been made anew."""
    return {each.number: each for each in replays if each.dlq_id == dlq_id}

"""
What operators order of a flow, as it lies in the topic `__kmirror-control-<S>-<T>`.

The topic is on the flow's target, beside the positions, so an order outlives every driver. It is
compacted: of each key the newest record stays for ever, and older ones for some weeks, which is the
record of who ordered what.

Keys are JSON arrays. `["pause"]`, `["pause", topic]` and `["pause", topic, partition]` say whether
a flow, a topic or a partition is copied; the newest of the three that has not expired counts.
`["seek", topic, partition]` says where a partition shall go on; it is done once. `["driver"]` is
the driver's: up to which offset of this topic it has obeyed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum

from kmirror.model import Flow, TopicPartition
from kmirror.units import moment
from kmirror.wire.flow_names import joined


def control_topic(flow: Flow) -> str:
    """Name the topic on the target cluster with what operators have ordered of *flow*."""
    return f"__kmirror-control-{joined(flow)}"


class PauseVerb(StrEnum):
    """Whether something is copied."""

    PAUSE = "pause"
    PARK = "park"
    RESUME = "resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """
    What an order is about.

    Args:
        topic: A topic of the source; `None` for the whole flow.
        partition: One partition of it; `None` for all.
    """

    topic: str | None = None
    partition: int | None = None

    def __post_init__(self) -> None:
        assert self.topic is not None or self.partition is None, "a partition is of a topic"

    def covers(self, partition: TopicPartition) -> bool:
        """Return whether *partition* is part of it."""
        return self.topic in {None, partition.topic} and self.partition in {
            None,
            partition.partition,
        }

    def __str__(self) -> str:
        if self.topic is None:
            return "the whole flow"
        return self.topic if self.partition is None else f"{self.topic}:{self.partition}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """
    Who ordered something, and why.

    Args:
        by: Who.
        at_ms: When, milliseconds since the epoch.
        reason: Why; empty when nobody said.
    """

    by: str
    at_ms: int
    reason: str = ""

    def __str__(self) -> str:
        return f"by {self.by}: {self.reason}" if self.reason else f"by {self.by}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseOrder:
    """
    Copy something, or do not.

    Args:
        verb: Which of the two.
        scope: What.
        author: Who ordered it.
        until_ms: When it expires, milliseconds since the epoch; `None` for never.
    """

    verb: PauseVerb
    scope: Scope
    author: Author
    until_ms: int | None = None

    def __str__(self) -> str:
        until = "" if self.until_ms is None else f" until {moment(self.until_ms)}"
        return f"{self.verb.value} {self.scope}{until}"

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        place = [self.scope.topic, self.scope.partition]
        fields: dict[str, object] = {"verb": self.verb.value}
        if self.until_ms is not None:
            fields["until_ms"] = self.until_ms
        return (
            _compact(["pause", *(each for each in place if each is not None)]),
            _compact(fields | _author_fields(self.author)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekOrder:
    """
    Let a partition go on elsewhere.

    Args:
        verb: `seek` or `skip`; a skip never goes back.
        partition: Of the source.
        offset: Where it shall go on.
        author: Who ordered it.
        done_ms: When a driver has done it, milliseconds since the epoch; `None` while it has not.
    """

    verb: str
    partition: TopicPartition
    offset: int
    author: Author
    done_ms: int | None = None

    def __str__(self) -> str:
        return f"{self.verb} {self.partition} to offset {self.offset}"

    def done(self, at_ms: int) -> SeekOrder:
        """Return what is written when a driver has done it."""
        return replace(self, done_ms=at_ms)

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields: dict[str, object] = {"verb": self.verb, "offset": self.offset}
        if self.done_ms is not None:
            fields["done_ms"] = self.done_ms
        return (
            _compact(["seek", self.partition.topic, self.partition.partition]),
            _compact(fields | _author_fields(self.author)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Obeyed:
    """
    The driver's answer.

    Args:
        generation: The flow's generation.
        up_to: Orders before this offset of the topic are in effect.
    """

    generation: int
    up_to: int

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        return _compact(["driver"]), _compact({"generation": self.generation, "up_to": self.up_to})


ControlRecord = PauseOrder | SeekOrder | Obeyed


def decode_control(key: bytes | None, value: bytes | None) -> ControlRecord | None:
    """Read a record of the topic; `None` when it is none of ours."""
    try:
        names, fields = json.loads(key or b""), json.loads(value or b"")
    except (ValueError, RecursionError):
        return None
    return _decoded(names, fields) if isinstance(fields, dict) else None


def _decoded(names: object, fields: dict[str, object]) -> ControlRecord | None:
    match names:
        case ["driver"]:
            return _obeyed(fields)
        case ["pause", *place]:
            scope = _scope(place)
            return None if scope is None else _hold(scope, fields)
        case ["seek", str(topic), int(partition)]:
            return _seek(TopicPartition(topic, partition), fields)
    return None


def _scope(place: list[object]) -> Scope | None:
    match place:
        case []:
            return Scope()
        case [str(topic)]:
            return Scope(topic=topic)
        case [str(topic), int(partition)]:
            return Scope(topic=topic, partition=partition)
    return None


def _obeyed(fields: dict[str, object]) -> Obeyed | None:
    match fields:
        case {"generation": int(generation), "up_to": int(up_to)}:
            return Obeyed(generation=generation, up_to=up_to)
    return None


def _hold(scope: Scope, fields: dict[str, object]) -> PauseOrder | None:
    author, until_ms = _author(fields), fields.get("until_ms")
    if author is None or fields.get("verb") not in set(PauseVerb):
        return None
    return PauseOrder(
        verb=PauseVerb(str(fields["verb"])),
        scope=scope,
        author=author,
        until_ms=until_ms if isinstance(until_ms, int) else None,
    )


def _seek(partition: TopicPartition, fields: dict[str, object]) -> SeekOrder | None:
    author, done_ms = _author(fields), fields.get("done_ms")
    match fields:
        case {"verb": ("seek" | "skip") as verb, "offset": int(offset)} if author is not None:
            return SeekOrder(
                verb=verb,
                partition=partition,
                offset=offset,
                author=author,
                done_ms=done_ms if isinstance(done_ms, int) else None,
            )
    return None


def _author_fields(author: Author) -> dict[str, object]:
    fields: dict[str, object] = {"by": author.by, "at_ms": author.at_ms}
    return fields | ({"reason": author.reason} if author.reason else {})


def _author(fields: dict[str, object]) -> Author | None:
    match fields:
        case {"by": str(by), "at_ms": int(at_ms)}:
            reason = fields.get("reason")
            return Author(by=by, at_ms=at_ms, reason=reason if isinstance(reason, str) else "")
    return None


def _compact(thing: object) -> bytes:
    return json.dumps(thing, separators=(",", ":")).encode()

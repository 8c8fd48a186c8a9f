"""
What operators order of a flow, as it lies in the topic `__kmirror-control-<S>-<T>`.

The topic is on the flow's target, beside the positions, so an order outlives every driver. It is
compacted: of each key the newest record stays for ever, and older ones for some weeks, which is the
record of who ordered what.

Keys are JSON arrays. `["pause"]`, `["pause", topic]` and `["pause", topic, partition]` say whether
a flow, a topic or a partition is copied; the newest of the three that has not expired counts.
`["seek", topic, partition]` says where a partition shall go on; it is done once. `["reload"]` asks
the driver to read its properties file again, and `["reloaded"]` is what came of it. `["driver"]` is
the driver's, too: up to which offset of this topic it has obeyed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from kmirror.model import Flow, TopicPartition
from kmirror.units import moment
from kmirror.wire.flow_names import joined
from kmirror.wire.json_text import compact, parsed


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
            compact(["pause", *(each for each in place if each is not None)]),
            compact(fields | _author_fields(self.author)),
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
            compact(["seek", self.partition.topic, self.partition.partition]),
            compact(fields | _author_fields(self.author)),
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
        return compact(["driver"]), compact({"generation": self.generation, "up_to": self.up_to})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadOrder:
    """
    Read the properties file again.

    Args:
        number: Tells orders apart; the same for all flows that are asked at once.
        author: Who ordered it.
        dry_run: Only say what it would change.
    """

    number: str
    author: Author
    dry_run: bool = False

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields: dict[str, object] = {"number": self.number, "dry_run": self.dry_run}
        return compact(["reload"]), compact(fields | _author_fields(self.author))


class ReloadOutcome(StrEnum):
    """What came of a reload."""

    APPLIED = "applied"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    PLANNED = "planned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """
    The driver's answer to a `ReloadOrder`.

    Args:
        number: The order's.
        driver: Who answers.
        file: The file that it has read.
        outcome: What came of it.
        lines: What has changed, or would change, or why nothing did; no secrets.
    """

    number: str
    driver: str
    file: str
    outcome: ReloadOutcome
    lines: tuple[str, ...] = ()

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields: dict[str, object] = {
            "number": self.number,
            "driver": self.driver,
            "file": self.file,
            "outcome": self.outcome.value,
            "lines": list(self.lines),
        }
        return compact(["reloaded"]), compact(fields)


ControlRecord = PauseOrder | SeekOrder | Obeyed | ReloadOrder | Reloaded


def decode_control(key: bytes | None, value: bytes | None) -> ControlRecord | None:
    """Read a record of the topic; `None` when it is none of ours."""
    names, fields = parsed(key), parsed(value)
    return _decoded(names, fields) if isinstance(fields, dict) else None


def _decoded(names: object, fields: dict[str, object]) -> ControlRecord | None:
    match names:
        case ["driver"]:
            return _obeyed(fields)
        case ["reload"]:
            return _reload(fields)
        case ["reloaded"]:
            return _reloaded(fields)
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


def _reload(fields: dict[str, object]) -> ReloadOrder | None:
    author = _author(fields)
    match fields:
        case {"number": str(number), "dry_run": bool(dry_run)} if author is not None:
            return ReloadOrder(number=number, author=author, dry_run=dry_run)
    return None


def _reloaded(fields: dict[str, object]) -> Reloaded | None:
    match fields:
        case {
            "number": str(number),
            "driver": str(driver),
            "file": str(file),
            "outcome": str(outcome),
            "lines": list(lines),
        } if outcome in set(ReloadOutcome):
            return Reloaded(
                number=number,
                driver=driver,
                file=file,
                outcome=ReloadOutcome(outcome),
                lines=tuple(map(str, lines)),
            )
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

"""What the API says of what copies have gone on without."""

from __future__ import annotations

from dataclasses import dataclass, field

from kmirror.api.orders import REASON
from kmirror.api.topic_answers import Content, HeaderView


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutView:
    """
    A gap of a copy: records that it has gone on without, or before which it stands still.

    Args:
        topic, partition: Where, on the source.
        copy: The topic on the target.
        kind: What made it: `too_large`, `overtaken` and so on.
        log: Whose offsets the next two are: `source` or `target`.
        start: The first offset of it; null when not known.
        end: The offset behind it; null when not known.
        records: How many offsets that is, so at most as many records; null when not known.
        reaction: What the file said to do: `skip`, `dlq`, `park` and so on.
        is_parked: Whether the partition stands still before it.
        reason: Why, in words.
        at_ms: When it was found, milliseconds since the epoch.
        letter: The number of its dead letter; null when none is kept.
        replayed_ms: When that was written to its topic, milliseconds since the epoch; null when it
            was not.
        replayed_by: Who did that; empty when nobody.
    """

    topic: str
    partition: int
    copy: str
    kind: str
    log: str
    start: int | None
    end: int | None
    records: int | None
    reaction: str
    is_parked: bool
    reason: str
    at_ms: int
    letter: int | None = None
    replayed_ms: int | None = None
    replayed_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutList:
    """
    What copies of a flow have gone on without, the newest first.

    Args:
        flow: `S->T`.
        as_of_ms: When the target was asked, milliseconds since the epoch.
        total: How many there are, before `offset` and `limit`.
        gaps: They.
    """

    flow: str
    as_of_ms: int
    total: int
    gaps: tuple[LeftOutView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterView:
    """
    A dead letter: a record that was not copied, and is kept.

    Args:
        number: Its offset in the topic for dead letters.
        flow: `S->T`.
        topic, partition, offset: Where it came from.
        target: The topic that did not take it.
        at_ms: When it was left out, milliseconds since the epoch.
        timestamp_ms: Its own time; null for none.
        reason: Why, for programs.
        words: Why, as the client has it.
        size_bytes: How large it was.
        is_truncated: Whether less is kept than there was.
        key, value: What is kept of it; null for null.
        headers: The same of its headers.
        header_count: How many it had.
        replayed_ms: When it was written to its topic, milliseconds since the epoch; null when it
            was not.
        replayed_by: Who did that; empty when nobody.
    """

    number: int
    flow: str
    topic: str
    partition: int
    offset: int
    target: str
    at_ms: int
    timestamp_ms: int | None
    reason: str
    words: str
    size_bytes: int
    is_truncated: bool
    key: Content | None
    value: Content | None
    headers: tuple[HeaderView, ...]
    header_count: int
    replayed_ms: int | None = None
    replayed_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """
    An order to write dead letters to the topics that did not take them, each of them once.

    Args:
        reason: Why, for whoever asks later.
        flow: The flow's name again: they stand behind all that was copied since.
        numbers: Which; null for all of the flow, or of the topic.
        topic: Only those of one topic of the source.
        dry_run: Only say what would be done.
    """

    reason: str = field(metadata=REASON)
    flow: str
    numbers: tuple[int, ...] | None = None
    topic: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayView:
    """
    What became of a dead letter.

    Args:
        number: Its number.
        place: Where it came from, `topic-partition:offset`.
        records: How many records were written, or would be; a batch has several.
        problem: Why none was; empty if nothing is wrong.
        words: All of it in a sentence.
    """

    number: int
    place: str
    records: int
    problem: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayList:
    """
    What became of dead letters.

    Args:
        flow: `S->T`.
        dry_run: Whether nothing was written.
        replays: They, in the order of their numbers.
        left: How many more there are: so many at a time, order it again for them.
    """

    flow: str
    dry_run: bool
    replays: tuple[ReplayView, ...]
    left: int

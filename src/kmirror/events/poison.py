"""The events of what a copy goes on without; part of the table."""

from __future__ import annotations

from logging import WARNING

from kmirror.events.event import Event

POISON_OMITTED = Event(
    name="poison.omitted",
    level=WARNING,
    text="{flow}: went on without {reason} ({size_bytes:size}; {poison})",
    more=("topic", "partition", "offset", "end_offset", "kind"),
    meaning="A record that the target never takes, or a damaged batch, is not in the copy, as "
    "`kmirror.poison` says. Its position is committed already. After a crash of the driver this "
    "line may be missing; with `dlq`, `kmirror dlq list` has everything.",
    action="With `dlq`, look at it with `kmirror dlq show`, mend the cause, and `kmirror dlq "
    "replay` it; see [poison](poison.md).",
)
RECORD_SIZE_LIMITED = Event(
    name="record_size.limited",
    level=WARNING,
    text="{flow}: {topic_count} copies take smaller records than their topics: {reason}",
    more=("topic",),
    meaning="A larger record would be refused. `topic` is the first of them. At the start of a "
    "flow, before anything is copied; settings of copies that are kept equal follow in a moment.",
    action="Raise max.message.bytes of the copies, or say with `kmirror.poison` what becomes of "
    "such records; see [poison](poison.md). `kmirror check` lists all topics.",
)
DLQ_REFUSED = Event(
    name="dlq.refused",
    level=WARNING,
    text="{flow}: nothing can be kept: {error}",
    meaning="The target refuses the topic for dead letters. Topics with `kmirror.poison = dlq` "
    "are parked at what they cannot copy.",
    action="Grant what it names, and start again.",
)

POISON_EVENTS = (POISON_OMITTED, RECORD_SIZE_LIMITED, DLQ_REFUSED)

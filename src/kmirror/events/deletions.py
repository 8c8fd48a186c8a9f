"""The events of topics that are deleted on the source; part of the table."""

from __future__ import annotations

from logging import INFO, WARNING

from kmirror.events.event import Event

SOURCE_TOPIC_DELETED = Event(
    name="source_topic.deleted",
    level=WARNING,
    text="{flow}: {topic} was deleted on the source (id {topic_id}): {reason}",
    meaning="The source has proved that a topic that was copied is gone; `topic` is its name "
    "there. What becomes of its copy is what `kmirror.topic.deletion` says.",
    action="See [deletion](deletion.md).",
)
SOURCE_TOPIC_BACK = Event(
    name="source_topic.back",
    level=INFO,
    text="{flow}: {topic} is there again (id {topic_id}): its copy goes on",
    meaning="What was known of a deletion is void: the topic has its old id again, or what has "
    "its name is copied by now.",
)
COPY_DELETED = Event(
    name="copy.deleted",
    level=WARNING,
    text="{flow}: deleted {topic} on the target: {reason}",
    meaning="A copy was deleted, because its topic was deleted on the source long enough ago; "
    "`topic` is the copy.",
)
COPY_KEPT = Event(
    name="copy.kept",
    level=WARNING,
    text="{flow}: {reason}",
    more=("topic",),
    meaning="Something that the file wants done with the copy of a deleted topic is not done: it "
    "is not proved, a right is missing, or the copy is another topic. Once, although it is tried "
    "again.",
    action="`kmirror plan` lists all of it; see [deletion](deletion.md).",
)
DELETIONS_FAILED = Event(
    name="deletions.failed",
    level=WARNING,
    text="{flow}: deleted topics: {error}",
    meaning="It could not be looked up, or written down, which topics were deleted on the source; "
    "once a minute. Copying goes on, and it is tried again.",
    action="Look at the cluster that it names, and at what the driver may do there.",
)

COPY_TRIMMED = Event(
    name="copy.trimmed",
    level=INFO,
    text="{flow}: {reason}",
    more=("topic", "partition"),
    meaning="What the source no longer has at its beginning was deleted from the copy, as "
    "`kmirror.sync.log.start` wants it; topic and partition are the copy's.",
)
COPY_UNTRIMMED = Event(
    name="copy.untrimmed",
    level=WARNING,
    text="{flow}: {reason}",
    more=("topic", "partition"),
    meaning="The target refuses to delete the beginning of a copy; topic and partition are the "
    "copy's. Once, although it is tried again every minute.",
    action="Grant Delete on the copy, or switch `kmirror.sync.log.start` off.",
)

DELETION_EVENTS = (
    SOURCE_TOPIC_DELETED,
    SOURCE_TOPIC_BACK,
    COPY_DELETED,
    COPY_KEPT,
    DELETIONS_FAILED,
    COPY_TRIMMED,
    COPY_UNTRIMMED,
)

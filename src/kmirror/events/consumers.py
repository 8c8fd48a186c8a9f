"""The events of what flows do for consumers; part of the table."""

from __future__ import annotations

from logging import DEBUG, ERROR, INFO, WARNING

from kmirror.events.event import Event

GROUP_REFUSED = Event(
    name="group.refused",
    level=WARNING,
    text="{flow}: group {group} is not synced: {reason}",
    meaning="The offsets of a group that is selected cannot be carried over.",
    action="See [consumers](consumers.md).",
)
GROUP_AHEAD = Event(
    name="group.ahead",
    level=INFO,
    text="{flow}: group {group} is not moved back: {reason}",
    meaning="A group is farther on the target than on the source; it stays where it is.",
)
GROUP_HELD = Event(
    name="group.held",
    level=INFO,
    text="{flow}: group {group} is left alone: {reason}",
    meaning="A group's offsets on the target are not touched for now: it has members there, or is "
    "of another kind.",
)
GROUP_DENIED = Event(
    name="group.denied",
    level=WARNING,
    text="{flow}: the offsets of group {group} do not follow: {error}",
    meaning="The target does not let kmirror read or commit a group's offsets.",
    action="Grant Read on the group there: `kmirror acls` prints the command.",
)
GROUP_OFFSETS_SYNCED = Event(
    name="group_offsets.synced",
    level=DEBUG,
    text="{flow}: offsets of {group_count} groups: round of {duration_s:.2f} s",
    meaning="How long it took to carry over the offsets of all groups that have moved.",
)
GROUP_OFFSETS_FAILED = Event(
    name="group_offsets.failed",
    level=DEBUG,
    text="{flow}: group {group}: {error}",
    meaning="A group's offsets were not committed on the target; the next round tries again.",
)
GROUP_OFFSETS_UNREMEMBERED = Event(
    name="group_offsets.unremembered",
    level=WARNING,
    text="{flow}: groups that are moved back on the source stay on the target: {error}",
    meaning="The target does not allow the topic in which kmirror remembers what it has "
    "committed for groups.",
    action="Grant what it names, and start again.",
)
CONSUMER_SYNC_FAILED = Event(
    name="consumer_sync.failed",
    level=WARNING,
    text="{flow}: {part}: {error}",
    meaning="Something that a flow does for consumers was not done; once a minute. Copying goes "
    "on, and it is tried again.",
    action="Look at the cluster, and at what the driver may do there.",
)
CONSUMER_SYNC_CRASHED = Event(
    name="consumer_sync.crashed",
    level=ERROR,
    text="{flow}: consumers' part: unexpected",
    more=("error",),
    meaning="What a flow does for consumers met an error that nobody foresaw. Copying goes on, "
    "and it is tried again.",
    action="Report it with the trace, which follows the line, or is in `exception`.",
)

CONSUMER_EVENTS = (
    GROUP_REFUSED,
    GROUP_AHEAD,
    GROUP_HELD,
    GROUP_DENIED,
    GROUP_OFFSETS_SYNCED,
    GROUP_OFFSETS_FAILED,
    GROUP_OFFSETS_UNREMEMBERED,
    CONSUMER_SYNC_FAILED,
    CONSUMER_SYNC_CRASHED,
)

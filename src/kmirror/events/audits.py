"""The events of audits; part of the table."""

from __future__ import annotations

from logging import ERROR, INFO, WARNING

from kmirror.events.event import Event

AUDIT_DIFFERENT = Event(
    name="audit.different",
    level=ERROR,
    text="{flow}: {topic}-{partition}: NOT identical from source offset {offset} on: {reason}",
    more=("end_offset", "verdict"),
    meaning="The audit has found a window in which the copy is not equal to the source. `offset` "
    "is the first of the window, `end_offset` the one behind it.",
    action="See [audit](audit.md#a-difference): it stands in `kmirror audit status` until the "
    "window is audited again.",
)
AUDIT_COMPLETE = Event(
    name="audit.complete",
    level=INFO,
    text="{flow}: all that is copied is audited",
    meaning="The audit has come to the flow's positions for the first time since the flow began.",
)
AUDIT_UNREADABLE = Event(
    name="audit.unreadable",
    level=WARNING,
    text="{flow}: {topic}-{partition}: not audited: {reason}",
    meaning="A window could not be read to its end; once a minute. Copying goes on, and it is "
    "tried again.",
    action="Look at the cluster that it names, and at what the driver may do there.",
)
AUDIT_FAILED = Event(
    name="audit.failed",
    level=WARNING,
    text="{flow}: audit: {error}",
    meaning="The audit did not get on; once a minute. Copying goes on, and it is tried again.",
    action="Look at the cluster that it names, and at what the driver may do there.",
)
AUDIT_CRASHED = Event(
    name="audit.crashed",
    level=ERROR,
    text="{flow}: audit: unexpected",
    more=("error",),
    meaning="The audit met an error that nobody foresaw. Copying goes on, and it is tried again.",
    action="Report it with the trace, which follows the line, or is in `exception`.",
)
AUDIT_EVENTS = (
    AUDIT_DIFFERENT,
    AUDIT_COMPLETE,
    AUDIT_UNREADABLE,
    AUDIT_FAILED,
    AUDIT_CRASHED,
)

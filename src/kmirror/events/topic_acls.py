"""The events of ACLs; part of the table."""

from __future__ import annotations

from logging import ERROR, INFO, WARNING

from kmirror.events.event import Event

TOPIC_ACLS_CHANGED = Event(
    name="topic_acls.changed",
    level=INFO,
    text="{flow}: {reason}",
    more=("acls",),
    meaning="ACLs were created on the target, as the source's are, or, with `kmirror.acls = "
    "exact`, removed because the source has them no more; `acls` has all of them.",
    action="To keep ACLs to yourself, set `sync.topic.acls.enabled = false`; see "
    "[parity](parity.md).",
)
TOPIC_ACLS_LEFT = Event(
    name="topic_acls.left",
    level=INFO,
    text="{flow}: ACLs of topics are not copied: {error}",
    meaning="A right is missing, or the target has no authorizer, and the file does not ask for "
    "ACLs itself: they are copied by default, as in MirrorMaker 2. Once, although it is tried "
    "again every `sync.topic.acls.interval.seconds`.",
    action="Grant what it names, or set `sync.topic.acls.enabled = false`.",
)
TOPIC_ACLS_KEPT = Event(
    name="topic_acls.kept",
    level=WARNING,
    text="{flow}: ACLs of topics are not copied: {error}",
    meaning="The file asks for ACLs, and a right is missing, or the target has no authorizer or "
    "refuses one of them. Once, although it is tried again every "
    "`sync.topic.acls.interval.seconds`; copying goes on.",
    action="Grant what it names; `kmirror plan` lists all ACLs.",
)
TOPIC_ACLS_FAILED = Event(
    name="topic_acls.failed",
    level=WARNING,
    text="{flow}: ACLs of topics: {error}",
    meaning="ACLs could not be compared; once a minute. Copying goes on, and it is tried again.",
    action="Look at the cluster that it names.",
)
TOPIC_ACLS_CRASHED = Event(
    name="topic_acls.crashed",
    level=ERROR,
    text="{flow}: ACLs of topics: unexpected",
    more=("error",),
    meaning="What copies ACLs met an error that nobody foresaw. Copying records goes on, and it is "
    "tried again.",
    action="Report it with the trace, which follows the line, or is in `exception`.",
)

TOPIC_ACL_EVENTS = (
    TOPIC_ACLS_CHANGED,
    TOPIC_ACLS_LEFT,
    TOPIC_ACLS_KEPT,
    TOPIC_ACLS_FAILED,
    TOPIC_ACLS_CRASHED,
)

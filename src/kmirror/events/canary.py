"""The events of canaries; part of the table."""

from __future__ import annotations

from logging import ERROR, INFO, WARNING

from kmirror.events.event import Event

CANARY_STARTED = Event(
    name="canary.started",
    level=INFO,
    text="{flow}: the canary writes to {topic} and looks for it on the target",
    meaning="Records of kmirror's own go the whole way; see [canary](canary.md).",
)
CANARY_LOST = Event(
    name="canary.lost",
    level=WARNING,
    text="{flow}: {lost_records} records of the canary did not arrive although later ones did",
    meaning="What was acknowledged on the source is missing on the target: records are lost, or "
    "come out of order.",
    action="`kmirror verify` names the first difference of every partition; `kmirror gaps` says "
    "what the source no longer had.",
)
CANARY_WRONG = Event(
    name="canary.wrong",
    level=WARNING,
    text="{flow}: the canary saw {duplicated_records} records again, and {reordered_records} out "
    "of order",
    meaning="So many more since the last such line.",
    action="Look at what else writes to the copies: another mirror, with another name.",
)
CANARY_FAILED = Event(
    name="canary.failed",
    level=WARNING,
    text="{flow}: no canary: {error}",
    meaning="The canary cannot write on the source, or read on the target; once a minute. It tries "
    "again, and the flow goes on.",
    action="Look at the cluster, and at what the driver may do there; `kmirror acls` lists it.",
)
CANARY_CRASHED = Event(
    name="canary.crashed",
    level=ERROR,
    text="{flow}: canary: unexpected",
    more=("error",),
    meaning="The canary met an error that nobody foresaw. Copying goes on, and it is tried again.",
    action="Report it with the trace, which follows the line, or is in `exception`.",
)
CANARY_EVENTS = (CANARY_STARTED, CANARY_LOST, CANARY_WRONG, CANARY_FAILED, CANARY_CRASHED)

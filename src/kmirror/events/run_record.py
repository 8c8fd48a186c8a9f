"""The events of the record of a run; part of the table."""

from __future__ import annotations

from logging import WARNING

from kmirror.events.event import Event

RUN_UNRECORDED = Event(
    name="run.unrecorded",
    level=WARNING,
    text="{path}: what the run does is not written down: {error}",
    meaning="`kmirror run --record` could not write its file. It is tried again every minute; "
    "copying goes on.",
    action="Look at the folder, and at the room on its disk.",
)
RUN_RECORD_EVENTS = (RUN_UNRECORDED,)

"""The events of the console; part of the table."""

from __future__ import annotations

from logging import INFO, WARNING

from kmirror.events.event import Event

CONSOLE_LISTENING = Event(
    name="console.listening",
    level=INFO,
    text="the console is at {address}",
    meaning="A browser shows it there, and programs find its API; see [the console](console.md).",
)
CONSOLE_OPEN = Event(
    name="console.open",
    level=WARNING,
    text="{address}: everybody who reaches this address may use the console, as {role}",
    meaning="It has the names of topics and consumer groups, and how much goes through them; as "
    "`operator` and `admin`, it also shows records, and gives orders.",
    action="Listen on 127.0.0.1, or set `kmirror.console.users.file`.",
)
PLAN_APPLIED = Event(
    name="plan.applied",
    level=INFO,
    text="{flow}: the plan was applied, {reason}: {status}",
    meaning="An admin has applied the plan of a flow over the console, as `kmirror apply` does: "
    "topics, settings, ACLs, copies of deleted topics. `status` says what was done.",
)
RECORDS_READ = Event(
    name="records.read",
    level=INFO,
    text="{flow}: {caller} ({role}) at {address} looks at records of {topic}-{partition}",
    meaning="Somebody has read records of a topic on the console; "
    "`kmirror.console.records.role` says who may.",
)
MOVE_BEGUN = Event(
    name="move.begun",
    level=WARNING,
    text="{flow}: {order}, ordered by {caller}: {reason}",
    meaning="Somebody lets consumer groups go on at the other cluster, or ends that, on the "
    "console.",
)
MOVE_STEP = Event(
    name="move.step",
    level=INFO,
    text="{flow}: {order}: {step} in {duration_s:.1f} s: {status}",
    meaning="A step of such a move is done, with what was seen.",
)
MOVE_ENDED = Event(
    name="move.ended",
    level=WARNING,
    text="{flow}: {order}: {status}: {reason}",
    meaning="Such a move has ended: `done`, `incomplete` (some groups were left), `refused` or "
    "`failed`.",
    action="The page *Move* has its steps. What failed is ordered again: it goes on where it was.",
)
LETTERS_REPLAYED = Event(
    name="letters.replayed",
    level=WARNING,
    text="{flow}: {records} records of dead letters were replayed, ordered by {caller}: {reason}",
    meaning="Somebody has written dead letters to the topics that did not take them, on the "
    "console; each is written once.",
)
HISTORY_FAILED = Event(
    name="history.failed",
    level=WARNING,
    text="the console's plots are not kept: {reason}",
    meaning="The file of `kmirror.console.history.file` cannot be used: it is damaged, another "
    "process has it, or its disk is full. The driver goes on, and so do its plots in memory; it "
    "tries again every 30 s.",
    action="Do what `reason` says. A damaged file may be removed: a new one is made.",
)
CONSOLE_EVENTS = (
    CONSOLE_LISTENING,
    CONSOLE_OPEN,
    PLAN_APPLIED,
    RECORDS_READ,
    MOVE_BEGUN,
    MOVE_STEP,
    MOVE_ENDED,
    LETTERS_REPLAYED,
    HISTORY_FAILED,
)

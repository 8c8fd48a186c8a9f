"""The events of a Connect worker; part of the table."""

from __future__ import annotations

from logging import INFO, WARNING

from kmirror.events.event import Event

CONNECT_RECORD_UNREADABLE = Event(
    name="connect_record.unreadable",
    level=WARNING,
    text="{topic}, partition {partition}, offset {offset}: nobody can use this record: {reason}",
    meaning="A record of a Connect cluster's own topics is not what Connect writes there. It is "
    "passed over, as Connect passes over it; what it should have changed stays as it was.",
    action="Find out who writes to that topic besides the workers.",
)
CONNECTORS_POSTPONED = Event(
    name="connectors.postponed",
    level=WARNING,
    text="connectors stay as they are for now: {error}",
    meaning="A Connect worker could not do what connectors are to do; it is tried again.",
    action="Look at what it names.",
)
WORKERS_SHARED = Event(
    name="workers.shared",
    level=INFO,
    text="{group}: {status}",
    meaning="Connect workers, or [nodes](nodes.md) of `kmirror run`, have shared the flows anew: "
    "one has come or gone, or flows have.",
)
WORKERS_UNREACHABLE = Event(
    name="workers.unreachable",
    level=WARNING,
    text="{group}: the other workers do not hear this one: {error}",
    meaning="A Connect worker or a node cannot say that it is there. One that has no flows yet "
    "gets none. After 1.5 s the others take its flows over, which fences them here, unless they "
    "cannot hear each other either; requests are answered with 409.",
    action="Look at the cluster on which they meet, and at the rights that it names.",
)

WORKERS_UNGUARDED = Event(
    name="workers.unguarded",
    level=WARNING,
    text="group {group}: nothing keeps workers of Kafka Connect out of it: {error}",
    meaning="A kmirror worker is also a plain member of the group, so that workers of Kafka "
    "Connect, which would copy the same records, cannot join. This one could not become one.",
    action="See to it that no worker of Kafka Connect is in that group; then start it again.",
)

CONNECT_EVENTS = (
    CONNECT_RECORD_UNREADABLE,
    CONNECTORS_POSTPONED,
    WORKERS_SHARED,
    WORKERS_UNREACHABLE,
    WORKERS_UNGUARDED,
)

"""The events of a file that is read again; part of the table."""

from __future__ import annotations

from logging import ERROR, INFO

from kmirror.events.event import Event

CONFIG_RELOADED = Event(
    name="config.reloaded",
    level=INFO,
    text="{path} was read again, {reason}: {status}",
    meaning="The file was read again: `kmirror reload`, SIGHUP, or by itself with "
    "`config.action.reload = restart`. `status` says what has changed and what was done for it; "
    "see [reload](reload.md).",
)
CONFIG_REFUSED = Event(
    name="config.refused",
    level=ERROR,
    text="{path} was read again, {reason}, and nothing was changed: {status}",
    meaning="The file was read again, and is wrong, or asks for what a running driver cannot do. "
    "All flows go on as before.",
    action="Mend what it lists, and reload once more.",
)
TOPIC_DESELECTED = Event(
    name="topic.deselected",
    level=INFO,
    text="{flow}: {topic} is not selected any more; its copy stays as it is",
    meaning="A reload has changed what the flow copies, and this topic is no part of it now.",
)

WINDOW_CLOSED = Event(
    name="window.closed",
    level=INFO,
    text="{flow}: {order}, {reason}",
    meaning="The flow is outside of its `kmirror.window`: all its partitions are paused. See "
    "[time windows](limits.md#time-windows).",
)
WINDOW_OPENED = Event(
    name="window.opened",
    level=INFO,
    text="{flow}: its window is open",
    meaning="The flow copies again, by `kmirror.window`.",
)

RELOAD_EVENTS = (
    CONFIG_RELOADED,
    CONFIG_REFUSED,
    TOPIC_DESELECTED,
    WINDOW_CLOSED,
    WINDOW_OPENED,
)

"""The events of settings of topics; part of the table."""

from __future__ import annotations

from logging import ERROR, INFO, WARNING

from kmirror.events.event import Event

TOPIC_SETTINGS_DRIFTED = Event(
    name="topic_settings.drifted",
    level=INFO,
    text="{flow}: {topic}: {reason}",
    more=("settings",),
    meaning="Settings of a copy are not its source topic's any more; `topic` is the copy. They are "
    "changed right after this.",
    action="To keep what somebody has set on the target, name the setting in "
    "`config.properties.exclude`; see [parity](parity.md).",
)
TOPIC_SETTINGS_KEPT = Event(
    name="topic_settings.kept",
    level=WARNING,
    text="{flow}: {reason}",
    more=("topic", "topic_count", "settings"),
    meaning="Settings of copies stay different from their topics': a right is missing, the target "
    "refuses the value, or it cannot have the setting. `topic` is the first of them, and "
    "`settings` is empty if nobody could read them. Once, although it is tried again every "
    "`sync.topic.configs.interval.seconds`; copying goes on.",
    action="Grant what it names, or exclude the setting; `kmirror plan` lists all topics.",
)
TOPIC_SETTINGS_FAILED = Event(
    name="topic_settings.failed",
    level=WARNING,
    text="{flow}: settings of topics: {error}",
    meaning="Settings of topics could not be compared; once a minute. Copying goes on, and it is "
    "tried again.",
    action="Look at the cluster that it names.",
)
TOPIC_SETTINGS_CRASHED = Event(
    name="topic_settings.crashed",
    level=ERROR,
    text="{flow}: settings of topics: unexpected",
    more=("error",),
    meaning="What keeps settings of topics equal met an error that nobody foresaw. Copying goes "
    "on, and it is tried again.",
    action="Report it with the trace, which follows the line, or is in `exception`.",
)

TOPIC_SETTINGS_EVENTS = (
    TOPIC_SETTINGS_DRIFTED,
    TOPIC_SETTINGS_KEPT,
    TOPIC_SETTINGS_FAILED,
    TOPIC_SETTINGS_CRASHED,
)

"""
Which settings of mirrored topics to change, so that they follow the source's.

The rules are MirrorMaker 2's (`MirrorSourceConnector.incrementalAlterConfigs`): what the source has
set is set, what it has by default is taken back, what `config.properties.exclude` names is left
alone. Where these rules break something they are repaired: a setting that the target does not know
is left out instead of failing the topic, `min.insync.replicas` never asks for more replicas than
there are, and what is equal is not written again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kmirror.plans.snapshot import TopicConfigEntry

# Kafka's names for where a value comes from (`ConfigEntry.ConfigSource`).
_OF_TOPIC = "DYNAMIC_TOPIC_CONFIG"
_OF_FILE = "STATIC_BROKER_CONFIG"
_MIN_INSYNC = "min.insync.replicas"
# Only where brokers have a remote store (KIP-405, KIP-950); a topic with them is refused elsewhere.
_TIERED = frozenset(
    {
        "remote.storage.enable",
        "local.retention.ms",
        "local.retention.bytes",
        "remote.log.copy.disable",
        "remote.log.delete.on.disable",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredSettings:
    """
    The settings of a topic and of its copy.

    Args:
        source_topic, topic: Their names.
        source, target: All their settings.
        replicas: How many replicas each partition of the copy has.
    """

    source_topic: str
    topic: str
    source: Sequence[TopicConfigEntry]
    target: Sequence[TopicConfigEntry]
    replicas: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRules:
    """
    What a flow's file says about settings.

    Args:
        allowed: Whether a setting may be copied at all (`config.properties.exclude`).
        source_defaults: Whether the source's defaults are copied, too (`use.defaults.from`).
        has_remote_store: Whether the target's brokers keep old segments elsewhere.
    """

    allowed: Callable[[str], bool]
    source_defaults: bool = False
    has_remote_store: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """
    A setting of a topic on the target that shall change.

    Args:
        topic: The topic.
        name: The setting.
        before: Its value now.
        after: What it shall be; `None` takes the topic's own value back, so that the brokers'
            default counts.
        reason: Why, for people.
    """

    topic: str
    name: str
    before: str
    after: str | None
    reason: str

    def __str__(self) -> str:
        shown = "the brokers' default" if self.after is None else self.after or '""'
        before = self.before or '""'
        return f"{self.topic}: {self.name}: {before} becomes {shown} ({self.reason})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingLeftOut:
    """A setting that differs and stays as it is, and why."""

    topic: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingPlan:
    """How settings on the target would change, and what is left out."""

    changes: tuple[SettingChange, ...] = ()
    left_out: tuple[SettingLeftOut, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to do."""
        return bool(self.changes)


def plan_settings(topics: Sequence[MirroredSettings], rules: SettingRules) -> SettingPlan:
    """
    Compare the settings of topics with those of their copies.

    Args:
        topics: What both clusters say.
        rules: What the file says.
    """
    found = [step for topic in topics for step in _steps(topic, rules)]
    return SettingPlan(
        changes=tuple(step for step in found if isinstance(step, SettingChange)),
        left_out=tuple(step for step in found if isinstance(step, SettingLeftOut)),
    )


def _steps(
    topic: MirroredSettings, rules: SettingRules
) -> Iterator[SettingChange | SettingLeftOut]:
    target = {entry.name: entry for entry in topic.target}
    for entry in sorted(topic.source, key=lambda each: each.name):
        if entry.value is None or not _is_copied(entry, rules):
            continue
        falls_back = entry.is_default and not rules.source_defaults
        step = (
            _taken_back(topic, target, entry) if falls_back else _set(topic, target, entry, rules)
        )
        if step is not None:
            yield step


def _is_copied(entry: TopicConfigEntry, rules: SettingRules) -> bool:
    is_ours = not entry.read_only and not entry.sensitive and entry.source != _OF_FILE
    return is_ours and rules.allowed(entry.name)


def _taken_back(
    topic: MirroredSettings, target: Mapping[str, TopicConfigEntry], entry: TopicConfigEntry
) -> SettingChange | None:
    theirs = target.get(entry.name)
    if theirs is None or theirs.source != _OF_TOPIC:
        return None
    return SettingChange(
        topic=topic.topic,
        name=entry.name,
        before=theirs.value or "",
        after=None,
        reason=f"{topic.source_topic} has its default",
    )


def _set(
    topic: MirroredSettings,
    target: Mapping[str, TopicConfigEntry],
    entry: TopicConfigEntry,
    rules: SettingRules,
) -> SettingChange | SettingLeftOut | None:
    assert entry.value is not None, "left out before"
    theirs = target.get(entry.name)
    reason = _why_not(entry, theirs, rules)
    if reason:
        return SettingLeftOut(topic=topic.topic, name=entry.name, reason=reason)
    assert theirs is not None, "the target does not know it: left out"
    wanted, why = entry.value, f"as {topic.source_topic} has it"
    if entry.name == _MIN_INSYNC and int(wanted) > topic.replicas:
        wanted = str(topic.replicas)
        why = f"{topic.source_topic} has {entry.value}, but there are {topic.replicas} replicas"
    # What the source's brokers say for all topics needs no value of the topic's own if it is so.
    is_own = entry.source == _OF_TOPIC
    is_equal = theirs.value == wanted and (theirs.source == _OF_TOPIC or not is_own)
    if is_equal:
        return None
    return SettingChange(
        topic=topic.topic, name=entry.name, before=theirs.value or "", after=wanted, reason=why
    )


def _why_not(entry: TopicConfigEntry, theirs: TopicConfigEntry | None, rules: SettingRules) -> str:
    if theirs is None:
        return "the target's brokers do not know it"
    if entry.name in _TIERED and not rules.has_remote_store and entry.value != theirs.value:
        return "the target's brokers have no remote store"
    return ""

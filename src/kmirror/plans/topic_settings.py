"""
Which settings of mirrored topics to change, so that they follow the source's.

The rules are MirrorMaker 2's (`MirrorSourceConnector.targetConfig`, `incrementalAlterConfigs`):
what the source has set is set, what it has by default is taken back, what
`config.properties.exclude` names is left alone. Where these rules break something they are
repaired: a setting that the target does not know is left out instead of failing the topic,
`min.insync.replicas` never asks for more replicas than there are, what the source's topic no longer
sets itself is taken back although a broker's file sets it, and what is equal is not written again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kmirror.plans.snapshot import TopicConfigEntry
from kmirror.plans.text import setting_value

# Kafka's names for where a value comes from (`ConfigEntry.ConfigSource`).
_OF_TOPIC = "DYNAMIC_TOPIC_CONFIG"
_OF_FILE = "STATIC_BROKER_CONFIG"
REMOTE_STORE = "remote.log.storage.system.enable"
"""The brokers' setting that says whether they have a remote store (KIP-405)."""
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
    What decides on settings besides the two topics.

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

    @property
    def words(self) -> str:
        """The change for people, without the topic."""
        after = "the brokers' default" if self.after is None else setting_value(self.after)
        if self.after == self.before:
            after = "the topic's own"  # the brokers' may change
        return f"{self.name}: {setting_value(self.before)} becomes {after} ({self.reason})"

    def __str__(self) -> str:
        return f"{self.topic}: {self.words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingLeftOut:
    """A setting that differs and stays as it is, and why."""

    topic: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.topic}: {self.name} is left out ({self.reason})"


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


def settings_at_creation(
    entries: Sequence[TopicConfigEntry], rules: SettingRules, replicas: int | None = None
) -> tuple[tuple[str, str], ...]:
    """
    Choose the settings that a new topic gets, by name.

    Args:
        entries: All settings of the source topic.
        rules: What the file says.
        replicas: How many replicas each partition will have; `None` when the brokers decide.
    """
    return tuple(
        (entry.name, _value(entry, replicas)[0])
        for entry in sorted(entries, key=_name)
        if _is_ours(entry, rules) and not _falls_back(entry, rules) and not _lacks(entry, rules)
    )


def asks_for_remote_store(entries: Iterable[TopicConfigEntry]) -> bool:
    """Whether a topic has settings that only a remote store understands."""
    return any(entry.name in _TIERED and entry.source == _OF_TOPIC for entry in entries)


def _steps(
    topic: MirroredSettings, rules: SettingRules
) -> Iterator[SettingChange | SettingLeftOut]:
    target = {entry.name: entry for entry in topic.target}
    for entry in sorted(topic.source, key=_name):
        if not _is_ours(entry, rules):
            continue
        theirs = target.get(entry.name)
        is_own = not _falls_back(entry, rules)
        step = _set(topic, theirs, entry, rules) if is_own else _taken_back(topic, theirs, entry)
        if step is not None:
            yield step


def _name(entry: TopicConfigEntry) -> str:
    return entry.name


def _is_ours(entry: TopicConfigEntry, rules: SettingRules) -> bool:
    is_known = entry.value is not None and not entry.read_only and not entry.sensitive
    return is_known and rules.allowed(entry.name)


def _falls_back(entry: TopicConfigEntry, rules: SettingRules) -> bool:
    """Whether the copy is to have what its own brokers say."""
    return entry.source == _OF_FILE or (entry.is_default and not rules.source_defaults)


def _lacks(entry: TopicConfigEntry, rules: SettingRules) -> bool:
    return entry.name in _TIERED and not rules.has_remote_store


def _value(entry: TopicConfigEntry, replicas: int | None) -> tuple[str, bool]:
    """Return what the copy is to have, and whether that is less than what the source has."""
    assert entry.value is not None, "left out before"
    if entry.name == _MIN_INSYNC and replicas is not None and int(entry.value) > replicas:
        return str(replicas), True
    return entry.value, False


def _taken_back(
    topic: MirroredSettings, theirs: TopicConfigEntry | None, entry: TopicConfigEntry
) -> SettingChange | None:
    if theirs is None or theirs.source != _OF_TOPIC:
        return None
    whose = "its default" if entry.is_default else "what its brokers' files say"
    return SettingChange(
        topic=topic.topic,
        name=entry.name,
        before=theirs.value or "",
        after=None,
        reason=f"{topic.source_topic} has {whose}",
    )


def _set(
    topic: MirroredSettings,
    theirs: TopicConfigEntry | None,
    entry: TopicConfigEntry,
    rules: SettingRules,
) -> SettingChange | SettingLeftOut | None:
    wanted, is_less = _value(entry, topic.replicas)
    if theirs is None:
        return _left_out(topic, entry, "the target's brokers do not know it")
    if theirs.value == wanted and (theirs.source == _OF_TOPIC or entry.source != _OF_TOPIC):
        # What the source's brokers say for all topics needs no value of the topic's own.
        return None
    if _lacks(entry, rules):
        if theirs.value == entry.value:
            return None
        return _left_out(topic, entry, "the target's brokers have no remote store")
    why = f"as {topic.source_topic} has it"
    if is_less:
        why = f"{topic.source_topic} has {entry.value}, but {_replicas(topic.replicas)}"
    return SettingChange(
        topic=topic.topic, name=entry.name, before=theirs.value or "", after=wanted, reason=why
    )


def _left_out(topic: MirroredSettings, entry: TopicConfigEntry, reason: str) -> SettingLeftOut:
    return SettingLeftOut(topic=topic.topic, name=entry.name, reason=reason)


def _replicas(count: int) -> str:
    return "there is 1 replica" if count == 1 else f"there are {count} replicas"

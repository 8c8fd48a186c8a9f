"""The settings of a topic and of its copy beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kmirror.admin.base import ClusterAdmin
from kmirror.api.topic_answers import SettingPairView, TopicSettingsView
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.topic_settings import setting_rules, with_remote_store
from kmirror.plans.snapshot import TopicConfigEntry, TopicState
from kmirror.plans.topic_settings import (
    MirroredSettings,
    SettingChange,
    SettingLeftOut,
    SettingPlan,
    plan_settings,
)

HIDDEN = "[hidden]"
_SET_BY = {
    "DYNAMIC_TOPIC_CONFIG": "the topic",
    "DYNAMIC_BROKER_CONFIG": "the brokers",
    "DYNAMIC_DEFAULT_BROKER_CONFIG": "the brokers",
    "STATIC_BROKER_CONFIG": "the brokers' files",
    "DEFAULT_CONFIG": "default",
}
"""Who says a value, by Kafka's names (`ConfigEntry.ConfigSource`)."""


def compared_settings(
    config: FlowConfig, clients: FlowClients, topic: str, clock: Clock
) -> TopicSettingsView:
    """
    Read the settings of a topic and of its copy, and say what keeping them equal would do.

    Args:
        config: The flow.
        clients: Its clusters.
        topic: On the source; one that the flow copies.
        clock: Where time comes from.

    Raises:
        ClusterError: One of the clusters does not answer, or may not be asked.
    """
    copy = config.topic_selection().remote_topic(topic)
    here, there = _state(clients.source, topic), _state(clients.target, copy)
    ours = () if here is None else _settings(clients.source, topic)
    theirs = () if there is None else _settings(clients.target, copy)
    rules, plan = setting_rules(config), SettingPlan()
    if here is not None and there is not None:
        rules = with_remote_store(rules, [ours], clients.target)
        pair = MirroredSettings(
            source_topic=topic,
            topic=copy,
            source=ours,
            target=theirs,
            replicas=there.replicas,
        )
        plan = plan_settings([pair], rules)
    return TopicSettingsView(
        flow=str(config.flow),
        topic=topic,
        copy=copy,
        as_of_ms=clock.wall_ms(),
        is_synced=config.sync_topic_configs_interval_s is not None,
        partitions=None if here is None else here.partitions,
        copy_partitions=None if there is None else there.partitions,
        replicas=None if here is None else here.replicas,
        copy_replicas=None if there is None else there.replicas,
        settings=setting_pairs(ours, theirs, plan, rules.allowed),
    )


def setting_pairs(
    source: Sequence[TopicConfigEntry],
    target: Sequence[TopicConfigEntry],
    plan: SettingPlan,
    allowed: Callable[[str], bool],
) -> tuple[SettingPairView, ...]:
    """
    Put settings beside each other: first what would be changed, then what differs.

    Args:
        source, target: Those of a topic, and of its copy.
        plan: What keeping them equal would do.
        allowed: Whether a setting may be copied at all.
    """
    ours, theirs = _by_name(source), _by_name(target)
    planned: Iterable[SettingChange | SettingLeftOut] = (*plan.changes, *plan.left_out)
    steps = {each.name: each for each in planned}
    found = [
        _pair(name, ours.get(name), theirs.get(name), steps.get(name), is_allowed=allowed(name))
        for name in sorted(ours.keys() | theirs.keys())
    ]
    return tuple(sorted(found, key=lambda each: (not each.would_change, not each.differs)))


def _pair(
    name: str,
    ours: TopicConfigEntry | None,
    theirs: TopicConfigEntry | None,
    step: SettingChange | SettingLeftOut | None,
    *,
    is_allowed: bool,
) -> SettingPairView:
    becomes = ""
    if isinstance(step, SettingChange):
        becomes = "the brokers' default" if step.after is None else step.after
    why = "" if step is None else step.reason
    differs = _value(ours) != _value(theirs)
    if differs and step is None and None not in {ours, theirs}:
        why = "each cluster's brokers decide" if is_allowed else "config.properties.exclude has it"
    return SettingPairView(
        name=name,
        source=_value(ours),
        source_by=_by(ours),
        target=_value(theirs),
        target_by=_by(theirs),
        differs=differs,
        is_own=any(
            each is not None and each.source == "DYNAMIC_TOPIC_CONFIG" for each in (ours, theirs)
        ),
        would_change=isinstance(step, SettingChange),
        becomes=becomes,
        why=why,
    )


def _value(entry: TopicConfigEntry | None) -> str | None:
    if entry is None:
        return None
    return HIDDEN if entry.sensitive or entry.value is None else entry.value


def _by(entry: TopicConfigEntry | None) -> str:
    if entry is None:
        return ""
    return "default" if entry.is_default else _SET_BY.get(entry.source, entry.source.lower())


def _by_name(entries: Iterable[TopicConfigEntry]) -> dict[str, TopicConfigEntry]:
    return {each.name: each for each in entries}


def _settings(admin: ClusterAdmin, topic: str) -> tuple[TopicConfigEntry, ...]:
    read = admin.readable_topic_configs([topic])
    if topic in read.refused:
        raise read.refused[topic]
    return read.entries.get(topic, ())


def _state(admin: ClusterAdmin, topic: str) -> TopicState | None:
    return admin.topic(topic)

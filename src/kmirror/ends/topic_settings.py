"""Settings of topics: reads both clusters, plans, and applies the plan to the target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from kmirror.admin.base import ClusterAdmin, TopicConfigs
from kmirror.config.flows import FlowConfig
from kmirror.ends.deletion_survey import held_copies
from kmirror.errors import MirrorError, NotAuthorized
from kmirror.plans.snapshot import TopicConfigEntry, TopicState, settings_of
from kmirror.plans.topic_settings import (
    REMOTE_STORE,
    MirroredSettings,
    SettingChange,
    SettingPlan,
    SettingRules,
    asks_for_remote_store,
    plan_settings,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingFailure:
    """
    Settings of a topic that stay as they are, and why.

    Args:
        topic: The topic.
        names: The settings; empty if nobody knows which they are.
        error: Why: a cluster does not tell them, or refuses the change.
    """

    topic: str
    names: tuple[str, ...]
    error: MirrorError

    def __str__(self) -> str:
        what = ", ".join(self.names) or "settings"
        return f"{self.topic}: {what}: {self.error}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSettings:
    """
    The settings of topics and of their copies, as far as they exist and may be read.

    Args:
        source: The topics'.
        target: The copies', by their names.
    """

    source: TopicConfigs
    target: TopicConfigs


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSurvey:
    """
    A plan, and what could not be read for it.

    Args:
        plan: How settings on the target would change.
        unread: Topics whose settings a cluster keeps to itself, by their names there.
    """

    plan: SettingPlan
    unread: tuple[SettingFailure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingOutcome:
    """What became of a `SettingPlan`."""

    changed: tuple[SettingChange, ...] = ()
    failed: tuple[SettingFailure, ...] = ()


def setting_rules(config: FlowConfig) -> SettingRules:
    """Return what a flow's file says about settings; the target has not been asked."""
    return SettingRules(
        allowed=config.config_property_filter().allows,
        source_defaults=config.use_defaults_from == "source",
    )


def with_remote_store(
    rules: SettingRules, settings: Iterable[Sequence[TopicConfigEntry]], target: ClusterAdmin
) -> SettingRules:
    """
    Ask the target whether it has a remote store, if that decides anything.

    Args:
        rules: What else is known.
        settings: All settings of source topics.
        target: The target's control plane.

    Raises:
        ClusterError: It did not answer.
    """
    if not any(map(asks_for_remote_store, settings)):
        return rules
    try:
        configs = target.broker_configs(target.describe().brokers[0].id)
    except NotAuthorized:
        return rules  # A cluster with one refuses nothing if it is left out.
    return replace(rules, has_remote_store=settings_of(configs).get(REMOTE_STORE) == "true")


def read_settings(
    source: ClusterAdmin, target: ClusterAdmin, copies: Mapping[str, str]
) -> ReadSettings:
    """
    Read the settings of topics and of their copies.

    Args:
        source, target: Control planes.
        copies: The copies' names, by the topics'.

    Raises:
        ClusterError: One of the clusters could not be read.
    """
    return ReadSettings(
        source=source.readable_topic_configs(copies),
        target=target.readable_topic_configs(copies.values()),
    )


def survey_settings(
    config: FlowConfig,
    source: ClusterAdmin,
    target: ClusterAdmin,
    *,
    source_topics: Mapping[str, TopicState],
    target_topics: Mapping[str, TopicState],
    read: ReadSettings | None = None,
) -> SettingSurvey:
    """
    Read the settings of topics that have a copy, and plan how the copies' would change.

    Nothing is changed. There is nothing to plan if the file switches it off.

    Args:
        config: The flow.
        source, target: Control planes.
        source_topics, target_topics: All topics, by name.
        read: Their settings, if they have been read already.

    Raises:
        ClusterError: One of the clusters could not be read.
    """
    if config.sync_topic_configs_interval_s is None:
        return SettingSurvey(plan=SettingPlan())
    selection = config.topic_selection()
    copies = {
        name: copy
        for name in source_topics
        if selection.selects(name) and (copy := selection.remote_topic(name)) in target_topics
    }
    if config.minds_deletions:
        held = {each.copy for each in held_copies(config, source, target, copies)}
        copies = {name: copy for name, copy in copies.items() if copy not in held}
    read = read or read_settings(source, target, copies)
    ours, theirs = read.source.entries, read.target.entries
    mirrored = [
        MirroredSettings(
            source_topic=name,
            topic=copy,
            source=ours[name],
            target=theirs[copy],
            replicas=target_topics[copy].replicas,
        )
        for name, copy in copies.items()
        if name in ours and copy in theirs
    ]
    rules = with_remote_store(setting_rules(config), (topic.source for topic in mirrored), target)
    refused = sorted([*read.source.refused.items(), *read.target.refused.items()])
    return SettingSurvey(
        plan=plan_settings(mirrored, rules),
        unread=tuple(
            SettingFailure(topic=topic, names=(), error=error) for topic, error in refused
        ),
    )


def apply_settings(
    target: ClusterAdmin, plan: SettingPlan, *, validate_only: bool = False
) -> SettingOutcome:
    """
    Change settings; what the target refuses stops nothing else.

    Args:
        target: The target's control plane.
        plan: What to do.
        validate_only: Only ask what would be refused; nothing is changed.
    """
    refused = target.alter_topic_configs(plan.changes, validate_only=validate_only)
    failed = list[SettingFailure]()
    again = dict[str, list[SettingChange]]()
    for topic, changes in groupby(plan.changes, key=lambda change: change.topic):
        of_topic = list(changes)
        error = refused.get(topic)
        if error is None:
            continue
        if len(of_topic) > 1 and not error.retriable and not isinstance(error, NotAuthorized):
            again[topic] = of_topic
        else:
            names = tuple(change.name for change in of_topic)
            failed.append(SettingFailure(topic=topic, names=names, error=error))
    failed += _one_by_one(target, again, validate_only=validate_only)
    left = {(failure.topic, name) for failure in failed for name in failure.names}
    return SettingOutcome(
        changed=tuple(each for each in plan.changes if (each.topic, each.name) not in left),
        failed=tuple(sorted(failed, key=lambda failure: (failure.topic, failure.names))),
    )


def _one_by_one(
    target: ClusterAdmin, changes: Mapping[str, Sequence[SettingChange]], *, validate_only: bool
) -> list[SettingFailure]:
    """Make each change of a topic alone: a refused one is not to stop the others."""
    failed = list[SettingFailure]()
    for one_of_each in zip_longest(*changes.values()):
        step = [change for change in one_of_each if change is not None]
        refused = target.alter_topic_configs(step, validate_only=validate_only)
        failed += [
            SettingFailure(topic=each.topic, names=(each.name,), error=refused[each.topic])
            for each in step
            if each.topic in refused
        ]
    return failed

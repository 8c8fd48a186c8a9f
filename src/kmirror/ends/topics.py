"""Topics: reads both clusters, plans, and applies the plan to the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kmirror.admin.base import ClusterAdmin
from kmirror.ends.topic_settings import with_remote_store
from kmirror.errors import MirrorError
from kmirror.plans.snapshot import TopicState
from kmirror.plans.topic_settings import SettingRules
from kmirror.plans.topics import (
    GrowTopic,
    NewTopic,
    TopicPlan,
    TopicProblem,
    plan_topics,
    topics_to_create,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTopics:
    """The topics of both clusters at one moment, by name."""

    source: Mapping[str, TopicState]
    target: Mapping[str, TopicState]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSurvey:
    """
    A plan, and what it was made from.

    Args:
        plan: What the target lacks.
        source: The source's topics, by name.
        target: The target's.
    """

    plan: TopicPlan
    source: Mapping[str, TopicState]
    target: Mapping[str, TopicState]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicFailure:
    """A topic that the target refused to create or grow, and why."""

    topic: str
    error: MirrorError


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicOutcome:
    """What became of a `TopicPlan`."""

    created: tuple[NewTopic, ...] = ()
    grown: tuple[GrowTopic, ...] = ()
    failed: tuple[TopicFailure, ...] = ()


def survey_topics(
    source: ClusterAdmin,
    target: ClusterAdmin,
    *,
    seen: SeenTopics | None = None,
    remote_name: Callable[[str], str],
    selected: Callable[[str], bool],
    rules: SettingRules,
    replication_factor: int,
    merges: bool = False,
) -> TopicSurvey:
    """
    Read what both clusters have and plan what the target lacks; changes nothing.

    One request to each cluster, unless topics are new.

    Args:
        source: The source's control plane.
        target: The target's.
        seen: The topics of both, if somebody has just read them.
        remote_name: The replication policy: source name to target name.
        selected: Whether a source topic is to be mirrored.
        rules: Which settings new topics get.
        replication_factor: For new topics.
        merges: Several topics become one.

    Raises:
        ClusterError: One of the clusters could not be read.
    """
    seen = seen or SeenTopics(source=source.topics(), target=target.topics())
    source_topics, target_topics = seen.source, seen.target
    missing = topics_to_create(source_topics, target_topics, remote_name, selected)
    configs = source.readable_topic_configs(missing)
    plan = plan_topics(
        source_topics,
        target_topics,
        remote_name,
        lambda name: selected(name) and name not in configs.refused,
        replication_factor=replication_factor,
        broker_count=len(target.describe().brokers) if missing else 0,
        configs=configs.entries,
        rules=with_remote_store(rules, configs.entries.values(), target),
        merges=merges,
    )
    problems = tuple(
        TopicProblem(source_topic=name, reason=error.message, hint=error.hint)
        for name, error in configs.refused.items()
    )
    plan = replace(plan, problems=plan.problems + problems)
    return TopicSurvey(plan=plan, source=source_topics, target=target_topics)


def apply_topics(target: ClusterAdmin, plan: TopicPlan) -> TopicOutcome:
    """
    Create and grow topics; one topic's failure does not stop the others.

    Args:
        target: The target's control plane.
        plan: What to do.

    Raises:
        ClusterError: The target could not be asked at all.
    """
    failed = dict(target.create_topics(plan.create)) if plan.create else {}
    if plan.grow:
        failed |= target.create_partitions(plan.grow)
    return TopicOutcome(
        created=tuple(topic for topic in plan.create if topic.name not in failed),
        grown=tuple(topic for topic in plan.grow if topic.name not in failed),
        failed=_failures(failed),
    )


def refusals(target: ClusterAdmin, plan: TopicPlan) -> tuple[TopicFailure, ...]:
    """
    Ask the target which topics it would refuse to create, and why; nothing is created.

    Args:
        target: The target's control plane.
        plan: What would be created.

    Raises:
        ClusterError: The target could not be asked at all.
    """
    return _failures(target.create_topics(plan.create, validate_only=True) if plan.create else {})


def _failures(failed: Mapping[str, MirrorError]) -> tuple[TopicFailure, ...]:
    return tuple(TopicFailure(topic=name, error=error) for name, error in failed.items())

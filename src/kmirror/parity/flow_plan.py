"""What a flow's target lacks besides records: planned and applied without running the flow."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.config.flows import FlowConfig
from kmirror.ends.discovery import survey_flow_topics
from kmirror.ends.topic_settings import (
    SettingFailure,
    SettingOutcome,
    SettingSurvey,
    apply_settings,
    survey_settings,
)
from kmirror.ends.topics import TopicFailure, TopicOutcome, apply_topics, refusals
from kmirror.model import Flow
from kmirror.plans.topics import TopicPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """
    What would be done on the target of a flow.

    Args:
        flow: The flow.
        syncs_settings: Whether the file wants settings kept equal.
        topics: Topics to create and to grow, and those for which that is impossible.
        settings: Settings to change, and what of them could not be read.
        refused_topics: What the target would not create, and why.
        refused_settings: What it would not change, and why.
    """

    flow: Flow
    syncs_settings: bool
    topics: TopicPlan
    settings: SettingSurvey
    refused_topics: tuple[TopicFailure, ...] = ()
    refused_settings: tuple[SettingFailure, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything would change."""
        return bool(self.topics) or bool(self.settings.plan)

    @property
    def is_possible(self) -> bool:
        """Whether all of it can be done."""
        return not (
            self.topics.problems
            or self.refused_topics
            or self.refused_settings
            or self.settings.unread
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOutcome:
    """What became of a `FlowPlan`."""

    plan: FlowPlan
    topics: TopicOutcome
    settings: SettingOutcome

    @property
    def is_complete(self) -> bool:
        """Whether the target has everything that the plan was for."""
        was_readable = not (self.plan.topics.problems or self.plan.settings.unread)
        return was_readable and not (self.topics.failed or self.settings.failed)


def plan_flow(
    config: FlowConfig, source: ClusterAdmin, target: ClusterAdmin, *, asks: bool = True
) -> FlowPlan:
    """
    Compare both clusters; nothing is changed.

    Args:
        config: The flow.
        source, target: Control planes.
        asks: Ask the target, too, what of the plan it would refuse.

    Raises:
        ClusterError: One of them did not answer.
    """
    topics = survey_flow_topics(config, source, target)
    settings = survey_settings(
        config,
        source,
        target,
        source_topics=topics.source,
        target_topics=topics.target,
    )
    return FlowPlan(
        flow=config.flow,
        syncs_settings=config.sync_topic_configs_interval_s is not None,
        topics=topics.plan,
        settings=settings,
        refused_topics=refusals(target, topics.plan) if asks else (),
        refused_settings=_refused(target, settings) if asks else (),
    )


def _refused(target: ClusterAdmin, settings: SettingSurvey) -> tuple[SettingFailure, ...]:
    return apply_settings(target, settings.plan, validate_only=True).failed


def apply_flow(target: ClusterAdmin, plan: FlowPlan) -> FlowOutcome:
    """
    Do what a plan says; one topic's failure does not stop the others.

    Args:
        target: The target's control plane.
        plan: What to do.

    Raises:
        ClusterError: The target could not be asked at all.
    """
    return FlowOutcome(
        plan=plan,
        topics=apply_topics(target, plan.topics),
        settings=apply_settings(target, plan.settings.plan),
    )

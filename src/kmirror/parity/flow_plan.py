"""What a flow's target lacks besides records: planned and applied without running the flow."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.created_acls import AclMemory
from kmirror.ends.discovery import survey_flow_topics
from kmirror.ends.log_starts import LogStartOutcome
from kmirror.ends.topic_acls import (
    AclOutcome,
    AclSurvey,
    apply_acls,
    gone_acls,
    gone_twice,
    survey_acls,
)
from kmirror.ends.topic_settings import (
    SettingFailure,
    SettingOutcome,
    SettingSurvey,
    apply_settings,
    survey_settings,
)
from kmirror.ends.topics import TopicFailure, TopicOutcome, apply_topics, refusals
from kmirror.model import Flow
from kmirror.parity.deletions import DeletionOutcome
from kmirror.parity.reports import Reports, replica_reports
from kmirror.plans.deletions import DeletionPlan
from kmirror.plans.log_starts import LogStartPlan
from kmirror.plans.topics import TopicPlan

# Somebody waits for the command.
_ASKED_AGAIN_S_MAX = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """
    What would be done on the target of a flow.

    Args:
        flow: The flow.
        syncs_settings: Whether the file wants settings kept equal.
        topics: Topics to create and to grow, and those for which that is impossible.
        settings: Settings to change, and what of them could not be read.
        deletions: What becomes of copies whose topics were deleted.
        log_starts: Copies that lose their beginnings.
        acls: ACLs to create, or why none are.
        reports: What differs besides and is left to an administrator.
        refused_topics: What the target would not create, and why.
        refused_settings: What it would not change, and why.
    """

    flow: Flow
    syncs_settings: bool
    topics: TopicPlan
    settings: SettingSurvey
    deletions: DeletionPlan = field(default_factory=DeletionPlan)
    log_starts: LogStartPlan = field(default_factory=LogStartPlan)
    acls: AclSurvey = field(default_factory=AclSurvey)
    reports: Reports = field(default_factory=Reports)
    refused_topics: tuple[TopicFailure, ...] = ()
    refused_settings: tuple[SettingFailure, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything would change."""
        parts = (self.topics, self.settings.plan, self.deletions, self.log_starts, self.acls.plan)
        return any(map(bool, parts))

    def with_reports(self, more: Reports) -> FlowPlan:
        """Return the plan with more of what is left to an administrator."""
        found = Reports(
            found=(*self.reports.found, *more.found), unread=(*self.reports.unread, *more.unread)
        )
        return replace(self, reports=found)

    @property
    def is_possible(self) -> bool:
        """Whether all of it can be done."""
        return not (
            self.topics.problems
            or self.refused_topics
            or self.refused_settings
            or self.settings.unread
            or self.acls.failure
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOutcome:
    """What became of a `FlowPlan`."""

    plan: FlowPlan
    topics: TopicOutcome
    settings: SettingOutcome
    deletions: DeletionOutcome = field(default_factory=DeletionOutcome)
    log_starts: LogStartOutcome = field(default_factory=LogStartOutcome)
    acls: AclOutcome = field(default_factory=AclOutcome)

    @property
    def is_complete(self) -> bool:
        """Whether the target has everything that the plan was for."""
        was_readable = not (self.plan.topics.problems or self.plan.settings.unread)
        topics, settings = bool(self.topics.failed), bool(self.settings.failed)
        others = bool(self.deletions.failed) or bool(self.log_starts.failed)
        acls = bool(self.plan.acls.failure) or bool(self.acls.failed)
        return was_readable and not (topics or settings or others or acls)


def plan_flow(
    config: FlowConfig,
    source: ClusterAdmin,
    target: ClusterAdmin,
    *,
    deletions: DeletionPlan | None = None,
    log_starts: LogStartPlan | None = None,
    memory: AclMemory | None = None,
    asks: bool = True,
) -> FlowPlan:
    """
    Compare both clusters; nothing is changed.

    Args:
        config: The flow.
        source, target: Control planes.
        deletions: What `look_for_deletions` has found.
        log_starts: What `survey_log_starts` has found.
        memory: Which ACLs the flow has created, where it may take some away.
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
        deletions=DeletionPlan() if deletions is None else deletions,
        log_starts=LogStartPlan() if log_starts is None else log_starts,
        acls=survey_acls(config, source, target, memory),
        reports=Reports(
            found=tuple(
                replica_reports(
                    config, target, source_topics=topics.source, target_topics=topics.target
                )
            )
        ),
        refused_topics=refusals(target, topics.plan) if asks else (),
        refused_settings=_refused(target, settings) if asks else (),
    )


def _refused(target: ClusterAdmin, settings: SettingSurvey) -> tuple[SettingFailure, ...]:
    return apply_settings(target, settings.plan, validate_only=True).failed


def asked_again(
    plan: FlowPlan,
    config: FlowConfig,
    clients: FlowClients,
    memory: AclMemory | None,
    clock: Clock,
) -> FlowPlan:
    """
    Ask about ACLs for a second time, as a running flow does, before any of them is taken away.

    Args:
        plan: What is to be done.
        config: The flow.
        clients: Its clients.
        memory: See `plan_flow`.
        clock: Where time comes from.

    Returns:
        The plan; ACLs are taken away by it only if both times they were gone.

    Raises:
        ClusterError: One of the clusters did not answer.
    """
    gone = gone_acls(plan.acls)
    if not gone or config.acls.interval_s is None:
        return plan
    clock.wait(threading.Event(), min(config.acls.interval_s, _ASKED_AGAIN_S_MAX))
    survey = survey_acls(config, clients.source, clients.target, memory)
    return replace(plan, acls=gone_twice(survey, gone))


def apply_flow(
    target: ClusterAdmin,
    plan: FlowPlan,
    memory: AclMemory | None = None,
    *,
    deletions: DeletionOutcome | None = None,
    log_starts: LogStartOutcome | None = None,
) -> FlowOutcome:
    """
    Do what a plan says; one topic's failure does not stop the others.

    Args:
        target: The target's control plane.
        plan: What to do.
        deletions: What `do_deletions` has done.
        log_starts: What `apply_log_starts` has done.
        memory: See `plan_flow`.

    Raises:
        ClusterError: The target could not be asked at all.
    """
    return FlowOutcome(
        plan=plan,
        topics=apply_topics(target, plan.topics),
        settings=apply_settings(target, plan.settings.plan),
        deletions=deletions or DeletionOutcome(left=plan.deletions.left),
        log_starts=log_starts or LogStartOutcome(unknown=plan.log_starts.unknown),
        acls=apply_acls(target, plan.acls, memory),
    )

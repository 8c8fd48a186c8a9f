"""What a plan for a flow's target says, or what became of it: a line for each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kmirror.api.answers import Step, StepKind
from kmirror.ends.topic_acls import AclFailure, AclSurvey
from kmirror.ends.topic_settings import SettingFailure
from kmirror.ends.topics import TopicFailure
from kmirror.parity.flow_plan import FlowOutcome, FlowPlan
from kmirror.parity.reports import Reports
from kmirror.plans.deletions import DeletionPlan
from kmirror.plans.log_starts import LogStart, UnknownStart
from kmirror.plans.topic_acls import GoneAcl, NewAcl
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.topics import GrowTopic, NewTopic
from kmirror.units import moment


def plan_steps(plan: FlowPlan) -> tuple[Step, ...]:
    """
    Return what would be done.

    Args:
        plan: A flow's.
    """
    refused = {each.topic: each.error for each in plan.refused_topics}
    unset = {(each.topic, name): each for each in plan.refused_settings for name in each.names}
    return (
        *(_created(new) for new in plan.topics.create if new.name not in refused),
        *map(_grown, plan.topics.grow),
        *(_changed(each) for each in plan.settings.plan.changes if _at(each) not in unset),
        *_deletions(plan.deletions),
        *map(_trimmed, plan.log_starts.trim),
        *map(_untrimmed, plan.log_starts.unknown),
        *map(_allowed, () if plan.acls.failure else plan.acls.plan.create),
        *map(_removed, () if plan.acls.failure else plan.acls.plan.remove),
        *_not_done(plan, plan.refused_topics, plan.refused_settings),
        *_acls_not_done(plan.acls),
        *_reported(plan.reports),
    )


def outcome_steps(outcome: FlowOutcome) -> tuple[Step, ...]:
    """
    Return what was done, and what was not.

    Args:
        outcome: A flow's.
    """
    return (
        *map(_created, outcome.topics.created),
        *map(_grown, outcome.topics.grown),
        *map(_changed, outcome.settings.changed),
        *_deletions(_done(outcome)),
        *map(_trimmed, outcome.log_starts.trimmed),
        *map(_untrimmed, outcome.log_starts.unknown),
        *(_cannot(str(each)) for each in outcome.log_starts.failed),
        *map(_allowed, outcome.acls.created),
        *map(_removed, outcome.acls.removed),
        *_not_done(outcome.plan, outcome.topics.failed, outcome.settings.failed),
        *_acls_not_done(outcome.plan.acls, outcome.acls.failed),
    )


def _created(new: NewTopic) -> Step:
    return Step(verb="create", kind=StepKind.NEW, words=f"{new} ({new.source_topic} has no copy)")


def _grown(grow: GrowTopic) -> Step:
    return Step(verb="grow", kind=StepKind.NEW, words=f"{grow} (as many as the source has)")


def _changed(change: SettingChange) -> Step:
    return Step(verb="change", kind=StepKind.CHANGE, words=str(change))


def _allowed(new: NewAcl) -> Step:
    is_allowed = new.binding.permission == "ALLOW"
    return Step(
        verb=new.binding.verb, kind=StepKind.NEW if is_allowed else StepKind.CHANGE, words=str(new)
    )


def _removed(gone: GoneAcl) -> Step:
    return Step(verb="remove", kind=StepKind.LOSS, words=str(gone))


def _at(change: SettingChange) -> tuple[str, str]:
    return change.topic, change.name


def _deletions(plan: DeletionPlan) -> Iterator[Step]:
    for gone in plan.note:
        words = f"{gone.copy}: {gone.topic} was deleted (id {gone.topic_id}): {gone.policy}"
        yield Step(verb="note", kind=StepKind.CHANGE, words=words)
    for gone in plan.back:
        words = f"{gone.copy}: {gone.topic} is there again (id {gone.topic_id})"
        yield Step(verb="free", kind=StepKind.NEW, words=words)
    for due in plan.delete:
        yield Step(verb="delete", kind=StepKind.LOSS, words=f"{due} ({due.gone.policy})")
    for due in plan.waiting:
        words = f"{due}; would be deleted at {moment(due.at_ms)} ({due.gone.policy})"
        yield Step(verb="wait", kind=StepKind.LEFT, words=words)
    for left in plan.left:
        yield Step(verb="leave", kind=StepKind.LEFT, words=str(left))


def _trimmed(start: LogStart) -> Step:
    return Step(verb="trim", kind=StepKind.LOSS, words=str(start))


def _untrimmed(start: UnknownStart) -> Step:
    return Step(verb="leave", kind=StepKind.LEFT, words=str(start))


def _cannot(words: str) -> Step:
    return Step(verb="cannot", kind=StepKind.IMPOSSIBLE, words=words)


def _done(outcome: FlowOutcome) -> DeletionPlan:
    """Return what was done of a plan, and what is left of it."""
    done = outcome.deletions
    return replace(
        outcome.plan.deletions,
        note=done.noted,
        back=done.back,
        delete=done.deleted,
        left=(*done.left, *done.failed),
    )


def _not_done(
    plan: FlowPlan, topics: Sequence[TopicFailure], settings: Sequence[SettingFailure]
) -> Iterator[Step]:
    for left_out in plan.settings.plan.left_out:
        yield Step(verb="leave", kind=StepKind.LEFT, words=str(left_out))
    for problem in plan.topics.problems:
        yield _cannot(str(problem))
    for failure in topics:
        yield _cannot(f"{failure.topic}: {failure.error}")
    for kept in (*plan.settings.unread, *settings):
        yield _cannot(str(kept))


def _acls_not_done(acls: AclSurvey, failed: Sequence[AclFailure] = ()) -> Iterator[Step]:
    for left_out in acls.plan.left_out:
        yield Step(verb="leave", kind=StepKind.LEFT, words=str(left_out))
    if acls.note:
        yield Step(verb="leave", kind=StepKind.LEFT, words=f"ACLs of topics: {acls.note}")
    if acls.failure:
        count = f"{len(acls.plan.create) + len(acls.plan.remove)} " if acls.plan else ""
        yield _cannot(f"{count}ACLs of topics: {acls.failure}")
    for failure in failed:
        yield _cannot(str(failure))


def _reported(reports: Reports) -> Iterator[Step]:
    for report in reports.found:
        yield Step(verb="report", kind=StepKind.REPORT, words=report.words)
        for command in report.commands:
            yield Step(verb="", kind=StepKind.COMMAND, words=command)
    for unread in reports.unread:
        yield Step(verb="leave", kind=StepKind.LEFT, words=unread)

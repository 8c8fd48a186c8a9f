"""What `kmirror plan` and `kmirror apply` show: a line for each step, and the same as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from kmirror.api.answers import Step, StepKind
from kmirror.ends.topic_acls import AclFailure, AclSurvey
from kmirror.ends.topic_settings import SettingFailure
from kmirror.ends.topics import TopicFailure
from kmirror.errors import ClusterError
from kmirror.model import Flow
from kmirror.parity.flow_plan import FlowOutcome, FlowPlan
from kmirror.parity.plan_steps import outcome_steps, plan_steps
from kmirror.plans.topic_acls import GoneAcl, NewAcl
from kmirror.plans.topics import NewTopic

_COLOURS = {
    StepKind.NEW: "green",
    StepKind.CHANGE: "yellow",
    StepKind.LOSS: "red",
    StepKind.LEFT: "dim",
    StepKind.IMPOSSIBLE: "red",
    StepKind.REPORT: "magenta",
    StepKind.COMMAND: "",
}


def draw_plan(plan: FlowPlan) -> RenderableType:
    """
    Draw what would be done.

    Args:
        plan: A flow's.
    """
    return _drawn(plan, plan_steps(plan), "" if plan else "nothing to change")


def draw_outcome(outcome: FlowOutcome) -> RenderableType:
    """
    Draw what was done, and what was not.

    Args:
        outcome: A flow's.
    """
    return _drawn(
        outcome.plan, outcome_steps(outcome), "" if outcome.plan else "nothing was to be changed"
    )


def draw_error(flow: Flow, error: ClusterError) -> RenderableType:
    """Draw that nothing is known of a flow, and why."""
    return Group(_head(flow, "not known"), Text(str(error), style="red"), Text(""))


def plain_plan(plan: FlowPlan) -> dict[str, Any]:
    """
    Give what `kmirror plan --json` prints; docs/parity.md explains every field.

    Args:
        plan: A flow's.
    """
    return {
        **_plain_head(plan),
        "create": [_plain_new(new) for new in plan.topics.create],
        "grow": [asdict(grow) for grow in plan.topics.grow],
        "change": [asdict(change) for change in plan.settings.plan.changes],
        "gone": [asdict(gone) for gone in plan.deletions.note],
        "back": [asdict(gone) for gone in plan.deletions.back],
        "delete": [asdict(due) for due in plan.deletions.delete],
        "delete_later": [asdict(due) for due in plan.deletions.waiting],
        "left_copies": [asdict(left) for left in plan.deletions.left],
        "trim": [asdict(start) for start in plan.log_starts.trim],
        "untrimmed": [asdict(start) for start in plan.log_starts.unknown],
        "create_acls": [_plain_acl(new) for new in plan.acls.plan.create],
        "remove_acls": [_plain_acl(gone) for gone in plan.acls.plan.remove],
        **_plain_rest(plan, plan.refused_topics, plan.refused_settings),
        **_plain_acls(plan.acls),
        "reports": [asdict(report) for report in plan.reports.found],
        "not_compared": list(plan.reports.unread),
    }


def plain_outcome(outcome: FlowOutcome) -> dict[str, Any]:
    """
    Give what `kmirror apply --json` prints; docs/parity.md explains every field.

    Args:
        outcome: A flow's.
    """
    return {
        **_plain_head(outcome.plan),
        "created": [_plain_new(new) for new in outcome.topics.created],
        "grown": [asdict(grow) for grow in outcome.topics.grown],
        "changed": [asdict(change) for change in outcome.settings.changed],
        "gone": [asdict(gone) for gone in outcome.deletions.noted],
        "back": [asdict(gone) for gone in outcome.deletions.back],
        "deleted": [asdict(due) for due in outcome.deletions.deleted],
        "left_copies": [
            asdict(left) for left in (*outcome.deletions.left, *outcome.deletions.failed)
        ],
        "trimmed": [asdict(start) for start in outcome.log_starts.trimmed],
        "untrimmed": [
            *(asdict(start) for start in outcome.log_starts.unknown),
            *(
                {"source": each.start.source, "target": each.start.target, "why": str(each.error)}
                for each in outcome.log_starts.failed
            ),
        ],
        "created_acls": [_plain_acl(new) for new in outcome.acls.created],
        "removed_acls": [_plain_acl(gone) for gone in outcome.acls.removed],
        **_plain_rest(outcome.plan, outcome.topics.failed, outcome.settings.failed),
        **_plain_acls(outcome.plan.acls, outcome.acls.failed),
    }


def plain_error(flow: Flow, error: ClusterError) -> dict[str, Any]:
    """Give the same when nothing is known of a flow."""
    return {"flow": asdict(flow), "error": str(error)}


def _drawn(plan: FlowPlan, steps: Sequence[Step], words: str) -> RenderableType:
    if not plan.syncs_settings:
        words = ", ".join(filter(None, (words, "settings of topics are not kept equal")))
    drawn = [Text.assemble((f"{each.verb:7}", _COLOURS[each.kind]), each.words) for each in steps]
    return Group(_head(plan.flow, words), *drawn, Text(""))


def _head(flow: Flow, words: str) -> Text:
    return Text.assemble((str(flow), "bold"), f"  {words}" if words else "")


def _plain_head(plan: FlowPlan) -> dict[str, Any]:
    return {"flow": asdict(plan.flow), "syncs_settings": plan.syncs_settings}


def _plain_new(new: NewTopic) -> dict[str, Any]:
    return asdict(new) | {"configs": dict(new.configs)}


def _plain_rest(
    plan: FlowPlan, topics: Sequence[TopicFailure], settings: Sequence[SettingFailure]
) -> dict[str, Any]:
    kept = (*plan.settings.unread, *settings)
    return {
        "left_out": [asdict(each) for each in plan.settings.plan.left_out],
        "problems": [asdict(problem) for problem in plan.topics.problems],
        "refused_topics": [{"topic": each.topic, "error": str(each.error)} for each in topics],
        "refused_settings": [
            {"topic": each.topic, "settings": each.names, "error": str(each.error)} for each in kept
        ],
    }


def _plain_acl(new: NewAcl | GoneAcl) -> dict[str, Any]:
    return asdict(new.binding) | {"reason": new.reason}


def _plain_acls(acls: AclSurvey, failed: Sequence[AclFailure] = ()) -> dict[str, Any]:
    return {
        "acls_left_out": [asdict(each) for each in acls.plan.left_out],
        "acls_note": str(acls.note or ""),
        "acls_error": str(acls.failure or ""),
        "refused_acls": [asdict(each.acl) | {"error": str(each.error)} for each in failed],
    }

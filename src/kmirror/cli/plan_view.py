"""What `kmirror plan` and `kmirror apply` show: a line for each step, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from kmirror.ends.topic_settings import SettingFailure
from kmirror.ends.topics import TopicFailure
from kmirror.errors import ClusterError
from kmirror.model import Flow
from kmirror.parity.flow_plan import FlowOutcome, FlowPlan
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.topics import GrowTopic, NewTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A step: a verb, with its colour, and what it is about."""

    verb: str
    colour: str
    words: str


def draw_plan(plan: FlowPlan) -> RenderableType:
    """
    Draw what would be done.

    Args:
        plan: A flow's.
    """
    refused = {each.topic: each.error for each in plan.refused_topics}
    unset = {(each.topic, name): each for each in plan.refused_settings for name in each.names}
    lines = [
        *(_created(new) for new in plan.topics.create if new.name not in refused),
        *map(_grown, plan.topics.grow),
        *(_changed(each) for each in plan.settings.plan.changes if _at(each) not in unset),
        *_not_done(plan, plan.refused_topics, plan.refused_settings),
    ]
    return _drawn(plan, lines, "" if plan else "nothing to change")


def draw_outcome(outcome: FlowOutcome) -> RenderableType:
    """
    Draw what was done, and what was not.

    Args:
        outcome: A flow's.
    """
    lines = [
        *map(_created, outcome.topics.created),
        *map(_grown, outcome.topics.grown),
        *map(_changed, outcome.settings.changed),
        *_not_done(outcome.plan, outcome.topics.failed, outcome.settings.failed),
    ]
    return _drawn(outcome.plan, lines, "" if outcome.plan else "nothing was to be changed")


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
        **_plain_rest(plan, plan.refused_topics, plan.refused_settings),
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
        **_plain_rest(outcome.plan, outcome.topics.failed, outcome.settings.failed),
    }


def plain_error(flow: Flow, error: ClusterError) -> dict[str, Any]:
    """Give the same when nothing is known of a flow."""
    return {"flow": asdict(flow), "error": str(error)}


def _created(new: NewTopic) -> _Line:
    return _Line(verb="create", colour="green", words=f"{new} ({new.source_topic} has no copy)")


def _grown(grow: GrowTopic) -> _Line:
    return _Line(verb="grow", colour="green", words=f"{grow} (as many as the source has)")


def _changed(change: SettingChange) -> _Line:
    return _Line(verb="change", colour="yellow", words=str(change))


def _at(change: SettingChange) -> tuple[str, str]:
    return change.topic, change.name


def _not_done(
    plan: FlowPlan, topics: Sequence[TopicFailure], settings: Sequence[SettingFailure]
) -> Iterator[_Line]:
    for left_out in plan.settings.plan.left_out:
        yield _Line(verb="leave", colour="dim", words=str(left_out))
    for problem in plan.topics.problems:
        yield _Line(verb="cannot", colour="red", words=str(problem))
    for failure in topics:
        yield _Line(verb="cannot", colour="red", words=f"{failure.topic}: {failure.error}")
    for kept in (*plan.settings.unread, *settings):
        yield _Line(verb="cannot", colour="red", words=str(kept))


def _drawn(plan: FlowPlan, lines: Sequence[_Line], words: str) -> RenderableType:
    if not plan.syncs_settings:
        words = ", ".join(filter(None, (words, "settings of topics are not kept equal")))
    drawn = [Text.assemble((f"{line.verb:7}", line.colour), line.words) for line in lines]
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

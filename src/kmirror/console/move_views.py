"""Moves of groups as the API tells them; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kmirror.api.moves import (
    LeftGroup,
    LossView,
    MovePlaceView,
    MovePlanView,
    MoveVerb,
    TopicLossView,
)
from kmirror.inspect.overview import Uncopied
from kmirror.model import Flow
from kmirror.moves.dry_run import DryRun
from kmirror.plans.moves import Loss, MoveKind, MoveReport
from kmirror.plans.places import GroupPlace, UnknownPlace


def plan_view(flow: Flow, kind: MoveKind, found: DryRun, now_ms: int) -> MovePlanView:
    """
    Tell a dry run.

    Args:
        flow: The flow.
        kind: Which move.
        found: The dry run.
        now_ms: When it was made, milliseconds since the epoch.
    """
    lacking = {each.partition: each for each in found.uncopied}
    keys = {place.key for place in found.moves}
    places = [
        _place(each, lacking.get(each.here), is_set=each.key in keys) for each in found.places
    ]
    return MovePlanView(
        flow=str(flow),
        kind=MoveVerb(kind.value),
        here=found.here,
        there=found.there,
        as_of_ms=now_ms,
        why_not=found.why,
        hint=found.hint,
        trouble=found.trouble,
        owner="" if found.owner is None else str(found.owner.owner or "an unknown driver"),
        is_held=found.owner is not None and found.owner.is_hold,
        active=found.active,
        lag_records=None if found.trouble else found.lag_records,
        loss=loss_view(found.loss, here=found.here, there=found.there),
        places=tuple(sorted(places, key=lambda each: (each.group, each.topic, each.partition))),
        left=left_groups(found.left, ()),
        unknown=left_groups({}, found.unknown),
    )


def loss_view(loss: Loss, *, here: str, there: str) -> LossView:
    """
    Tell what is not copied.

    Args:
        loss: It.
        here, there: The cluster that has the records, and the one that lacks them.
    """
    return LossView(
        records=loss.records,
        age_s=loss.age_s,
        words=str(loss),
        sentences=tuple(
            each.strip() for each in loss.sentences(here=here, there=there, with_topics=False)
        ),
        topics=tuple(
            TopicLossView(topic=each.topic, records=each.records, age_s=each.age_s)
            for each in loss.topics
        ),
    )


def left_groups(left: Mapping[str, str], unknown: Iterable[UnknownPlace]) -> tuple[LeftGroup, ...]:
    """
    Tell which groups do not go on there.

    Args:
        left: By name, with why.
        unknown: Those of which nobody knows where.
    """
    told = [LeftGroup(group=group, why=why) for group, why in sorted(left.items())]
    lost = [
        LeftGroup(group=each.group, why=f"{each.partition} offset {each.offset}: {each.why}")
        for each in unknown
    ]
    return (*told, *lost)


def report_groups(report: MoveReport) -> tuple[LeftGroup, ...]:
    """
    Tell which groups a move has left where they were.

    Args:
        report: Of the move.
    """
    return left_groups(report.left, report.unknown)


def _place(place: GroupPlace, lacking: Uncopied | None, *, is_set: bool) -> MovePlaceView:
    lacks = reads_again = 0
    if lacking is not None:
        lacks = lacking.records
        reads_again = max(0, min(place.offset, lacking.end) - lacking.start)
    goes_back = 0
    if is_set and place.committed is not None:
        goes_back = max(0, place.committed - place.goes_on)
    return MovePlaceView(
        group=place.group,
        topic=place.here.topic,
        partition=place.here.partition,
        offset=place.offset,
        copy=place.there.topic,
        goes_on=place.starts_at,
        committed=place.committed,
        is_set=is_set,
        lacks=lacks,
        reads_again=reads_again,
        goes_back=goes_back,
    )

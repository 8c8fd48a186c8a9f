"""What a move of groups would do now; no group and no flow is changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kmirror.admin.owner_entry import OwnerEntry
from kmirror.clock import Clock
from kmirror.inspect.overview import Uncopied
from kmirror.moves.ends import MoveEnds
from kmirror.moves.loss import read_already, seen_loss, unseen_loss
from kmirror.plans.moves import Calm, Loss, MoveOptions, cannot_begin, refusal
from kmirror.plans.places import GroupPlace, UnknownPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """
    What a move would do now.

    Args:
        here, there: The clusters that groups would go from, and to.
        owner: Who has the flow; `None` when it was never started.
        trouble: Why the source was not heard; empty when it was.
        why, hint: Why it would be refused now, and what to do; empty when it would not be.
        active: Groups with members where they come from.
        loss: What is not copied (RPO).
        uncopied: The same by partition; nothing when the source was not heard.
        places: Where groups are, all of them.
        moves: The places whose offsets would be set.
        left: Groups that would not be moved, and why.
        unknown: Groups' partitions of which nobody knows where the groups go on, and why.
    """

    here: str
    there: str
    owner: OwnerEntry | None
    trouble: str
    why: str
    hint: str
    active: tuple[str, ...]
    loss: Loss
    uncopied: tuple[Uncopied, ...]
    places: tuple[GroupPlace, ...]
    moves: tuple[GroupPlace, ...]
    left: Mapping[str, str]
    unknown: tuple[UnknownPlace, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every group would go on there."""
        return not self.left and not self.unknown

    @property
    def lag_records(self) -> int:
        """What is not copied, as far as that is known."""
        return sum(each.records for each in self.uncopied)


def dry_run(ends: MoveEnds, options: MoveOptions, clock: Clock) -> DryRun:
    """
    Say what a move would do now, if it did not wait for anything.

    Args:
        ends: Both clusters.
        options: What the operator wants.
        clock: Where time comes from.

    Raises:
        ClusterError: A cluster did not answer, or refused.
    """
    survey = ends.survey()
    moves = survey.moves(backwards=options.allow_backwards)
    owner = ends.hold.owner()
    rest = () if ends.trouble else ends.uncopied()
    loss = unseen_loss(ends, clock) if ends.trouble else seen_loss(ends, rest, clock)
    active = tuple(sorted(survey.active))
    why, hint = cannot_begin(
        ends.flows.flow,
        options.kind,
        here=ends.here,
        was_started=owner is not None,
        trouble=ends.trouble,
    )
    if not why and not ends.trouble:
        calm = Calm(lag_records=sum(each.records for each in rest), active=active)
        why, hint = refusal(calm, options, here=ends.here, there=ends.there)
    return DryRun(
        here=ends.here,
        there=ends.there,
        owner=owner,
        trouble=ends.trouble,
        why=why,
        hint=hint,
        active=active,
        loss=replace(loss, read_already=read_already(survey.places, rest)),
        uncopied=rest,
        places=survey.places,
        moves=moves,
        left=survey.moved(moves).left(there=ends.there),
        unknown=survey.unknown,
    )

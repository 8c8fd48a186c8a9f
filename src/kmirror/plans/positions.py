"""
From where each partition is copied on: the decision that must never be guessed.

Three sources may know: our own group on the target (written in the same transaction as the data),
MirrorMaker 2's offsets topic, and the two logs themselves. Where they contradict each other the
partition is parked with an error that names the choices; its neighbours go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kmirror.errors import TopicQuarantined
from kmirror.plans.decisions import Adopt, Decision, Keep, Park, PositionPlan, Renew, Seed
from kmirror.plans.deletions import Quarantine
from kmirror.plans.position_facts import (
    MM2Position,
    OwnPosition,
    PartitionFacts,
    PositionPolicy,
)
from kmirror.plans.reactions import (
    missing,
    overtaken,
    recreated,
    target_lost,
    target_recreated,
    truncated,
)

QUARANTINED = "quarantined"


def plan_positions(
    partitions: Iterable[PartitionFacts], policy_of: Callable[[str], PositionPolicy]
) -> PositionPlan:
    """
    Decide for every partition.

    Args:
        partitions: What is known about them; the plan keeps their order.
        policy_of: The operator's choices for a topic of the source.
    """
    decisions = [decide(facts, policy_of(facts.source.topic)) for facts in partitions]
    return PositionPlan(
        keep=tuple(decision for decision in decisions if isinstance(decision, Keep)),
        seed=tuple(decision for decision in decisions if isinstance(decision, Seed)),
        park=tuple(decision for decision in decisions if isinstance(decision, Park)),
        needs_adoption=tuple(decision for decision in decisions if isinstance(decision, Adopt)),
        renew=tuple(decision for decision in decisions if isinstance(decision, Renew)),
    )


def decide(facts: PartitionFacts, policy: PositionPolicy) -> Decision:
    """
    Decide for one partition.

    Args:
        facts: What is known about it.
        policy: The operator's choices for its topic.
    """
    assert 0 <= facts.log_start <= facts.log_end, "the source's offsets are inconsistent"
    # Before anything else: no choice that the file has made copies to it.
    if facts.quarantine is not None:
        return _quarantined(facts, facts.quarantine)
    if facts.ours is None and facts.made_way:
        return _first(facts, policy)
    return _by_positions(facts, policy)


def _by_positions(facts: PartitionFacts, policy: PositionPolicy) -> Decision:
    ours, mm2 = facts.ours, facts.mm2
    if _lost_its_target(facts):
        return target_recreated(facts, policy)
    if ours is not None:
        return _own(facts, policy, ours)
    if mm2 is not None and not mm2.written_by_us:
        why = f"takes over from MirrorMaker 2 at offset {mm2.offset}"
        return _checked(facts, policy, mm2.offset, Seed, why)
    if mm2 is not None:
        return _second_copy(facts, policy, mm2)
    if facts.target_end == 0 or _is_new_beside_others(facts):
        return _first(facts, policy)
    reason = (
        f"the target holds {facts.target_end} records of {facts.target}, but no position is known"
    )
    return missing(facts, policy, reason)


def _is_new_beside_others(facts: PartitionFacts) -> bool:
    """Whether nothing of this partition was copied yet, and what the copy holds is others'."""
    if facts.is_late:
        return not facts.has_own_tail
    return facts.shared and not facts.group_is_older


def _quarantined(facts: PartitionFacts, quarantine: Quarantine) -> Park:
    error = TopicQuarantined(
        f"{facts.source}: {quarantine.words}",
        hint=f"`kmirror release FILE S->T {facts.source.topic}` treats the topic that has its name "
        "now as kmirror.topic.recreated says",
    )
    return Park(partition=facts.source, error=error, kind=QUARANTINED)


def _lost_its_target(facts: PartitionFacts) -> bool:
    """Whether the records that were copied went away with their topic."""
    metadata = facts.ours.metadata if facts.ours is not None else None
    if facts.target_recreated or (metadata is not None and metadata.target_recreated):
        return True
    if facts.ours is not None:
        old_id = metadata.target_id if metadata is not None else None
        if old_id and facts.target_id and old_id != facts.target_id:
            return True
        # A log that was written to never ends at 0 again.
        return metadata is not None and facts.target_end == 0 < metadata.target_offset
    second_copy = facts.mm2 is not None and facts.mm2.written_by_us
    return second_copy and facts.group_is_older and facts.target_end == 0


def _own(facts: PartitionFacts, policy: PositionPolicy, ours: OwnPosition) -> Decision:
    """Our position is there: is it the newest, and does it still belong to these two logs?"""
    mm2, metadata = facts.mm2, ours.metadata
    if mm2 is not None and not mm2.written_by_us and mm2.offset > ours.offset:
        why = f"MirrorMaker 2 ran after kmirror and went on to offset {mm2.offset}"
        return _checked(facts, policy, mm2.offset, Seed, why)
    old_id = metadata.topic_id if metadata is not None else None
    if old_id and facts.topic_id and old_id != facts.topic_id:
        return recreated(facts, policy, ours, old_id)
    if (cut := lost_from(facts)) is not None:
        return target_lost(facts, policy, ours, cut)
    return _checked(facts, policy, ours.offset, Keep, f"goes on at offset {ours.offset}")


def lost_from(facts: PartitionFacts) -> int | None:
    """Return the target offset from which on records of ours are gone; `None` when none are."""
    metadata = facts.ours.metadata if facts.ours is not None else None
    if metadata is None:
        return None
    # Data and position are committed together, so a shorter target has lost records since.
    ends = [facts.target_end, facts.target_kept, metadata.lost_from]
    kept = min(max(end, 0) for end in ends if end is not None)
    return kept if kept < metadata.target_offset else None


def _second_copy(facts: PartitionFacts, policy: PositionPolicy, copy: MM2Position) -> Decision:
    """Decide from the second copy: records may have been copied since it was written."""
    if facts.target_end == 0:
        why = f"position {copy.offset} from its second copy: the group's own has expired"
        return _checked(facts, policy, copy.offset, Seed, why)
    reason = (
        f"the group's own position is gone, and its second copy, {copy.offset}, may be older than "
        f"what {facts.target} holds"
    )
    if policy.position_missing == "fail" and facts.has_own_tail:
        # The copy proves that both logs belong together: their tails say where it goes on.
        return Adopt(partition=facts.source, facts=facts, why=f"{reason}; compares the tails")
    return missing(facts, policy, reason)


def _first(facts: PartitionFacts, policy: PositionPolicy) -> Seed:
    if facts.generation > 1:
        why = f"generation {facts.generation} of the copy begins, from the first record"
        return Seed(partition=facts.source, offset=facts.log_start, why=why, void_from=0)
    if facts.is_late:
        why = "new partition, copied from its first record"
        return Seed(partition=facts.source, offset=facts.log_start, why=why)
    offset = facts.log_start if policy.auto_offset_reset == "earliest" else facts.log_end
    why = f"never copied, starts at {policy.auto_offset_reset} (auto.offset.reset)"
    return Seed(partition=facts.source, offset=offset, why=why)


def _checked(
    facts: PartitionFacts,
    policy: PositionPolicy,
    offset: int,
    decision: type[Keep] | type[Seed],
    why: str,
) -> Decision:
    """Accept *offset* when the source still holds what comes next."""
    source_end = max(facts.log_end, facts.high_watermark)
    # What is known of our own position says nothing of one that went beyond it.
    is_checked = decision is Keep and facts.source_kept is not None
    kept = min(offset, facts.source_kept or 0) if is_checked else offset
    if offset < facts.log_start:
        return overtaken(facts, policy, offset)
    if min(kept, source_end) < offset:
        return truncated(facts, policy, offset, kept=min(kept, source_end))
    return decision(partition=facts.source, offset=offset, why=why)

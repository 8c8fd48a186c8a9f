"""
From where each partition is copied on: the decision that must never be guessed.

Three sources may know: our own group on the target (written in the same transaction as the data),
MirrorMaker 2's offsets topic, and the two logs themselves. Where they contradict each other the
partition is parked with an error that names the choices; its neighbours go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kmirror.errors import (
    DataGap,
    LogTruncated,
    PartitionError,
    PositionMissing,
    TargetLostRecords,
    TopicRecreated,
)
from kmirror.model import TopicPartition
from kmirror.plans.parking import CHOICES, ParkCode
from kmirror.plans.position_facts import (
    MM2Position,
    OwnPosition,
    PartitionFacts,
    PositionPolicy,
)

TARGET_RECREATED = "target_recreated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Continue at kmirror's own position."""

    partition: TopicPartition
    offset: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """
    Write this position first, then continue from it.

    Args:
        skipped: Source records that are given up by this, to be counted; 0 when none.
        void_from: What the offset map says of source offsets from here on is no longer true; `None`
            when all of it is.
    """

    partition: TopicPartition
    offset: int
    why: str
    skipped: int = 0
    void_from: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Park:
    """
    Do not copy the partition until the operator has decided.

    Args:
        partition: On the source.
        error: Why, and the choices.
        kind: The same for programs; the error's name unless given.
    """

    partition: TopicPartition
    error: PartitionError
    kind: str = ""

    @property
    def why(self) -> str:
        """The error in words."""
        return str(self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    """
    Find the position by comparing the tail of the copy with the source, then seed it.

    Args:
        partition: On the source.
        facts: What is known about it.
        why: Why that has to be.
        offset_max: A place behind this source offset says that later records stand where others
            were lost; `None` when none were.
    """

    partition: TopicPartition
    facts: PartitionFacts
    why: str
    offset_max: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionPlan:
    """One decision for every selected partition."""

    keep: tuple[Keep, ...] = ()
    seed: tuple[Seed, ...] = ()
    park: tuple[Park, ...] = ()
    needs_adoption: tuple[Adopt, ...] = ()


Decision = Keep | Seed | Park | Adopt


def plan_positions(partitions: Iterable[PartitionFacts], policy: PositionPolicy) -> PositionPlan:
    """Decide for every partition; the order of *partitions* is kept."""
    decisions = [decide(facts, policy) for facts in partitions]
    return PositionPlan(
        keep=tuple(decision for decision in decisions if isinstance(decision, Keep)),
        seed=tuple(decision for decision in decisions if isinstance(decision, Seed)),
        park=tuple(decision for decision in decisions if isinstance(decision, Park)),
        needs_adoption=tuple(decision for decision in decisions if isinstance(decision, Adopt)),
    )


def decide(facts: PartitionFacts, policy: PositionPolicy) -> Decision:
    """
    Decide for one partition.

    Args:
        facts: What is known about it.
        policy: The operator's choices.
    """
    assert 0 <= facts.log_start <= facts.log_end, "the source's offsets are inconsistent"
    ours, mm2 = facts.ours, facts.mm2
    if _lost_its_target(facts):
        return _target_recreated(facts, policy)
    if ours is not None:
        return _own(facts, policy, ours)
    if mm2 is not None and not mm2.written_by_us:
        why = f"takes over from MirrorMaker 2 at offset {mm2.offset}"
        return _checked(facts, policy, mm2.offset, Seed, why)
    if mm2 is not None:
        return _second_copy(facts, policy, mm2)
    if facts.target_end == 0 or (facts.merged and facts.is_late):
        return _first(facts, policy)
    reason = (
        f"the target holds {facts.target_end} records of {facts.target}, but no position is known"
    )
    return _missing(facts, policy, reason)


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


def _target_recreated(facts: PartitionFacts, policy: PositionPolicy) -> Decision:
    park = park_recreated(facts.source, facts.target)
    # Comparing tails is no choice here: the new topic has none that was copied.
    if policy.position_missing in {"fail", "adopt"}:
        return park
    return _missing(facts, policy, park.error.message.removeprefix(f"{facts.source}: "))


def park_recreated(source: TopicPartition, target: TopicPartition) -> Park:
    """Park a partition whose target topic is not the one that was copied to."""
    error = PositionMissing(
        f"{source}: target topic {target.topic} was deleted or made anew since it was copied to, "
        "and what it held is gone",
        hint="set kmirror.position.missing = earliest (copies everything again) or latest (skips "
        "what is there); the next try, or start, does it",
    )
    return Park(partition=source, error=error, kind=TARGET_RECREATED)


def _own(facts: PartitionFacts, policy: PositionPolicy, ours: OwnPosition) -> Decision:
    """Our position is there: is it the newest, and does it still belong to these two logs?"""
    mm2, metadata = facts.mm2, ours.metadata
    if mm2 is not None and not mm2.written_by_us and mm2.offset > ours.offset:
        why = f"MirrorMaker 2 ran after kmirror and went on to offset {mm2.offset}"
        return _checked(facts, policy, mm2.offset, Seed, why)
    old_id = metadata.topic_id if metadata is not None else None
    if old_id and facts.topic_id and old_id != facts.topic_id:
        return _recreated(facts, policy, old_id)
    if (cut := lost_from(facts)) is not None:
        return _target_lost(facts, policy, ours, cut)
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


def _target_lost(
    facts: PartitionFacts, policy: PositionPolicy, ours: OwnPosition, cut: int
) -> Decision:
    assert ours.metadata is not None, "it tells how far the target was written"
    last = ours.metadata.target_offset - 1
    reason = f"target {facts.target} lost its offsets {cut} to {last}, which it had acknowledged"
    if facts.missing_from is not None:
        reason += f": the records from source offset {facts.missing_from} to {ours.offset - 1}"
    if policy.position_missing == "fail":
        error = TargetLostRecords(
            f"{facts.source}: {reason}", hint=CHOICES[ParkCode.TARGET_LOST_RECORDS]
        )
        return Park(partition=facts.source, error=error)
    decision = _missing(facts, policy, reason)
    if isinstance(decision, Adopt):
        return replace(decision, offset_max=ours.offset)
    if isinstance(decision, Seed):
        return replace(decision, void_from=facts.missing_from or 0)
    return decision


def _second_copy(facts: PartitionFacts, policy: PositionPolicy, copy: MM2Position) -> Decision:
    """Decide from the second copy: it is exact only if writing it was the last action."""
    if copy.final or facts.target_end == 0:
        why = f"position {copy.offset} from its second copy: the group's own has expired"
        return _checked(facts, policy, copy.offset, Seed, why)
    reason = (
        f"the group's own position is gone, and its second copy, {copy.offset}, may be older than "
        f"what {facts.target} holds"
    )
    if policy.position_missing == "fail" and not facts.merged:
        # The copy proves that both logs belong together: their tails say where it goes on.
        return Adopt(partition=facts.source, facts=facts, why=f"{reason}; compares the tails")
    return _missing(facts, policy, reason)


def _first(facts: PartitionFacts, policy: PositionPolicy) -> Seed:
    if facts.is_late:
        why = "new partition, copied from its first record"
        return Seed(partition=facts.source, offset=facts.log_start, why=why)
    offset = facts.log_start if policy.auto_offset_reset == "earliest" else facts.log_end
    why = f"never copied, starts at {policy.auto_offset_reset} (auto.offset.reset)"
    return Seed(partition=facts.source, offset=offset, why=why)


def _missing(facts: PartitionFacts, policy: PositionPolicy, reason: str) -> Decision:
    choice = policy.position_missing
    if choice == "adopt" and facts.merged:
        choice = "fail"  # a tail of many cannot be compared with one
    if choice == "adopt":
        return Adopt(partition=facts.source, facts=facts, why=f"{reason}; compares the tails")
    if choice == "fail":
        error = PositionMissing(
            f"{facts.source}: {reason}", hint=CHOICES[ParkCode.POSITION_MISSING]
        )
        return Park(partition=facts.source, error=error)
    offset = facts.log_start if choice == "earliest" else facts.log_end
    why = f"{reason}; starts at {choice} (kmirror.position.missing)"
    return Seed(partition=facts.source, offset=offset, why=why)


def _recreated(facts: PartitionFacts, policy: PositionPolicy, old_id: str) -> Decision:
    reason = f"topic {facts.source.topic} was created anew: id {old_id} became {facts.topic_id}"
    if policy.topic_recreated == "continue":
        why = f"{reason}; its records are appended from offset {facts.log_start}"
        return Seed(partition=facts.source, offset=facts.log_start, why=why)
    error = TopicRecreated(f"{facts.source}: {reason}", hint=CHOICES[ParkCode.TOPIC_RECREATED])
    return Park(partition=facts.source, error=error)


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
        return _gap(facts, policy, offset)
    if min(kept, source_end) < offset:
        return _truncated(facts, policy, offset, kept=min(kept, source_end))
    return decision(partition=facts.source, offset=offset, why=why)


def _gap(facts: PartitionFacts, policy: PositionPolicy, offset: int) -> Decision:
    skipped = facts.log_start - offset
    reason = (
        f"data gap: offsets {offset} to {facts.log_start - 1} are no longer in the source "
        f"({skipped} at most), which now starts at {facts.log_start}"
    )
    if policy.data_gap == "continue":
        return _go_on(facts, facts.log_start, reason, skipped=skipped)
    hint = f"set kmirror.data.gap = continue to go on at offset {facts.log_start}"
    return Park(partition=facts.source, error=DataGap(f"{facts.source}: {reason}", hint=hint))


def _truncated(
    facts: PartitionFacts, policy: PositionPolicy, offset: int, *, kept: int
) -> Decision:
    """Decide after a truncation: what the source has written there since is not copied."""
    resume = max(kept, facts.log_start)
    gone = "none of what was copied is" if kept < 0 else f"offsets {kept} to {offset - 1} are not"
    reason = f"log truncated: copied up to offset {offset}, but {gone} in the source any more"
    end = max(facts.log_end, facts.high_watermark)
    if end > resume:
        reason += f"; it holds others from {resume} to {end - 1}"
    if policy.data_gap == "continue":
        return replace(_go_on(facts, resume, reason), void_from=resume)
    hint = (
        f"set kmirror.data.gap = continue to go on at offset {resume}; the copy keeps what the "
        "source has lost"
    )
    return Park(partition=facts.source, error=LogTruncated(f"{facts.source}: {reason}", hint=hint))


def _go_on(facts: PartitionFacts, offset: int, reason: str, *, skipped: int = 0) -> Seed:
    why = f"{reason}; goes on at offset {offset} (kmirror.data.gap)"
    return Seed(partition=facts.source, offset=offset, why=why, skipped=skipped)

"""
From where each partition is copied on: the decision that must never be guessed.

Three sources may know: our own group on the target (written in the same transaction as the data),
MirrorMaker 2's offsets topic, and the two logs themselves. Where they contradict each other the
partition is parked with an error that names the choices; its neighbours go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kmirror.errors import DataGap, PartitionError, PositionMissing, TopicRecreated
from kmirror.model import TopicPartition
from kmirror.wire.position import PositionMetadata, position_place

TARGET_RECREATED = "target_recreated"


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionPolicy:
    """
    The operator's choices for cases that have no single right answer.

    Args:
        auto_offset_reset: Where a partition starts that was never copied.
        position_missing: What to do when the target holds records but no position is known.
        topic_recreated: What to do when the source topic has a new id.
        data_gap: What to do when the source no longer holds the next records.
    """

    auto_offset_reset: Literal["earliest", "latest"] = "earliest"
    position_missing: Literal["fail", "earliest", "latest", "adopt"] = "fail"
    topic_recreated: Literal["fail", "continue"] = "fail"
    data_gap: Literal["fail", "continue"] = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPosition:
    """
    What our group on the target says.

    Args:
        offset: The next source offset to copy.
        metadata: `None` when the offset was set by hand.
    """

    offset: int
    metadata: PositionMetadata | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MM2Position:
    """
    What MirrorMaker 2's offsets topic says.

    Args:
        offset: The next source offset to copy.
        written_by_us: The record is the second copy of our own position.
        final: That copy was written when nothing was copied any more.
    """

    offset: int
    written_by_us: bool = False
    final: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionFacts:
    """
    Everything known about one selected partition.

    Args:
        source: The partition on the source.
        target: Its copy.
        log_start: The first offset that the source still holds.
        log_end: Where a reader of the source ends now; with read_committed, the last stable offset.
        target_end: The next offset of the copy; 0 when nothing was ever written to it. It must
            have been read: an answer that left the partition out says nothing.
        topic_id: The source topic's id; `None` when the source does not tell.
        target_id: The target topic's.
        high_watermark: The next offset that the source will write, where that may lie behind
            *log_end*: MirrorMaker 2 also reads what is not committed.
        ours: Our own position.
        mm2: MirrorMaker 2's.
        target_recreated: The target topic is another one than the one that was copied to.
        group_is_older: The group was there before this start, so a position that it lacks went away
            alone: Kafka removes the positions of a topic with the topic.
        is_late: The partition appeared after the flow's first start: it is copied from its
            beginning whatever auto.offset.reset says, or the records written before it was
            noticed would be lost.
        merged: Others are copied to the same partition: what it holds says nothing of this one.
    """

    source: TopicPartition
    target: TopicPartition
    log_start: int
    log_end: int
    target_end: int
    topic_id: str | None = None
    target_id: str | None = None
    high_watermark: int = 0
    ours: OwnPosition | None = None
    mm2: MM2Position | None = None
    target_recreated: bool = False
    group_is_older: bool = False
    is_late: bool = False
    merged: bool = False

    @property
    def position(self) -> TopicPartition:
        """Under which partition our group has the position."""
        return position_place(self.source, self.target, merged=self.merged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Go on where our own position says."""

    partition: TopicPartition
    offset: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """
    Write this position first, then go on from it.

    Args:
        skipped: Source records that are given up by this, to be counted; 0 when none.
    """

    partition: TopicPartition
    offset: int
    why: str
    skipped: int = 0


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
    """Find the position by comparing the tail of the copy with the source, then seed it."""

    partition: TopicPartition
    facts: PartitionFacts
    why: str


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
    # Data and position are committed together, so a shorter target has lost records since.
    if metadata is not None and facts.target_end < metadata.target_offset:
        reason = (
            f"{facts.target} ends at offset {facts.target_end}, but was written up to "
            f"{metadata.target_offset}: the target lost records or was created anew"
        )
        return _missing(facts, policy, reason)
    return _checked(facts, policy, ours.offset, Keep, f"goes on at offset {ours.offset}")


def _second_copy(facts: PartitionFacts, policy: PositionPolicy, copy: MM2Position) -> Decision:
    """The group's own position is lost; the copy is exact only when it was the last thing done."""
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
            f"{facts.source}: {reason}",
            hint="set kmirror.position.missing = earliest (copies everything again), latest "
            "(skips what is there) or adopt (finds the place by comparing both tails)",
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
    error = TopicRecreated(
        f"{facts.source}: {reason}",
        hint="set kmirror.topic.recreated = continue to append the new topic's records to the copy",
    )
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
    if facts.log_start <= offset <= source_end:
        return decision(partition=facts.source, offset=offset, why=why)
    if offset < facts.log_start:
        skipped = facts.log_start - offset
        reason = (
            f"data gap: offsets {offset} to {facts.log_start - 1} are no longer in the source "
            f"({skipped} at most), which now starts at {facts.log_start}"
        )
        resume = facts.log_start
    else:
        skipped = 0
        reason = (
            f"log truncated: the source ends at offset {source_end}, but was copied up to {offset}"
        )
        resume = source_end
    if policy.data_gap == "continue":
        why = f"{reason}; goes on at offset {resume} (kmirror.data.gap)"
        return Seed(partition=facts.source, offset=resume, why=why, skipped=skipped)
    hint = f"set kmirror.data.gap = continue to go on at offset {resume}"
    error = DataGap(f"{facts.source}: {reason}", hint=hint)
    return Park(partition=facts.source, error=error)

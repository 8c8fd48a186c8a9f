"""What is done about each kind of gap, as the file chooses for the topic; pure."""

from __future__ import annotations

from dataclasses import replace

from kmirror.errors import (
    DataGap,
    LogTruncated,
    PositionMissing,
    TargetLostRecords,
    TopicRecreated,
)
from kmirror.model import TopicPartition
from kmirror.plans.decisions import Adopt, Decision, Park, Renew, Seed
from kmirror.plans.gaps import Gap, GapKind
from kmirror.plans.parking import CHOICES, ParkCode
from kmirror.plans.position_facts import OwnPosition, PartitionFacts, PositionPolicy

TARGET_RECREATED = "target_recreated"


def overtaken(facts: PartitionFacts, policy: PositionPolicy, offset: int) -> Decision:
    """
    Decide where retention, or somebody who deletes records, was faster than the copy.

    Args:
        facts: What is known of the partition.
        policy: The choices for its topic.
        offset: The next source offset, which is gone.
    """
    gap = Gap(kind=GapKind.OVERTAKEN, reaction=policy.data_gap, start=offset, end=facts.log_start)
    reason = (
        f"data gap: offsets {offset} to {facts.log_start - 1} are no longer in the source "
        f"({gap.records} at most), which now starts at {facts.log_start}"
    )
    if gap.reaction in {"continue", "restart"}:
        # What is left of the source begins behind the gap: both words mean the same.
        return _go_on(facts, facts.log_start, reason, gap, skipped=facts.log_start - offset)
    if gap.reaction == "new-generation":
        return _renewed(facts, reason, gap)
    hint = f"set kmirror.data.gap = continue to go on at offset {facts.log_start}"
    error = DataGap(f"{facts.source}: {reason}", hint=hint)
    return Park(partition=facts.source, error=error, gap=gap)


def truncated(facts: PartitionFacts, policy: PositionPolicy, offset: int, *, kept: int) -> Decision:
    """
    Decide after a truncation: what the source has written there since is not copied.

    Args:
        facts: What is known of the partition.
        policy: The choices for its topic.
        offset: The next source offset.
        kept: Up to here the source's log is the one that was copied; -1 when none of it is.
    """
    resume = max(kept, facts.log_start)
    gone = "none of what was copied is" if kept < 0 else f"offsets {kept} to {offset - 1} are not"
    reason = f"log truncated: copied up to offset {offset}, but {gone} in the source any more"
    end = max(facts.log_end, facts.high_watermark)
    if end > resume:
        reason += f"; it holds others from {resume} to {end - 1}"
    gap = Gap(kind=GapKind.TRUNCATED, reaction=policy.log_truncated, start=max(kept, 0), end=offset)
    if gap.reaction == "continue":
        return replace(_go_on(facts, resume, reason, gap), void_from=resume)
    if gap.reaction == "restart":
        return replace(_go_on(facts, facts.log_start, reason, gap), void_from=0)
    if gap.reaction == "new-generation":
        return _renewed(facts, reason, gap)
    hint = (
        f"set kmirror.log.truncated = continue to go on at offset {resume}; the copy keeps what "
        "the source has lost"
    )
    error = LogTruncated(f"{facts.source}: {reason}", hint=hint)
    return Park(partition=facts.source, error=error, gap=gap)


def recreated(
    facts: PartitionFacts, policy: PositionPolicy, ours: OwnPosition, old_id: str
) -> Decision:
    """
    Decide where the source topic is another one now.

    Args:
        facts: What is known of the partition.
        policy: The choices for its topic.
        ours: The position, in the topic that is gone.
        old_id: The id of that topic.
    """
    reason = f"topic {facts.source.topic} was created anew: id {old_id} became {facts.topic_id}"
    # How much the old topic had behind the position nobody knows any more.
    gap = Gap(kind=GapKind.RECREATED, reaction=policy.topic_recreated, start=ours.offset)
    if gap.reaction in {"continue", "restart"}:
        why = f"{reason}; its records are appended from offset {facts.log_start}"
        return Seed(partition=facts.source, offset=facts.log_start, why=why, gap=gap)
    if gap.reaction == "new-generation":
        return _renewed(facts, reason, gap)
    error = TopicRecreated(f"{facts.source}: {reason}", hint=CHOICES[ParkCode.TOPIC_RECREATED])
    return Park(partition=facts.source, error=error, gap=gap)


def target_recreated(facts: PartitionFacts, policy: PositionPolicy) -> Decision:
    """Decide where the target topic is not the one that was copied to, or is empty."""
    park = park_recreated(facts.source, facts.target)
    metadata = facts.ours.metadata if facts.ours is not None else None
    gap = Gap(
        kind=GapKind.TARGET_LOST,
        reaction=policy.position_missing,
        log="target",
        start=0,
        end=None if metadata is None or metadata.target_recreated else metadata.target_offset,
    )
    # Comparing tails is no choice here: the new topic has none that was copied.
    if gap.reaction in {"fail", "adopt"}:
        return replace(park, gap=gap)
    reason = park.error.message.removeprefix(f"{facts.source}: ")
    decision = missing(facts, policy, reason, gap)
    return decision if isinstance(decision, Seed | Renew) else replace(park, gap=gap)


def park_recreated(source: TopicPartition, target: TopicPartition) -> Park:
    """Park a partition whose target topic is not the one that was copied to."""
    error = PositionMissing(
        f"{source}: target topic {target.topic} was deleted or made anew since it was copied to, "
        "and what it held is gone",
        hint="set kmirror.position.missing = earliest (copies everything again) or latest (skips "
        "what is there); the next try, or start, does it",
    )
    return Park(partition=source, error=error, kind=TARGET_RECREATED)


def target_lost(
    facts: PartitionFacts, policy: PositionPolicy, ours: OwnPosition, cut: int
) -> Decision:
    """
    Decide where the target lost records that it had acknowledged.

    Args:
        facts: What is known of the partition.
        policy: The choices for its topic.
        ours: The position.
        cut: The target offset from which on they are lost.
    """
    assert ours.metadata is not None, "it tells how far the target was written"
    end = ours.metadata.target_offset
    gap = Gap(
        kind=GapKind.TARGET_LOST,
        reaction=policy.position_missing,
        log="target",
        start=cut,
        end=end,
    )
    reason = f"target {facts.target} lost its offsets {cut} to {end - 1}, which it had acknowledged"
    if facts.missing_from is not None:
        reason += f": the records from source offset {facts.missing_from} to {ours.offset - 1}"
    if gap.reaction == "fail":
        error = TargetLostRecords(
            f"{facts.source}: {reason}", hint=CHOICES[ParkCode.TARGET_LOST_RECORDS]
        )
        return Park(partition=facts.source, error=error, gap=gap)
    decision = missing(facts, policy, reason, gap)
    if isinstance(decision, Adopt):
        return replace(decision, offset_max=ours.offset)
    if isinstance(decision, Seed):
        return replace(decision, void_from=facts.missing_from or 0)
    return decision


def missing(
    facts: PartitionFacts, policy: PositionPolicy, reason: str, gap: Gap | None = None
) -> Decision:
    """
    Decide where nobody knows how far the copy is, or where it has lost something.

    Args:
        facts: What is known of the partition.
        policy: The choices for its topic.
        reason: What has happened.
        gap: What is lost; without it, that no position is known is the gap.
    """
    gap = gap or Gap(
        kind=GapKind.POSITION_MISSING,
        reaction=policy.position_missing,
        start=facts.log_start,
        end=facts.log_end,
    )
    if gap.reaction == "new-generation":
        return _renewed(facts, reason, gap)
    choice = policy.position_missing
    if choice == "adopt" and not facts.has_own_tail:
        choice = "fail"  # a tail of many cannot be compared with one
    if choice == "adopt":
        why = f"{reason}; compares the tails"
        return Adopt(partition=facts.source, facts=facts, why=why, gap=gap)
    offset = {
        "earliest": facts.log_start,
        "restart": facts.log_start,
        "latest": facts.log_end,
        "continue": _where_it_was(facts),
    }.get(choice)
    if offset is None:
        error = PositionMissing(
            f"{facts.source}: {reason}", hint=CHOICES[ParkCode.POSITION_MISSING]
        )
        return Park(partition=facts.source, error=error, gap=gap)
    why = f"{reason}; starts at {choice} (kmirror.position.missing)"
    return Seed(partition=facts.source, offset=offset, why=why, gap=gap)


def _renewed(facts: PartitionFacts, reason: str, gap: Gap) -> Renew:
    why = f"{reason}; a new generation of the copy begins ({gap.kind.key})"
    return Renew(partition=facts.source, why=why, gap=gap)


def _where_it_was(facts: PartitionFacts) -> int | None:
    """Return the position if the source has it; `None` when it is lost, or out of range."""
    at = None if facts.ours is None else facts.ours.offset
    if at is None and facts.mm2 is not None and facts.target_end == 0:
        at = facts.mm2.offset  # it may be a minute old: an empty copy has nothing twice
    return at if at is not None and facts.log_start <= at <= facts.log_end else None


def _go_on(facts: PartitionFacts, offset: int, reason: str, gap: Gap, *, skipped: int = 0) -> Seed:
    why = f"{reason}; goes on at offset {offset} ({gap.kind.key})"
    return Seed(partition=facts.source, offset=offset, why=why, skipped=skipped, gap=gap)

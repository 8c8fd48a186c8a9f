"""What is known of a partition before it is decided where its copy goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kmirror.model import TopicPartition
from kmirror.plans.deletions import Quarantine
from kmirror.policy.gap_reactions import GapReaction, PositionReaction
from kmirror.wire.position import PositionMetadata, position_place


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionPolicy:
    """
    The operator's choices for one topic, in cases that have no single right answer.

    Args:
        auto_offset_reset: Where a partition starts that was never copied.
        position_missing: What to do when the target holds records but no position is known, or has
            lost what was committed.
        topic_recreated: What to do when the source topic has a new id.
        data_gap: What to do when the source no longer holds the next records.
        log_truncated: What to do when the source has lost what was copied.
    """

    auto_offset_reset: Literal["earliest", "latest"] = "earliest"
    position_missing: PositionReaction = "fail"
    topic_recreated: GapReaction = "fail"
    data_gap: GapReaction = "fail"
    log_truncated: GapReaction = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPosition:
    """
    A position in kmirror's group on the target.

    Args:
        offset: The next source offset to copy.
        metadata: `None` when the offset was set by hand.
    """

    offset: int
    metadata: PositionMetadata | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MM2Position:
    """
    A position in MirrorMaker 2's offsets topic.

    Args:
        offset: The next source offset to copy.
        written_by_us: The record is the second copy of our own position.
    """

    offset: int
    written_by_us: bool = False


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
        source_kept: Up to here the source's log still is the one that was copied; -1 when none of
            it is, `None` when that is not known.
        target_kept: The same of the target, in its offsets; `None` when nothing speaks against it.
        missing_from: The first source offset whose record the target has lost; `None` unless known.
        target_recreated: The target topic is another one than the one that was copied to.
        group_is_older: The group was there before this start, and something of the topic was
            copied: so a position that it lacks went away alone. Kafka removes the positions of a
            topic with the topic; their second copies stay.
        is_late: The partition appeared after the flow's first start: it is copied from its
            beginning whatever auto.offset.reset says, or the records written before it was
            noticed would be lost.
        generation: Of the copy: the first one is 1.
        merged: Others are copied to the same partition: what it holds says nothing of this one.
        shared: Others write to the copy, too, as flows the other way do: that it holds records
            says nothing of this one, nor do its last ones.
        quarantine: Why nothing may be copied; `None` when something may.
        made_way: The copy of an earlier topic of this name was deleted, as it had to be: what is
            known of that one says nothing of this one.
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
    source_kept: int | None = None
    target_kept: int | None = None
    missing_from: int | None = None
    target_recreated: bool = False
    group_is_older: bool = False
    is_late: bool = False
    generation: int = 1
    merged: bool = False
    shared: bool = False
    quarantine: Quarantine | None = None
    made_way: bool = False

    @property
    def has_own_tail(self) -> bool:
        """Whether the copy's last records are the source's, so that both can be compared."""
        return not (self.merged or self.shared)

    @property
    def position(self) -> TopicPartition:
        """Under which partition our group has the position."""
        return position_place(self.source, self.target, merged=self.merged)

"""What is known of a partition before it is decided where its copy goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kmirror.model import TopicPartition
from kmirror.wire.position import PositionMetadata, position_place


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
        source_kept: Up to here the source's log still is the one that was copied; -1 when none of
            it is, `None` when that is not known.
        target_kept: The same of the target, in its offsets; `None` when nothing speaks against it.
        missing_from: The first source offset whose record the target has lost; `None` unless known.
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
    source_kept: int | None = None
    target_kept: int | None = None
    missing_from: int | None = None
    target_recreated: bool = False
    group_is_older: bool = False
    is_late: bool = False
    merged: bool = False

    @property
    def position(self) -> TopicPartition:
        """Under which partition our group has the position."""
        return position_place(self.source, self.target, merged=self.merged)

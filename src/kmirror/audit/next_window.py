"""
Which windows of a partition an audit compares next; pure.

Windows follow each other without a hole, on the source and on the copy: where one ends, on both
sides, the next one begins. So a record that nobody copied, behind one that was, is in some window.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kmirror.model import TopicPartition
from kmirror.offsets.exact import Pair
from kmirror.wire.offset_runs import CHUNK_RECORDS_MAX

# A window may have to reach up to the next place that is known on both sides.
_STRETCH_MAX = 4

PlaceFrom = Callable[[TopicPartition, int], Pair | None]
"""Gives the first place at or behind a source offset that is known on both sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts:
    """
    What decides about a partition.

    Args:
        source, target: The partition and its copy.
        topic_id, copy_id: The ids of both topics.
        log_start, copy_log_start: What both logs begin with.
        position: Up to where it is copied: the source offset, and the same place on the target.
        next: Where the audit goes on; `None` before its first window.
        why_not: Why both sides need not be equal; empty when they have to be.
    """

    source: TopicPartition
    target: TopicPartition
    topic_id: str
    copy_id: str
    log_start: int
    copy_log_start: int
    position: Pair
    next: Pair | None
    why_not: str = ""

    @property
    def is_copied(self) -> bool:
        """Whether anything of it is copied."""
        return self.position.source > self.log_start

    @property
    def behind(self) -> int:
        """How many source offsets are copied, and not audited."""
        begin = self.log_start if self.next is None else self.next.source
        return max(0, self.position.source - begin)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedWindow:
    """
    A window to compare.

    Args:
        facts: Of its partition.
        start, end: Both places: the first offsets, and those behind the last.
        undecidable: Why it is of no use to read it; empty when it is.
    """

    facts: AuditFacts
    start: Pair
    end: Pair
    undecidable: str = ""


def next_window(
    facts: AuditFacts, place_from: PlaceFrom, *, offsets_max: int
) -> PlannedWindow | None:
    """
    Return the next window of a partition; `None` when all that is copied is audited.

    Args:
        facts: What is known of it.
        place_from: Looks into the exact offset map.
        offsets_max: How many source offsets it has, unless the map knows no place there.
    """
    position = facts.position
    start = facts.next or _first(facts, place_from)
    if start.source >= position.source:
        return None

    def place(offset: int) -> Pair:
        """Give a known place at or behind an offset; the position is one."""
        found = place_from(facts.source, offset) if offset < position.source else None
        return position if found is None or found.source > position.source else found

    why_not, end = facts.why_not, place(start.source + offsets_max)
    if start.source < facts.log_start:
        why_not, end = "the source deleted it before it was audited", place(facts.log_start)
    elif why_not:
        end = position
    elif start.target < 0:
        why_not, end = "copied before the exact offset map was kept", place(start.source)
    elif start.target < facts.copy_log_start:
        why_not = "the target deleted it before it was audited"
    elif end.source - start.source > _STRETCH_MAX * max(offsets_max, CHUNK_RECORDS_MAX):
        why_not = "the exact offset map has a hole here"
    return PlannedWindow(facts=facts, start=start, end=end, undecidable=why_not)


def _first(facts: AuditFacts, place_from: PlaceFrom) -> Pair:
    """Return where the first window begins; its target offset is -1 where nobody knows that."""
    if facts.position.source <= facts.log_start:
        return facts.position
    found = place_from(facts.source, facts.log_start)
    if found is None or found.source > facts.log_start:
        return Pair(source=facts.log_start, target=-1)
    # In a new copy, nothing may lie before what was copied.
    is_whole = facts.log_start == 0 and facts.copy_log_start == 0
    return Pair(source=0, target=0) if is_whole else found

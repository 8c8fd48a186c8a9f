"""
Gaps between a source and its copy: their kinds, and what may be done about each.

What compaction, aborted records and transaction markers leave is none of these: such holes lie
between two offsets that both logs agree on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from kmirror.policy.gap_reactions import PositionReaction


def metric_of(kind: str) -> str:
    """Name what gaps of a kind are counted under, in records."""
    return f"kmirror_gap_{kind}_records"


class GapKind(Enum):
    """What makes the gap, for programs."""

    OVERTAKEN = "overtaken"
    TRUNCATED = "truncated"
    RECREATED = "recreated"
    TARGET_LOST = "target_lost"
    POSITION_MISSING = "position_missing"

    @property
    def metric(self) -> str:
        """The name under which gaps of this kind are counted, in records."""
        return metric_of(self.value)

    @property
    def key(self) -> str:
        """The key of the file that decides."""
        return _KEYS[self]


_KEYS = {
    GapKind.OVERTAKEN: "kmirror.data.gap",
    GapKind.TRUNCATED: "kmirror.log.truncated",
    GapKind.RECREATED: "kmirror.topic.recreated",
    GapKind.TARGET_LOST: "kmirror.position.missing",
    GapKind.POSITION_MISSING: "kmirror.position.missing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """
    A gap in one partition.

    Args:
        kind: What made it.
        log: Whose offsets the others are.
        start: The first offset of it; `None` when it is not known.
        end: The offset behind it; `None` when it is not known.
        reaction: What the file says to do about it.
    """

    kind: GapKind
    reaction: PositionReaction
    log: Literal["source", "target"] = "source"
    start: int | None = None
    end: int | None = None

    @property
    def records(self) -> int | None:
        """How many offsets it has, so at most as many records; `None` when that is not known."""
        if self.start is None or self.end is None:
            return None
        return max(0, self.end - self.start)

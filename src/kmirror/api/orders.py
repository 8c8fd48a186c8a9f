"""What the API takes as an order, and what it says of it."""

from __future__ import annotations

from dataclasses import dataclass, field

REASON = {"minLength": 1, "maxLength": 500}
"""How long the reason of an order is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRequest:
    """
    An order to pause, park or resume.

    Args:
        reason: Why, for whoever asks later.
        topic: Of the source; null for the whole flow.
        partition: One partition of it; null for all.
        for_s: Undo it by itself after so many seconds; null for never. Not for `resume`.
    """

    reason: str = field(metadata=REASON)
    topic: str | None = None
    partition: int | None = field(default=None, metadata={"minimum": 0})
    for_s: int | None = field(default=None, metadata={"minimum": 1, "maximum": 31_536_000})


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekRequest:
    """
    An order to go on elsewhere.

    Args:
        reason: Why, for whoever asks later.
        flow: The flow's name again: it is lost or copied twice what lies between.
        topic: Of the source.
        partition: One partition of it; null for all.
        to: `earliest`, `latest`, an offset, or a time; null is one record further, for a skip.
        allow_repeats: Whether it may go back: records are on the target twice then.
        dry_run: Only say what would be done.
    """

    reason: str = field(metadata=REASON)
    flow: str
    topic: str
    partition: int | None = field(default=None, metadata={"minimum": 0})
    to: str | None = None
    allow_repeats: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadFile:
    """
    An order to read the properties file again.

    Args:
        reason: Why, for whoever asks later.
        dry_run: Only say what would be changed.
    """

    reason: str = field(metadata=REASON)
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyPlan:
    """
    An order to do what the plan of a flow says.

    Args:
        reason: Why, for whoever asks later.
        flow: The flow's name again: copies of deleted topics may be deleted.
        dry_run: Only say what would be done.
    """

    reason: str = field(metadata=REASON)
    flow: str
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """
    What became of an order.

    Args:
        order: It, for people.
        steps: What it does, a line for each partition, setting or topic.
        is_written: Whether it was ordered; not so for a dry run.
        is_in_effect: Whether a driver was seen to obey it, or the target to have it.
        took_s: How long that took, or was waited for, seconds.
        words: All of it in a sentence.
    """

    order: str
    steps: tuple[str, ...]
    is_written: bool
    is_in_effect: bool
    took_s: float
    words: str

"""What of copies goes because the source no longer has it; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kmirror.model import TopicPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStartFacts:
    """
    What is known of a partition and its copy, of which the flow's position is sure.

    Args:
        source: The partition.
        target: Its copy.
        source_start: The first offset that the source still holds.
        target_start: The same of the target.
        wanted: Everything before this source offset was copied, and is gone from the source.
    """

    source: TopicPartition
    target: TopicPartition
    source_start: int
    target_start: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStart:
    """
    A copy that is to begin where its partition begins.

    Args:
        source: The partition.
        target: Its copy.
        source_start: What the source begins with.
        before: Target offsets before this one go.
        target_start: What the target begins with now.
    """

    source: TopicPartition
    target: TopicPartition
    source_start: int
    before: int
    target_start: int

    def __str__(self) -> str:
        return (
            f"{self.target}: begins at {self.before} instead of {self.target_start} "
            f"({self.source} begins at {self.source_start})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownStart:
    """A copy that keeps records which the source no longer has, and why."""

    source: TopicPartition
    target: TopicPartition
    why: str

    def __str__(self) -> str:
        return f"{self.target}: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStartPlan:
    """
    What would be done.

    Args:
        trim: Copies that lose their beginnings.
        unknown: Copies that keep them.
    """

    trim: tuple[LogStart, ...] = ()
    unknown: tuple[UnknownStart, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything would change."""
        return bool(self.trim)


def plan_log_starts(
    facts: Iterable[LogStartFacts],
    to_target: Callable[[TopicPartition, int], int | None],
    why_unknown: Callable[[TopicPartition, int], str],
) -> LogStartPlan:
    """
    Decide for each partition, never beyond what is known of its offsets.

    Args:
        facts: What is known.
        to_target: Where on the target one goes on who has everything before a source offset;
            `None` when that is not known. Never beyond it.
        why_unknown: Why it is not.
    """
    trim, unknown = list[LogStart](), list[UnknownStart]()
    for each in facts:
        before = to_target(each.source, each.wanted)
        if before is None:
            why = why_unknown(each.source, each.wanted)
            unknown.append(UnknownStart(source=each.source, target=each.target, why=why))
        elif before > each.target_start:
            trim.append(
                LogStart(
                    source=each.source,
                    target=each.target,
                    source_start=each.source_start,
                    before=before,
                    target_start=each.target_start,
                )
            )
    return LogStartPlan(trim=tuple(trim), unknown=tuple(unknown))

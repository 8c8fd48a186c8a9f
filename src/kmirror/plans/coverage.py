"""What of a flow's selection is not copied, and why, in words for the operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kmirror.model import TopicPartition
from kmirror.plans.snapshot import TopicState
from kmirror.plans.text import first_few
from kmirror.plans.topics import TopicProblem
from kmirror.policy.selection import TopicSelection
from kmirror.policy.unmatched import Unmatched, unmatched

_REFUSED_MAX = 3

NOT_PLANNED = "not in a plan yet"
SILENT = "no broker tells where it ends: its leader on the source does not answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """
    What of a flow's selection is copied, and what is not.

    Args:
        selected: How many topics of the source are selected.
        problems: Selected topics that are not copied, or not all of whose partitions are.
        waiting: Their partitions on the source.
        silent: Those of them that no leader on the source answers for.
        unmatched: Items of `topics` that match no topic.
        refused: Where nothing is selected: topics that `topics` names, and why they are not copied.
    """

    selected: int
    problems: tuple[TopicProblem, ...] = ()
    waiting: tuple[TopicPartition, ...] = ()
    silent: tuple[TopicPartition, ...] = ()
    unmatched: tuple[Unmatched, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether everything that was asked for is there and can be copied."""
        missing = any(each.is_named for each in self.unmatched)
        return self.selected > 0 and not self.problems and not missing

    def without(self, partitions: Sequence[TopicPartition], reason: str) -> Coverage:
        """
        Return this with partitions that cannot be copied either.

        Args:
            partitions: On the source.
            reason: Why.
        """
        by_topic: dict[str, list[int]] = {}
        for topic, number in partitions:
            by_topic.setdefault(topic, []).append(number)
        more = [
            TopicProblem(source_topic=topic, reason=f"partition {first_few(numbers)}: {reason}")
            for topic, numbers in by_topic.items()
        ]
        problems, waiting = (*self.problems, *more), (*self.waiting, *partitions)
        return replace(self, problems=problems, waiting=waiting)

    def with_silent(self, partitions: Sequence[TopicPartition]) -> Coverage:
        """Return this with partitions of the source whose leaders do not answer."""
        return replace(self.without(partitions, SILENT), silent=tuple(partitions))

    @property
    def words(self) -> tuple[str, ...]:
        """All of it, one sentence for each thing; empty when there is nothing to say."""
        parts = [f"not mirrored: {problem}" for problem in self.problems]
        parts += [f"topics: nothing matches {each}" for each in self.unmatched]
        if not self.selected:
            parts.append(f"no topic is selected: {self._why_none()}")
        return tuple(parts)

    def _why_none(self) -> str:
        if self.refused:
            return first_few(self.refused)
        if self.unmatched:
            return "topics names none that is there"
        return "the source has none, or shows us none"


def cover(
    selection: TopicSelection,
    items: Sequence[str],
    source: Mapping[str, TopicState],
    target: Mapping[str, TopicState],
    causes: Mapping[str, TopicProblem],
) -> Coverage:
    """
    Compare what is selected with what can be copied.

    Args:
        selection: Which topics the flow copies.
        items: Its `topics`.
        source: The source's topics, by name.
        target: The target's, as far as they can be copied to.
        causes: Why copies could not be made or grown, by the copy's name.
    """
    selected = [name for name in sorted(source) if selection.selects(name)]
    problems, waiting = list[TopicProblem](), list[TopicPartition]()
    for name in selected:
        copy = selection.remote_topic(name)
        there = target[copy].partitions if copy in target else 0
        wanted = source[name].partitions
        if there < wanted:
            waiting += [TopicPartition(name, number) for number in range(there, wanted)]
            cause = causes.get(copy)
            reason = cause.reason if cause is not None else f"{copy} is not there"
            if there:
                reason = f"only {there} of {wanted} partitions: {reason}"
            hint = cause.hint if cause is not None else ""
            problems.append(TopicProblem(source_topic=name, reason=reason, hint=hint))
    named = [name for name in sorted(source) if selection.filter.includes(name)]
    return Coverage(
        selected=len(selected),
        problems=tuple(problems),
        waiting=tuple(waiting),
        unmatched=unmatched(items, source.keys()),
        refused=tuple(f"{name}: {selection.refusal(name)}" for name in named[:_REFUSED_MAX])
        if not selected
        else (),
    )

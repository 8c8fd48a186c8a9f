"""Which rows of a long table are asked for, and in which order; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kmirror.api.flows import PartitionView, TopicView
from kmirror.console.figures import STATES
from kmirror.errors import BadRequest

Row = TypeVar("Row")
Values = Mapping[str, Callable[[Row], Any]]
"""What rows can be sorted by: a value of a row, `None` where it is not known."""

PARTITION_SORTS: Values[PartitionView] = {
    "topic": lambda each: (each.topic, each.partition),
    "state": lambda each: STATES.index(each.state) if each.state in STATES else None,
    "lag": lambda each: each.lag_records,
    "behind": lambda each: each.lag_seconds,
    "position": lambda each: each.position,
    "source_begin": lambda each: each.source_begin,
    "source_end": lambda each: each.source_end,
    "target_end": lambda each: each.target_end,
    "rate": lambda each: each.records_per_s,
    "slot": lambda each: each.slot,
    "leader": lambda each: each.leader,
}
OF_LOGS = frozenset({"source_begin", "leader"})
"""Those that only the source knows."""
TOPIC_SORTS: Values[TopicView] = {
    "topic": lambda each: each.topic,
    "partitions": lambda each: each.partitions,
    "lag": lambda each: each.lag.records,
    "behind": lambda each: each.lag.seconds,
    "rate": lambda each: each.records_per_s,
    "copied": lambda each: each.records,
    "whole": lambda each: each.whole_share,
    "mirrored": lambda each: each.mirrored_share,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChoice:
    """
    Which partitions, or topics, of a flow are asked for.

    Args:
        topic: Only those of one topic.
        state: Only those in a state.
        text: Only those whose topic or reason has it.
        sort: By what they are sorted, a key of the table above, with `-` before it the largest
            first; empty for the worst first.
        offset, limit: Which of them.
    """

    topic: str | None = None
    state: str | None = None
    text: str | None = None
    sort: str = ""
    offset: int = 0
    limit: int = 1000

    def page(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Return those of them that are asked for by number."""
        return tuple(rows[self.offset : self.offset + self.limit])


def chosen_partitions(rows: Sequence[PartitionView], choice: RowChoice) -> Sequence[PartitionView]:
    """
    Return the partitions that are asked for, of any number.

    Args:
        rows: All, the worst first.
        choice: Which of them.

    Raises:
        BadRequest: They cannot be sorted so.
    """
    wanted = (choice.text or "").casefold()
    found = [
        each
        for each in rows
        if choice.topic in {None, each.topic}
        and choice.state in {None, each.state}
        and (not wanted or wanted in f"{each.topic}-{each.partition} {each.reason}".casefold())
    ]
    return _ordered(found, choice.sort, PARTITION_SORTS)


def chosen_topics(rows: Sequence[TopicView], choice: RowChoice) -> Sequence[TopicView]:
    """
    Return the topics that are asked for, of any number.

    Args:
        rows: All, the worst first.
        choice: Which of them.

    Raises:
        BadRequest: They cannot be sorted so.
    """
    wanted = (choice.text or "").casefold()
    found = [each for each in rows if wanted in each.topic.casefold()]
    return _ordered(found, choice.sort, TOPIC_SORTS)


def _ordered(rows: list[Row], sort: str, values: Values[Row]) -> Sequence[Row]:
    """Sort rows; a value that is not known is neither large nor small: such rows are last."""
    if not sort:
        return rows
    value = values.get(sort.removeprefix("-"))
    if value is None:
        raise BadRequest(f"sort: expected one of {', '.join(values)}, or - before it")
    known = [each for each in rows if value(each) is not None]
    unknown = [each for each in rows if value(each) is None]
    return [*sorted(known, key=value, reverse=sort.startswith("-")), *unknown]

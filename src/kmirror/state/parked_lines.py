"""What the log says of parked partitions: a line for each topic and cause, again on a change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kmirror.model import TopicPartition
from kmirror.plans.text import first_few
from kmirror.state.status import ParkedPartition

_PLACES_MAX = 10
_AT_OFFSET = re.compile(r"(offset \d+): ")


class ParkedLines:
    """Remembers what was said; each plan tries parked partitions again, and mostly in vain."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, str], dict[int, str]] = {}

    def news(self, parked: Iterable[ParkedPartition]) -> Iterator[str]:
        """
        Yield the lines that have something new.

        Args:
            parked: All that stand still now.
        """
        groups: dict[tuple[str, str], list[ParkedPartition]] = {}
        for each in parked:
            groups.setdefault((each.partition.topic, each.kind), []).append(each)
        for key, group in groups.items():
            said = self._said.setdefault(key, {})
            now = {each.partition.partition: each.reason for each in group}
            if any(said.get(number) != reason for number, reason in now.items()):
                said.update(now)
                yield _line(group)

    def forget(self, partition: TopicPartition) -> None:
        """Forget a partition that was copied on: if it is parked again, that is news."""
        for (topic, _), said in self._said.items():
            if topic == partition.topic:
                said.pop(partition.partition, None)


def _line(group: Sequence[ParkedPartition]) -> str:
    first = group[0]
    if len(group) == 1:
        return f"parked {first.reason}"
    places, causes = zip(*(_place_and_cause(each) for each in group), strict=True)
    cause = causes[0] if len(set(causes)) == 1 else f"such as {first.reason}"
    where = first_few(places, at_most=_PLACES_MAX)
    return f"{first.partition.topic}: {len(group)} partitions parked ({where}): {cause}"


def _place_and_cause(parked: ParkedPartition) -> tuple[str, str]:
    """Take out of a reason what differs between partitions that stand still for the same one."""
    number = str(parked.partition.partition)
    cause = parked.reason.removeprefix(f"{parked.partition}: ")
    found = _AT_OFFSET.match(cause)
    return (f"{number} at {found[1]}", cause[found.end() :]) if found else (number, cause)

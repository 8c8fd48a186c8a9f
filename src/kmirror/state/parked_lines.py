"""What the log says of parked partitions: a line for each topic and cause, again on a change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kmirror.events.emit import emit
from kmirror.events.table import PARTITION_PARKED, PARTITIONS_PARKED
from kmirror.model import Flow, TopicPartition
from kmirror.plans.text import first_few
from kmirror.state.status import ParkedPartition

_PLACES_MAX = 10
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_AT_OFFSET = re.compile(r"(offset \d+): ")


class ParkedLines:
    """
    Remembers what was said; each plan tries parked partitions again, and mostly in vain.

    Args:
        flow: Whose partitions they are.
    """

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._said: dict[tuple[str, str], dict[int, str]] = {}
        self._told: tuple[ParkedPartition, ...] = ()

    def tell(self, parked: tuple[ParkedPartition, ...]) -> None:
        """
        Log what is new.

        Args:
            parked: All that stand still now; of the same object as before nothing is.
        """
        if parked is self._told:
            return
        self._told = parked
        groups: dict[tuple[str, str], list[ParkedPartition]] = {}
        for each in parked:
            groups.setdefault((each.partition.topic, each.kind), []).append(each)
        for key, group in groups.items():
            said = self._said.setdefault(key, {})
            now = {each.partition.partition: each.reason for each in group}
            if any(said.get(number) != reason for number, reason in now.items()):
                said.update(now)
                _tell(self._flow, group)

    def forget(self, partition: TopicPartition) -> None:
        """Forget a partition that was copied on: if it is parked again, that is news."""
        for (topic, _), said in self._said.items():
            if topic == partition.topic:
                said.pop(partition.partition, None)


def _tell(flow: Flow, group: Sequence[ParkedPartition]) -> None:
    first = group[0]
    topic = first.partition.topic
    if len(group) == 1:
        emit(
            PARTITION_PARKED,
            flow=flow,
            topic=topic,
            partition=first.partition.partition,
            offset=first.at,
            kind=_one_word(first.kind),
            reason=first.reason,
        )
        return
    places, causes = zip(*(_place_and_cause(each) for each in group), strict=True)
    where = first_few(places, at_most=_PLACES_MAX)
    emit(
        PARTITIONS_PARKED,
        flow=flow,
        topic=topic,
        partitions=[each.partition.partition for each in group],
        kind=_one_word(first.kind),
        places=where,
        reason=causes[0] if len(set(causes)) == 1 else f"such as {first.reason}",
    )


def _one_word(kind: str) -> str:
    """Lanes say `data_gap` and starts `DataGap`; whoever counts events knows one of them."""
    return _WORDS.sub("_", kind).lower()


def _place_and_cause(parked: ParkedPartition) -> tuple[str, str]:
    """Take out of a reason what differs between partitions that stand still for the same one."""
    number = str(parked.partition.partition)
    cause = parked.reason.removeprefix(f"{parked.partition}: ")
    found = _AT_OFFSET.match(cause)
    return (f"{number} at {found[1]}", cause[found.end() :]) if found else (number, cause)

"""
In which requests topics are made and grown; pure.

A KRaft controller takes no request that becomes more than 10,000 records of its log
(`QuorumController.MAX_RECORDS_PER_USER_OP`): one for each topic, setting and partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from kmirror.plans.topics import GrowTopic, NewTopic

TOPICS_MAX = 500
PARTITIONS_MAX = 5_000

T = TypeVar("T", NewTopic, GrowTopic)


def creations(topics: Iterable[NewTopic]) -> Iterator[Sequence[NewTopic]]:
    """Yield the topics of each request; a topic that is too large gets fewer partitions."""
    made = (replace(new, partitions=min(new.partitions, PARTITIONS_MAX)) for new in topics)
    return _requests(made, lambda new: new.partitions)


def left_by_creations(topics: Iterable[NewTopic]) -> Sequence[GrowTopic]:
    """Return what the topics that were too large lack afterwards."""
    return [
        GrowTopic(name=new.name, from_partitions=PARTITIONS_MAX, to_partitions=new.partitions)
        for new in topics
        if new.partitions > PARTITIONS_MAX
    ]


def growths(topics: Iterable[GrowTopic]) -> Iterator[Sequence[GrowTopic]]:
    """Return the topics of each request; a topic that grows by too much does so in several."""
    steps = (
        replace(
            grow, from_partitions=at, to_partitions=min(at + PARTITIONS_MAX, grow.to_partitions)
        )
        for grow in topics
        for at in range(grow.from_partitions, grow.to_partitions, PARTITIONS_MAX)
    )
    return _requests(steps, lambda step: step.to_partitions - step.from_partitions)


def _requests(items: Iterable[T], partitions: Callable[[T], int]) -> Iterator[Sequence[T]]:
    request, total = list[T](), 0
    for item in items:
        if request and (len(request) == TOPICS_MAX or total + partitions(item) > PARTITIONS_MAX):
            yield request
            request, total = [], 0
        request.append(item)
        total += partitions(item)
    if request:
        yield request

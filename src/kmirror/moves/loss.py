"""What would be lost if groups went over now (RPO), in records and in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kmirror.clock import Clock
from kmirror.inspect.overview import Uncopied
from kmirror.model import TopicPartition
from kmirror.moves.ends import MoveEnds
from kmirror.plans.moves import Loss, TopicLoss
from kmirror.plans.places import GroupPlace

_PARTITIONS_MAX = 50  # whose oldest record that is not copied is read


def seen_loss(ends: MoveEnds, rest: Sequence[Uncopied], clock: Clock) -> Loss:
    """
    Say what is not copied, and how old the oldest of it is.

    Args:
        ends: Both clusters.
        rest: What is not copied.
        clock: Where time comes from.

    Raises:
        ClusterError: It could not be read.
    """
    if not rest:
        return Loss()
    oldest_ms: dict[str, int] = {}
    with ends.logs() as (here, _):
        for each in rest[:_PARTITIONS_MAX]:
            record = here.next_record(each.partition, each.start)
            if record is not None:
                known_ms = oldest_ms.get(each.partition.topic, record.timestamp_ms)
                oldest_ms[each.partition.topic] = min(known_ms, record.timestamp_ms)
    records: Counter[str] = Counter()
    for each in rest:
        records[each.partition.topic] += each.records
    return Loss(
        records=records.total(),
        age_s=_age_s(min(oldest_ms.values(), default=None), clock),
        topics=tuple(
            TopicLoss(topic=topic, records=count, age_s=_age_s(oldest_ms.get(topic), clock))
            for topic, count in sorted(records.items())
        ),
    )


def read_already(places: Iterable[GroupPlace], rest: Sequence[Uncopied]) -> Mapping[str, int]:
    """
    Say which groups have read what is not copied: when it comes they read it again.

    Args:
        places: Where groups are on the cluster that has it.
        rest: What is not copied.
    """
    lacking = {each.partition: each for each in rest}
    count: Counter[str] = Counter()
    for place in places:
        if (each := lacking.get(place.here)) is not None:
            count[place.group] += max(0, min(place.offset, each.end) - each.start)
    return {group: records for group, records in count.items() if records}


def unseen_loss(ends: MoveEnds, clock: Clock) -> Loss:
    """
    Say what the target can tell of a source that was not heard: how old its newest record is.

    Args:
        ends: Both clusters.
        clock: Where time comes from.

    Raises:
        ClusterError: The target could not be asked.
    """
    selection, target = ends.flows.main.topic_selection(), ends.clients.target
    policy = selection.policy
    copies = [
        TopicPartition(name, number)
        for name, state in target.topics().items()
        if policy.topic_source(name) == selection.flow.source
        if not policy.is_internal_topic(name)
        for number in range(state.partitions)
    ]
    newest_ms: dict[str, int] = {}
    for copy, at_ms in target.newest_ms(copies).items():
        topic = selection.upstream_topic(copy.topic)
        newest_ms[topic] = max(newest_ms.get(topic, at_ms), at_ms)
    return Loss(
        records=None,
        age_s=_age_s(max(newest_ms.values(), default=None), clock),
        topics=tuple(
            TopicLoss(topic=topic, records=None, age_s=_age_s(at_ms, clock))
            for topic, at_ms in sorted(newest_ms.items())
            if not policy.is_heartbeats_topic(topic)
        ),
    )


def _age_s(at_ms: int | None, clock: Clock) -> float | None:
    return None if at_ms is None else max(0.0, (clock.wall_ms() - at_ms) / 1000)

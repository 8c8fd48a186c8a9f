"""What would be lost if groups went over now (RPO), in records and in time."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.clock import Clock
from kmirror.flows.move_ends import MoveEnds
from kmirror.flows.overview import Uncopied
from kmirror.model import TopicPartition
from kmirror.plans.moves import Loss

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
    oldest_ms: list[int] = []
    with ends.logs() as (here, _):
        for each in rest[:_PARTITIONS_MAX]:
            record = here.next_record(each.partition, each.start)
            if record is not None:
                oldest_ms.append(record.timestamp_ms)
    records = sum(each.records for each in rest)
    return Loss(records=records, age_s=_age_s(min(oldest_ms, default=None), clock))


def unseen_loss(ends: MoveEnds, clock: Clock) -> Loss:
    """
    Say what the target can tell of a source that does not answer: how old its newest record is.

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
    newest = target.newest_ms(copies).values()
    return Loss(records=None, age_s=_age_s(max(newest, default=None), clock))


def _age_s(at_ms: int | None, clock: Clock) -> float | None:
    return None if at_ms is None else max(0.0, (clock.wall_ms() - at_ms) / 1000)

"""Which partitions to compare, and how far; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, TopicState
from kmirror.wire.position import decode_position


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionPair:
    """
    A partition and its copy.

    Args:
        source: The partition.
        target: Its copy.
        source_end: Compare up to, not including, this source offset; `None` is the log's end.
        target_end: The same on the target.
        problem: Why it cannot be compared.
    """

    source: TopicPartition
    target: TopicPartition
    source_end: int | None = None
    target_end: int | None = None
    problem: str = ""

    @property
    def target_may_be_ahead(self) -> bool:
        """Whether a position told where the source ends, but not where the target does."""
        return self.source_end is not None and self.target_end is None


def plan_pairs(
    source: Mapping[str, TopicState],
    remote_name: Callable[[str], str],
    selected: Callable[[str], bool],
    positions: Mapping[TopicPartition, GroupPosition] | None = None,
) -> tuple[PartitionPair, ...]:
    """
    List the partitions of all selected topics.

    Args:
        source: The source's topics.
        remote_name: The replication policy.
        selected: Whether a source topic is to be compared.
        positions: The flow's positions, by target partition: compare up to them, so that a flow
            that is running can be verified. Without them, up to the end of both logs.
    """
    pairs: list[PartitionPair] = []
    for name in sorted(source):
        if not selected(name):
            continue
        for number in range(source[name].partitions):
            pair = PartitionPair(
                source=TopicPartition(name, number),
                target=TopicPartition(remote_name(name), number),
            )
            pairs.append(pair if positions is None else _up_to(pair, positions.get(pair.target)))
    return tuple(pairs)


def _up_to(pair: PartitionPair, position: GroupPosition | None) -> PartitionPair:
    if position is None:
        return PartitionPair(
            source=pair.source, target=pair.target, problem="the flow has no position for it"
        )
    metadata = decode_position(position.metadata)
    return PartitionPair(
        source=pair.source,
        target=pair.target,
        source_end=position.offset,
        target_end=None if metadata is None else metadata.target_offset,
    )

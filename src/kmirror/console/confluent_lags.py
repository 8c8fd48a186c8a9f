"""Lags by partition, as Confluent Cloud tells them; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kmirror.api.answers import GroupPlaceView, GroupView, PartitionLag
from kmirror.api.flows import PartitionView
from kmirror.config.flows import FlowConfig
from kmirror.wire.flow_names import position_group


def flow_lags(config: FlowConfig, partitions: Sequence[PartitionView]) -> Iterator[PartitionLag]:
    """
    Yield those of a flow, as far as they are known.

    Args:
        config: The flow.
        partitions: Its partitions.
    """
    group = position_group(config.flow)
    for each in partitions:
        if each.position is not None and each.source_end is not None:
            yield _lag(config, group, each, each.position, each.source_end)


def group_lags(config: FlowConfig, group: GroupView) -> Iterator[PartitionLag]:
    """
    Yield those of a group of a flow's source, as far as they are known.

    Args:
        config: The flow.
        group: The group.
    """
    for each in group.places:
        if each.source_end is not None:
            yield _lag(config, group.group, each, each.offset, each.source_end)


def _lag(
    config: FlowConfig, group: str, place: PartitionView | GroupPlaceView, offset: int, end: int
) -> PartitionLag:
    return PartitionLag(
        cluster_id=config.flow.source,
        consumer_group_id=group,
        topic_name=place.topic,
        partition_id=place.partition,
        current_offset=offset,
        log_end_offset=end,
        lag=max(0, end - offset),
    )

"""The topics that hold a flow's positions in Connect's format: made as Connect makes them."""

from __future__ import annotations

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_topics import create_internal_topic
from kmirror.config.flows import FlowConfig
from kmirror.errors import ClusterUnavailable


def make_offsets_topic(config: FlowConfig, admin: ClusterAdmin, topic: str) -> int:
    """
    Make such a topic, unless it is there.

    Args:
        config: The flow.
        admin: The control plane of the cluster that has it.
        topic: Its name.

    Returns:
        How many partitions it has.

    Raises:
        MirrorError: The cluster refused, or does not show it yet.
    """
    wanted = config.offset_storage_partitions
    create_internal_topic(
        admin,
        topic,
        partitions=wanted,
        replication_factor=config.offset_storage_replication_factor,
    )
    state = admin.topic(topic)
    if state is not None:
        return state.partitions
    if wanted <= 0:
        raise ClusterUnavailable(f"the topic {topic} was made, and is not to be seen yet")
    return wanted  # it was just made

"""Topics on the target that hold what a flow remembers."""

from __future__ import annotations

from kmirror.admin.base import ClusterAdmin
from kmirror.plans.topics import NewTopic


def create_internal_topic(
    admin: ClusterAdmin, topic: str, *, partitions: int, replication_factor: int
) -> None:
    """
    Create a compacted topic, as Connect would, unless it is there.

    Args:
        admin: The target's control plane.
        topic: Its name.
        partitions: How many partitions it gets.
        replication_factor: How many copies; fewer where brokers are fewer.

    Raises:
        MirrorError: The target refused.
    """
    if topic in admin.topics():
        return
    brokers = len(admin.describe().brokers)
    new = NewTopic(
        name=topic,
        partitions=partitions,
        replication_factor=min(replication_factor, max(brokers, 1)),
        configs=(("cleanup.policy", "compact"),),
    )
    for error in admin.create_topics([new]).values():
        raise error

"""Topics that hold what a flow remembers, or tells."""

from __future__ import annotations

from collections.abc import Iterable

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.plans.topics import NewTopic


def create_internal_topic(
    admin: ClusterAdmin,
    topic: str,
    *,
    partitions: int,
    replication_factor: int,
    configs: tuple[tuple[str, str], ...] = (),
) -> None:
    """
    Create a compacted topic, as Connect would, unless it is there.

    Args:
        admin: The target's control plane.
        topic: Its name.
        partitions: How many partitions it gets.
        replication_factor: How many copies; fewer where brokers are fewer.
        configs: Further settings.

    Raises:
        MirrorError: The target refused.
    """
    if admin.topic(topic) is not None:
        return
    brokers = len(admin.describe().brokers)
    new = NewTopic(
        name=topic,
        partitions=partitions,
        replication_factor=min(replication_factor, max(brokers, 1)),
        configs=(("cleanup.policy", "compact"), *configs),
    )
    for error in admin.create_topics([new]).values():
        raise error


class InternalTopic:
    """
    A compacted topic of one partition, made when it is first written to.

    Args:
        name: Its name.
        admin: The control plane of the cluster that has it.
        writer: Writes there.
        replication_factor: How many copies; fewer where brokers are fewer.
        configs: Settings besides compaction.
    """

    def __init__(
        self,
        name: str,
        admin: ClusterAdmin,
        writer: InternalWriter,
        *,
        replication_factor: int,
        configs: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.name = name
        self._admin = admin
        self._writer = writer
        self._replication_factor = replication_factor
        self._configs = configs
        self._is_there = False

    def create(self) -> None:
        """
        Make it, unless it is there.

        Raises:
            MirrorError: The target refused.
        """
        if self._is_there:
            return
        create_internal_topic(
            self._admin,
            self.name,
            partitions=1,
            replication_factor=self._replication_factor,
            configs=self._configs,
        )
        self._is_there = True

    def write(self, records: Iterable[InternalRecord]) -> None:
        """
        Write records and wait until they are safe.

        Raises:
            MirrorError: At least one was not written; writing all of them again does no harm.
        """
        self.create()
        self._writer.write(self.name, records)

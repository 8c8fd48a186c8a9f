"""
What an application may ask a mirrored cluster: who is upstream, and where its groups go on.

The same as Kafka's `MirrorClient` and `RemoteClusterUtils`, from the same topics, for Python:

    with MirrorClient({"bootstrap.servers": "kafka-b:9092"}) as client:
        client.upstream_clusters()                # ("A",)
        client.replication_hops("A")              # 1
        client.remote_topics(source="A")          # ("A.orders",)
        client.translate_offsets("billing", "A")  # {TopicPartition("A.orders", 0): ...}

It works with whatever wrote the topics, kmirror or MirrorMaker 2, and writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kmirror.admin.checkpoints import newest_checkpoints
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import Connected
from kmirror.admin.reader import RecordReader
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition
from kmirror.policy import upstream
from kmirror.policy.replication import DefaultReplicationPolicy, ReplicationPolicy

GroupPositions = Mapping[TopicPartition, GroupPosition]
"""A group's offsets by partition of this cluster."""


class MirrorClient(Connected):
    """
    Answers questions about one cluster's upstream clusters and groups.

    Args:
        config: librdkafka settings, `bootstrap.servers` among them.
        policy: How remote topics are named; MirrorMaker 2's default without.
        timeout_s: Deadline of every call, seconds.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        *,
        policy: ReplicationPolicy | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        self._config = dict(config)
        self._policy = policy or DefaultReplicationPolicy()
        self._timeout_s = timeout_s
        self._admin = KafkaAdmin("this", self._config, timeout_s=timeout_s)

    def heartbeats_topics(self) -> tuple[str, ...]:
        """Return this cluster's heartbeats topics, by name."""
        return upstream.heartbeats_topics(self._admin.topics(), self._policy)

    def checkpoints_topics(self) -> tuple[str, ...]:
        """Return the topics that hold checkpoints, by name."""
        return tuple(sorted(filter(self._policy.is_checkpoints_topic, self._admin.topics())))

    def upstream_clusters(self) -> tuple[str, ...]:
        """Return the clusters whose heartbeats come here, by alias."""
        return upstream.upstream_clusters(self._admin.topics(), self._policy)

    def replication_hops(self, alias: str) -> int | None:
        """Return the number of flows from *alias* to this cluster; `None` if there is no way."""
        return upstream.replication_hops(self._admin.topics(), self._policy, alias)

    def remote_topics(self, source: str | None = None) -> tuple[str, ...]:
        """Return the topics that came from elsewhere, or from cluster *source*, by name."""
        return upstream.remote_topics(self._admin.topics(), self._policy, source)

    def translate_offsets(self, group: str, alias: str) -> GroupPositions:
        """
        Say where a group of another cluster goes on, on this one.

        Args:
            group: The group.
            alias: The cluster where it has been.

        Returns:
            Offsets by partition of this cluster; empty when nothing is known of the group.

        Raises:
            ClusterError: This cluster did not answer, or refused.
        """
        return self.translate_all(re.compile(re.escape(group)), alias).get(group, {})

    def translate_all(self, groups: re.Pattern[str], alias: str) -> Mapping[str, GroupPositions]:
        """
        Say the same of all groups whose whole names match (KIP-1239).

        Args:
            groups: Which groups.
            alias: The cluster where they have been.

        Returns:
            Offsets by group, then by partition of this cluster.

        Raises:
            ClusterError: This cluster did not answer, or refused.
        """
        log = self._policy.checkpoints_topic(alias)
        with RecordReader(
            self._config, cluster="this cluster", timeout_s=self._timeout_s
        ) as reader:
            points = newest_checkpoints(self._admin, reader, log)
        found: dict[str, dict[TopicPartition, GroupPosition]] = {}
        for point in points:
            if groups.fullmatch(point.group):
                at = GroupPosition(offset=point.downstream, metadata=point.metadata)
                found.setdefault(point.group, {})[point.partition] = at
        return found

    def close(self) -> None:
        """Let go of connections."""
        self._admin.close()

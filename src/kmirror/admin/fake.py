"""A cluster in memory: the same contract as real brokers, for tests and dry runs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

from kmirror.admin.base import Isolation, Which
from kmirror.errors import ClusterError, MirrorError
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import (
    Broker,
    ClusterState,
    GroupPosition,
    TopicConfigEntry,
    TopicState,
)
from kmirror.plans.topics import GrowTopic, NewTopic


class FakeAdmin:
    """
    A `ClusterAdmin` without a cluster.

    Args:
        cluster_id: Its id.
        brokers: How many brokers it pretends to have.
    """

    def __init__(self, cluster_id: str = "fake", *, brokers: int = 1) -> None:
        self._cluster_id = cluster_id
        self._brokers = brokers
        self._topics: dict[str, NewTopic] = {}
        self._ids: dict[str, str] = {}
        self._created = 0
        self._logs: dict[TopicPartition, tuple[int, int]] = {}
        self._groups: dict[str, dict[TopicPartition, GroupPosition]] = {}

    def set_log(self, partition: TopicPartition, *, start: int = 0, end: int) -> None:
        """Pretend that a partition holds the offsets from *start* up to, not including, *end*."""
        assert 0 <= start <= end, "a log starts before it ends"
        assert self._has(partition), "the topic does not exist"
        self._logs[partition] = (start, end)

    def delete_topic(self, name: str) -> None:
        """Forget a topic, as somebody else might make the cluster do."""
        del self._topics[name], self._ids[name]
        self._logs = {tp: log for tp, log in self._logs.items() if tp.topic != name}

    def describe(self) -> ClusterState:
        """Return the cluster's id, brokers and controller."""
        brokers = tuple(
            Broker(id=number, host="fake", port=9092 + number) for number in range(self._brokers)
        )
        return ClusterState(
            cluster_id=self._cluster_id, brokers=brokers, controller=0 if brokers else None
        )

    def topics(self) -> Mapping[str, TopicState]:
        """Return every topic."""
        return {
            name: TopicState(name=name, partitions=topic.partitions)
            for name, topic in self._topics.items()
        }

    def topic_ids(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return topic ids; a topic that is created again gets a new one."""
        return {name: self._ids[name] for name in names if name in self._ids}

    def topic_configs(self, names: Iterable[str]) -> Mapping[str, tuple[TopicConfigEntry, ...]]:
        """Return the settings that were given at creation."""
        return {
            name: tuple(
                TopicConfigEntry(name=key, value=value) for key, value in self._topics[name].configs
            )
            for name in names
            if name in self._topics
        }

    def create_topics(
        self, topics: Sequence[NewTopic], *, validate_only: bool = False
    ) -> Mapping[str, MirrorError]:
        """Create topics; gives those that failed."""
        failed: dict[str, MirrorError] = {}
        for topic in topics:
            if topic.name in self._topics:
                continue
            if topic.replication_factor > self._brokers or topic.partitions < 1:
                failed[topic.name] = ClusterError(f"fake: cannot create topic {topic.name}")
                continue
            if validate_only:
                continue
            self._topics[topic.name] = topic
            self._created += 1
            digest = hashlib.sha256(f"{self._cluster_id} {self._created}".encode()).digest()
            self._ids[topic.name] = base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")
        return failed

    def create_partitions(self, topics: Sequence[GrowTopic]) -> Mapping[str, MirrorError]:
        """Add partitions; gives the topics that failed."""
        failed: dict[str, MirrorError] = {}
        for grow in topics:
            topic = self._topics.get(grow.name)
            if topic is None:
                failed[grow.name] = ClusterError(f"fake: there is no topic {grow.name}")
            elif grow.to_partitions > topic.partitions:
                self._topics[grow.name] = NewTopic(
                    name=topic.name,
                    partitions=grow.to_partitions,
                    replication_factor=topic.replication_factor,
                    configs=topic.configs,
                    source_topic=topic.source_topic,
                )
        return failed

    def offsets(
        self,
        partitions: Iterable[TopicPartition],
        which: Which = "latest",
        *,
        isolation: Isolation = "read_uncommitted",
        partial: bool = False,  # noqa: ARG002  # of the protocol; leaders always act here
    ) -> Mapping[TopicPartition, int]:
        """Return the first or the next offset of partitions; the fake has no open transactions."""
        assert isolation in {"read_uncommitted", "read_committed"}, isolation
        end = which == "latest"
        return {tp: self._logs.get(tp, (0, 0))[end] for tp in partitions if self._has(tp)}

    def offsets_at(
        self, partitions: Iterable[TopicPartition], at_ms: int
    ) -> Mapping[TopicPartition, int]:
        """Return where logs begin for the time 0: the fake's records have that time."""
        asked = [] if at_ms > 0 else list(partitions)
        return {tp: self._logs[tp][0] for tp in asked if len({*self._logs.get(tp, (0, 0))}) > 1}

    def newest_ms(self, partitions: Iterable[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return nothing: the fake's records have no timestamp."""
        return {
            tp: 0 for tp in partitions if self._has(tp) and len({*self._logs.get(tp, (0, 0))}) > 1
        }

    def group_positions(
        self, group: str, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, GroupPosition]:
        """Return the committed offsets of *group*."""
        positions = self._groups.get(group, {})
        return {tp: at for tp, at in positions.items() if partitions is None or tp in partitions}

    def set_group_positions(
        self, group: str, positions: Mapping[TopicPartition, GroupPosition]
    ) -> None:
        """Commit offsets."""
        for tp in positions:
            if not self._has(tp):
                raise ClusterError(f"fake: there is no partition {tp}")
        self._groups.setdefault(group, {}).update(positions)

    def close(self) -> None:
        """Do nothing."""

    def _has(self, tp: TopicPartition) -> bool:
        topic = self._topics.get(tp.topic)
        return topic is not None and 0 <= tp.partition < topic.partitions

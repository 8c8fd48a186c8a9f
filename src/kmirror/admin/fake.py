"""A cluster in memory: the same contract as real brokers, for tests and dry runs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from kmirror.admin.base import Isolation, Outage, TopicConfigs, Which
from kmirror.admin.fake_acls import FakeAcls
from kmirror.errors import ClusterError, MirrorError
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import (
    Broker,
    ClusterState,
    GroupPosition,
    TopicConfigEntry,
    TopicState,
)
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.topics import GrowTopic, NewTopic

# What every topic has that nobody has changed; brokers know no other settings.
_DEFAULTS = {
    "cleanup.policy": "delete",
    "message.timestamp.type": "CreateTime",
    "min.insync.replicas": "1",
    "remote.storage.enable": "false",
    "retention.ms": "604800000",
}


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
        self._acls = FakeAcls()

    def set_log(self, partition: TopicPartition, *, start: int = 0, end: int) -> None:
        """Pretend that a partition holds the offsets from *start* up to, not including, *end*."""
        assert 0 <= start <= end, "a log starts before it ends"
        assert self._has(partition), "the topic does not exist"
        self._logs[partition] = (start, end)

    def delete_topic(self, name: str) -> None:
        """Forget a topic, as somebody else might make the cluster do."""
        del self._topics[name], self._ids[name]
        self._logs = {tp: log for tp, log in self._logs.items() if tp.topic != name}

    def outage(self) -> Outage:
        """Tell how often no broker at all could be reached: they always can."""
        return Outage()

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
        return {name: _state(topic) for name, topic in self._topics.items()}

    def topic(self, name: str) -> TopicState | None:
        """Return one topic."""
        return _state(self._topics[name]) if name in self._topics else None

    def leaders(self) -> Mapping[TopicPartition, int]:
        """Return who leads: brokers in turn."""
        return {
            TopicPartition(name, number): number % self._brokers if self._brokers else -1
            for name, topic in self._topics.items()
            for number in range(topic.partitions)
        }

    def topic_ids(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return topic ids; a topic that is created again gets a new one."""
        return {name: self._ids[name] for name in names if name in self._ids}

    def told_ids(self, names: Iterable[str]) -> Mapping[str, str | None]:
        """Return topic ids, `None` for topics that are not there."""
        return {name: self._ids.get(name) for name in names}

    def topic_configs(self, names: Iterable[str]) -> Mapping[str, tuple[TopicConfigEntry, ...]]:
        """Return the settings that topics were given, and the defaults of the others."""
        return {name: self._configs(name) for name in names if name in self._topics}

    def readable_topic_configs(self, names: Iterable[str]) -> TopicConfigs:
        """Return the same: the fake keeps nothing to itself."""
        return TopicConfigs(entries=self.topic_configs(names), refused={})

    def broker_configs(self, broker: int) -> tuple[TopicConfigEntry, ...]:
        """Return the settings of a broker."""
        assert broker < self._brokers, "there is no such broker"
        stored = TopicConfigEntry(name="remote.log.storage.system.enable", value="false")
        return (stored,)

    def alter_topic_configs(
        self, changes: Sequence[SettingChange], *, validate_only: bool = False
    ) -> Mapping[str, MirrorError]:
        """Change settings of topics; gives the topics that failed."""
        failed: dict[str, MirrorError] = {}
        for change in changes:
            if change.topic not in self._topics:
                failed[change.topic] = ClusterError(f"fake: there is no topic {change.topic}")
            elif change.name not in _DEFAULTS:
                failed[change.topic] = ClusterError(f"fake: there is no setting {change.name}")
        for change in changes:
            if change.topic not in failed and not validate_only:
                self._alter(change)
        return failed

    def _alter(self, change: SettingChange) -> None:
        topic = self._topics[change.topic]
        configs = dict(topic.configs)
        configs.pop(change.name, None)
        if change.after is not None:
            configs[change.name] = change.after
        self._topics[change.topic] = replace(topic, configs=tuple(configs.items()))

    def _configs(self, name: str) -> tuple[TopicConfigEntry, ...]:
        given = dict(self._topics[name].configs)
        entries = [TopicConfigEntry(name=key, value=value) for key, value in given.items()]
        entries += [
            TopicConfigEntry(name=key, value=value, is_default=True, source="DEFAULT_CONFIG")
            for key, value in _DEFAULTS.items()
            if key not in given
        ]
        return tuple(sorted(entries, key=lambda entry: entry.name))

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
                self._topics[grow.name] = replace(topic, partitions=grow.to_partitions)
        return failed

    def delete_topics(self, names: Sequence[str]) -> Mapping[str, MirrorError]:
        """Delete topics, with the positions of all groups on them."""
        for name in set(names).intersection(self._topics):
            self.delete_topic(name)
            for group, positions in self._groups.items():
                self._groups[group] = {tp: at for tp, at in positions.items() if tp.topic != name}
        return {}

    def delete_records(
        self, before: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, MirrorError]:
        """Delete what lies before an offset of each partition; gives those that failed."""
        failed: dict[TopicPartition, MirrorError] = {}
        for tp, offset in before.items():
            start, end = self._logs.get(tp, (0, 0))
            if not self._has(tp) or offset > end:
                failed[tp] = ClusterError(f"fake: {tp} has no offset {offset}")
            else:
                self._logs[tp] = (max(start, offset), end)
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

    def acls(self) -> FakeAcls:
        """Return the cluster's ACLs."""
        return self._acls

    def close(self) -> None:
        """Do nothing."""

    def _has(self, tp: TopicPartition) -> bool:
        topic = self._topics.get(tp.topic)
        return topic is not None and 0 <= tp.partition < topic.partitions


def _state(topic: NewTopic) -> TopicState:
    replicas = max(1, topic.replication_factor)
    return TopicState(name=topic.name, partitions=topic.partitions, replicas=replicas)

"""The control plane of a real cluster, over confluent-kafka."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from confluent_kafka import OFFSET_INVALID, IsolationLevel, TopicCollection
from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    ConfigResource,
    ListOffsetsResultInfo,
    NewPartitions,
    OffsetSpec,
    TopicDescription,
)
from confluent_kafka.cimpl import NewTopic as KafkaTopic

from kmirror.admin import _errors, _values
from kmirror.admin._acls import KafkaAcls
from kmirror.admin.base import Isolation, Outage, TopicConfigs, Which
from kmirror.admin.connection import Connected, cluster_name, connection_settings
from kmirror.admin.coordinator_topics import GROUPS_TOPIC, may_ask
from kmirror.admin.group_client import GroupClient
from kmirror.admin.leaderless import Leaderless
from kmirror.admin.requests import PER_REQUEST_MAX, Requests
from kmirror.clock import Clock, SystemClock
from kmirror.errors import MirrorError, NotAuthorized
from kmirror.model import TopicPartition
from kmirror.pieces import pieces
from kmirror.plans.setting_requests import alterations
from kmirror.plans.snapshot import (
    ClusterState,
    GroupPosition,
    TopicConfigEntry,
    TopicState,
)
from kmirror.plans.topic_requests import creations, growths, left_by_creations
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.topics import GrowTopic, NewTopic, is_topic_name

_CONNECTED_S_MAX = 3.0  # for an answer of brokers that are connected
_READ_TOPIC = "read the settings of topic"

T = TypeVar("T")


class KafkaAdmin(Connected):
    """
    A `ClusterAdmin` for real brokers.

    Args:
        alias: The cluster's alias, for messages.
        config: librdkafka settings, `bootstrap.servers` among them.
        timeout_s: Deadline of every call, seconds.
        clock: Where time comes from.
        looks: Nothing is made by asking: where no group ever was, none has positions. Who decides
            by positions asks, since a broker may not know for a moment that groups are there.
    """

    def __init__(
        self,
        alias: str,
        config: Mapping[str, Any],
        *,
        timeout_s: float = 60.0,
        clock: Clock | None = None,
        looks: bool = False,
    ) -> None:
        assert timeout_s > 0, "a deadline lies in the future"
        self._timeout_s = timeout_s
        self._clock: Clock = clock or SystemClock()
        self._cause = _errors.ConnectionCause()
        self._name = cluster_name(alias, config)
        self._config = config
        self._groups: dict[str, GroupClient] = {}
        self._lock = threading.Lock()
        self._requests = Requests(
            self._name, config, self._cause, timeout_s=timeout_s, clock=self._clock
        )
        self._closed = False
        self._is_connected = False
        self._asks_groups = not looks
        self._leaderless = Leaderless(self._clock)

    def describe(self) -> ClusterState:
        """Return the cluster's id, brokers and controller; racks are left out."""
        return _values.cluster_state(self._requests.cluster())

    def racks(self) -> Mapping[int, str]:
        """Return the rack of each broker; empty where it names none."""
        return {node.id: node.rack or "" for node in self._requests.described().nodes}

    def outage(self) -> Outage:
        """Tell how often no broker at all could be reached so far, and why."""
        return Outage(
            times=self._cause.outages,
            why=self._cause.words(),
            renewals=self._requests.renewals,
        )

    def topics(self) -> Mapping[str, TopicState]:
        """Return every topic this principal may see, in one metadata request."""
        return _values.topic_states(self._requests.metadata())

    def topic(self, name: str) -> TopicState | None:
        """Return one topic, in a request about it alone."""
        if not is_topic_name(name):
            return None
        return _values.described_topics(self._described([name], {})).get(name)

    def leaders(self) -> Mapping[TopicPartition, int]:
        """Return the broker that leads each partition; -1 for none now."""
        return _values.leaders(self._requests.metadata())

    def topic_ids(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return topic ids (KIP-516), as Java prints them; leave out missing topics."""
        return self._ids(names, None)

    def told_ids(self, names: Iterable[str]) -> Mapping[str, str | None]:
        """Return topic ids, `None` where there is no such topic; leave out what is hidden."""
        asked = sorted(set(names))
        refused: dict[str, NotAuthorized] = {}
        ids = self._ids(asked, refused)
        return {name: ids.get(name) for name in asked if name not in refused}

    def _ids(
        self, names: Iterable[str], refused: dict[str, NotAuthorized] | None
    ) -> dict[str, str]:
        described = self._described(names, refused)
        return {name: _values.uuid_text(topic.topic_id) for name, topic in described.items()}

    def _described(
        self, names: Iterable[str], refused: dict[str, NotAuthorized] | None
    ) -> dict[str, TopicDescription]:
        return self._requests.many(
            sorted(set(names)),
            lambda chunk: self._requests.client.describe_topics(
                TopicCollection(list(chunk)), request_timeout=self._timeout_s
            ),
            "describe topic",
            refused=refused,
        )

    def topic_configs(self, names: Iterable[str]) -> Mapping[str, tuple[TopicConfigEntry, ...]]:
        """Return all settings of topics; topics that do not exist are left out."""
        return self._configs(_topics(names), _READ_TOPIC)

    def readable_topic_configs(self, names: Iterable[str]) -> TopicConfigs:
        """Return the settings of topics, and the topics whose settings we may not read."""
        refused: dict[ConfigResource, NotAuthorized] = {}
        entries = self._configs(_topics(names), _READ_TOPIC, refused)
        return TopicConfigs(
            entries=entries, refused={topic.name: error for topic, error in refused.items()}
        )

    def broker_configs(self, broker: int) -> tuple[TopicConfigEntry, ...]:
        """Return all settings of a broker; each answers for itself alone."""
        resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
        return self._configs([resource], "read the settings of broker")[resource.name]

    def alter_topic_configs(
        self, changes: Sequence[SettingChange], *, validate_only: bool = False
    ) -> Mapping[str, MirrorError]:
        """Change settings of topics, all of a topic or none; gives the topics that failed."""
        failed: dict[str, MirrorError] = {}
        for request in alterations(changes):
            futures = self._requests.client.incremental_alter_configs(
                [_values.altered(topic, of_topic) for topic, of_topic in request.items()],
                request_timeout=self._timeout_s,
                validate_only=validate_only,
            )
            failed |= self._requests.failures(
                futures, "change the settings of topic", needs="AlterConfigs"
            )
        return failed

    def create_topics(
        self, topics: Sequence[NewTopic], *, validate_only: bool = False
    ) -> Mapping[str, MirrorError]:
        """Create topics; gives those that failed. One that exists already has not failed."""
        failed: dict[str, MirrorError] = {}
        for chunk in creations(topics):
            request = [
                KafkaTopic(
                    topic.name,
                    num_partitions=topic.partitions,
                    replication_factor=topic.replication_factor,
                    config=dict(topic.configs),
                )
                for topic in chunk
            ]
            futures = self._requests.client.create_topics(
                request,
                operation_timeout=self._timeout_s,
                request_timeout=self._timeout_s,
                validate_only=validate_only,
            )
            failed |= self._requests.failures(futures, "create topic", _errors.is_topic_exists)
        if validate_only:
            return failed
        made = (topic for topic in topics if topic.name not in failed)
        return failed | dict(self.create_partitions(left_by_creations(made)))

    def create_partitions(self, topics: Sequence[GrowTopic]) -> Mapping[str, MirrorError]:
        """Add partitions; gives the topics that failed. One that is as large has not failed."""
        failed: dict[str, MirrorError] = {}
        for chunk in growths(topics):
            request = [NewPartitions(topic.name, topic.to_partitions) for topic in chunk]
            futures = self._requests.client.create_partitions(
                request, operation_timeout=self._timeout_s, request_timeout=self._timeout_s
            )
            failed |= self._requests.failures(
                futures, "add partitions to topic", _errors.is_invalid_partitions
            )
        return failed

    def delete_topics(self, names: Sequence[str]) -> Mapping[str, MirrorError]:
        """Delete topics; gives those that failed. One that is not there has not failed."""
        failed: dict[str, MirrorError] = {}
        for chunk in pieces(sorted(set(names)), PER_REQUEST_MAX):
            futures = self._requests.client.delete_topics(
                list(chunk), operation_timeout=self._timeout_s, request_timeout=self._timeout_s
            )
            failed |= self._requests.failures(
                futures, "delete topic", _errors.is_unknown_topic, needs="Delete"
            )
        return failed

    def delete_records(
        self, before: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, MirrorError]:
        """Delete what lies before an offset of each partition; gives those that failed."""
        failed: dict[str, MirrorError] = {}
        for chunk in pieces(sorted(before.items()), PER_REQUEST_MAX):
            futures = self._requests.client.delete_records(
                [KafkaPartition(tp.topic, tp.partition, offset) for tp, offset in chunk],
                operation_timeout=self._timeout_s,
                request_timeout=self._timeout_s,
            )
            failed |= self._requests.failures(futures, "delete records of", needs="Delete")
        return {tp: failed[str(tp)] for tp in before if str(tp) in failed}

    def offsets(
        self,
        partitions: Iterable[TopicPartition],
        which: Which = "latest",
        *,
        isolation: Isolation = "read_uncommitted",
        partial: bool = False,
    ) -> Mapping[TopicPartition, int]:
        """Return the first or the next offset of partitions; leave out missing ones."""
        found = self._list_offsets(partitions, _values.SPECS[which], isolation, partial=partial)
        return {partition: info.offset for partition, info in found.items()}

    def offsets_at(
        self, partitions: Iterable[TopicPartition], at_ms: int
    ) -> Mapping[TopicPartition, int]:
        """Return the first offsets whose records are not older; leave out where there is none."""
        found = self._list_offsets(partitions, _values.since(at_ms), "read_uncommitted")
        return {partition: info.offset for partition, info in found.items() if info.offset >= 0}

    def newest_ms(self, partitions: Iterable[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return the largest timestamp of partitions that hold records (KIP-734)."""
        found = self._list_offsets(partitions, _values.NEWEST, "read_uncommitted", partial=True)
        return {at: info.timestamp for at, info in found.items() if info.timestamp >= 0}

    def _list_offsets(
        self,
        partitions: Iterable[TopicPartition],
        spec: OffsetSpec,
        isolation: Isolation,
        *,
        partial: bool = False,
    ) -> Mapping[TopicPartition, ListOffsetsResultInfo]:
        level = IsolationLevel[isolation.upper()]
        limit_s = min(self._timeout_s, _CONNECTED_S_MAX) if self._is_connected else self._timeout_s
        asked = set(partitions)
        answerable = self._leaderless.answerable(asked, self.leaders)
        answers = self._requests.many(
            [_values.place(tp) for tp in answerable],
            lambda chunk: self._requests.client.list_offsets(
                dict.fromkeys(chunk, spec), isolation_level=level, request_timeout=limit_s
            ),
            "read the offsets of",
            partial=partial,
            tells=lambda info: info.offset != OFFSET_INVALID,
        )
        silent = asked.difference(answerable)
        found: dict[TopicPartition, ListOffsetsResultInfo] = {}
        for place, info in answers.items():
            partition = TopicPartition(place.topic, place.partition)
            if info.offset == OFFSET_INVALID:
                self._leaderless.note(partition)  # no error: nobody answered for it
                silent.add(partition)
            else:
                self._leaderless.clear(partition)
                found[partition] = info
        self._is_connected = bool(found) or self._is_connected
        if silent and not (partial and found):
            raise self._requests.unanswered(f"read the offsets of {min(silent)}")
        return found

    def group_positions(
        self, group: str, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, GroupPosition]:
        """Return the committed offsets of *group*, once no transaction is pending (KIP-447)."""
        if not self._may_ask_groups():
            return {}
        if partitions is None:
            topics = self.topics().values()
            partitions = [TopicPartition(t.name, at) for t in topics for at in range(t.partitions)]
        asked = [_values.place(tp) for tp in sorted(partitions)]
        doing = f"read the positions of group {group}"
        found: list[KafkaPartition] = []
        for chunk in pieces(asked, PER_REQUEST_MAX):
            found += self._group_call(group, doing, partial(GroupClient.read, partitions=chunk))
        return {
            TopicPartition(tp.topic, tp.partition): GroupPosition(
                offset=tp.offset, metadata=_values.metadata_of(tp), leader_epoch=tp.leader_epoch
            )
            for tp in found
            if tp.offset >= 0
        }

    def set_group_positions(
        self, group: str, positions: Mapping[TopicPartition, GroupPosition]
    ) -> None:
        """Commit offsets for a group without members."""
        for chunk in pieces(sorted(positions.items()), PER_REQUEST_MAX):
            offsets = [_values.committed(tp, at) for tp, at in chunk]
            doing = f"write positions of group {group}"
            self._group_call(group, doing, partial(GroupClient.write, offsets=offsets))

    def _may_ask_groups(self) -> bool:
        """Whether nothing is made that must not be; once groups are there, they stay."""
        self._asks_groups = self._asks_groups or may_ask(self, GROUPS_TOPIC)
        return self._asks_groups

    def _group_call(self, group: str, doing: str, call: Callable[[GroupClient], T]) -> T:
        return self._requests.one(lambda: call(self._group(group)), doing)

    def _group(self, group: str) -> GroupClient:
        """Return the group's client; it is kept, because a new one has to find the coordinator."""
        with self._lock:
            if group not in self._groups:
                self._groups[group] = GroupClient(
                    connection_settings(self._config, self._cause),
                    group,
                    timeout_s=self._timeout_s,
                    clock=self._clock,
                )
            return self._groups[group]

    def acls(self) -> KafkaAcls:
        """Return the cluster's ACLs; they are asked over the same connections."""
        return KafkaAcls(self._name, self._requests, timeout_s=self._timeout_s)

    def close(self) -> None:
        """Let go of connections; calling it again does nothing."""
        if not self._closed:
            self._closed = True
            for group in self._groups.values():
                group.close()
            self._requests.close()

    def _configs(
        self,
        resources: Sequence[ConfigResource],
        doing: str,
        refused: dict[ConfigResource, NotAuthorized] | None = None,
    ) -> dict[str, tuple[TopicConfigEntry, ...]]:
        answers = self._requests.many(
            resources,
            lambda chunk: self._requests.client.describe_configs(
                list(chunk), request_timeout=self._timeout_s
            ),
            doing,
            needs="DescribeConfigs",
            refused=refused,
        )
        return {
            resource.name: tuple(_values.config_entry(entries[name]) for name in sorted(entries))
            for resource, entries in answers.items()
        }


def _topics(names: Iterable[str]) -> list[ConfigResource]:
    return [ConfigResource(ConfigResource.Type.TOPIC, name) for name in sorted(set(names))]

"""The control plane of a real cluster, over confluent-kafka."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any, TypeVar

from confluent_kafka import (
    OFFSET_INVALID,
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
)
from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    AdminClient,
    ConfigResource,
    ListOffsetsResultInfo,
    NewPartitions,
    OffsetSpec,
    TopicMetadata,
)
from confluent_kafka.cimpl import NewTopic as KafkaTopic

from kmirror.admin import _errors, _values
from kmirror.admin.base import Isolation, Which
from kmirror.admin.connection import Connected, cluster_name, connection_settings
from kmirror.admin.group_client import GroupClient
from kmirror.admin.leaderless import Leaderless
from kmirror.clock import Clock, SystemClock
from kmirror.errors import ClusterError, MirrorError
from kmirror.model import TopicPartition
from kmirror.pieces import pieces
from kmirror.plans.snapshot import (
    ClusterState,
    GroupPosition,
    TopicConfigEntry,
    TopicState,
)
from kmirror.plans.topic_requests import creations, growths, left_by_creations
from kmirror.plans.topics import GrowTopic, NewTopic
from kmirror.waits import waiting

PER_REQUEST_MAX = 1000  # topics or partitions in one request: an answer stays below a few MiB
_ANSWER_GRACE_S = 5.0  # for an answer that is lost: librdkafka keeps the deadline itself
_RETRY_PAUSE_S = 0.05
_CONNECTED_S_MAX = 3.0  # for an answer of brokers that are connected
_LEADERLESS_S_MAX = 2.0  # others wait so long for partitions that have no leader yet

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class KafkaAdmin(Connected):
    """
    A `ClusterAdmin` for real brokers.

    Args:
        alias: The cluster's alias, for messages.
        config: librdkafka settings, `bootstrap.servers` among them.
        timeout_s: Deadline of every call, seconds.
        clock: Where time comes from.
    """

    def __init__(
        self,
        alias: str,
        config: Mapping[str, Any],
        *,
        timeout_s: float = 60.0,
        clock: Clock | None = None,
    ) -> None:
        assert timeout_s > 0, "a deadline lies in the future"
        self._timeout_s = timeout_s
        self._clock: Clock = clock or SystemClock()
        self._cause = _errors.ConnectionCause()
        self._name = cluster_name(alias, config)
        self._settings = connection_settings(config, self._cause)
        self._groups: dict[str, GroupClient] = {}
        self._lock = threading.Lock()
        try:
            self._client = AdminClient(self._settings)
        except KafkaException as error:
            raise self._translated(error, "connect") from error
        self._closed = False
        self._is_connected = False
        self._leaderless = Leaderless(self._clock)
        self._never = threading.Event()

    def describe(self) -> ClusterState:
        """Return the cluster's id, brokers and controller."""
        return _values.cluster_state(self._description())

    def topics(self) -> Mapping[str, TopicState]:
        """Return every topic this principal may see, in one metadata request."""
        return _values.topic_states(self._metadata())

    def topic_ids(self, names: Iterable[str]) -> Mapping[str, str]:
        """Return topic ids (KIP-516), as Java prints them; leave out missing topics."""
        described = self._many(
            sorted(set(names)),
            lambda chunk: self._client.describe_topics(
                TopicCollection(list(chunk)), request_timeout=self._timeout_s
            ),
            "describe topic",
        )
        return {name: _values.uuid_text(topic.topic_id) for name, topic in described.items()}

    def topic_configs(self, names: Iterable[str]) -> Mapping[str, tuple[TopicConfigEntry, ...]]:
        """Return all settings of topics; topics that do not exist are left out."""
        resources = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in sorted(set(names))]
        return self._configs(resources, "read the settings of topic")

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
            futures = self._client.create_topics(
                request,
                operation_timeout=self._timeout_s,
                request_timeout=self._timeout_s,
                validate_only=validate_only,
            )
            failed |= self._failures(futures, "create topic", _errors.is_topic_exists)
        if validate_only:
            return failed
        made = (topic for topic in topics if topic.name not in failed)
        return failed | dict(self.create_partitions(left_by_creations(made)))

    def create_partitions(self, topics: Sequence[GrowTopic]) -> Mapping[str, MirrorError]:
        """Add partitions; gives the topics that failed. One that is as large has not failed."""
        failed: dict[str, MirrorError] = {}
        for chunk in growths(topics):
            request = [NewPartitions(topic.name, topic.to_partitions) for topic in chunk]
            futures = self._client.create_partitions(
                request, operation_timeout=self._timeout_s, request_timeout=self._timeout_s
            )
            failed |= self._failures(
                futures, "add partitions to topic", _errors.is_invalid_partitions
            )
        return failed

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
        found = self._list_offsets(partitions, _values.NEWEST, "read_uncommitted")
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
        answers = self._many(
            [_values.place(tp) for tp in self._leaderless.without(partitions)],
            lambda chunk: self._client.list_offsets(
                dict.fromkeys(chunk, spec), isolation_level=level, request_timeout=limit_s
            ),
            "read the offsets of",
            partial=partial,
        )
        self._is_connected = True
        found: dict[TopicPartition, ListOffsetsResultInfo] = {}
        for place, info in answers.items():
            partition = TopicPartition(place.topic, place.partition)
            if info.offset == OFFSET_INVALID:
                self._leaderless.note(partition)  # no error: nobody answered for it
            else:
                self._leaderless.clear(partition)
                found[partition] = info
        return found

    def group_positions(
        self, group: str, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, GroupPosition]:
        """Return the committed offsets of *group*, once no transaction is pending (KIP-447)."""
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

    def _group_call(self, group: str, doing: str, call: Callable[[GroupClient], T]) -> T:
        return self._retried(lambda: call(self._group(group)), doing)

    def _group(self, group: str) -> GroupClient:
        """Return the group's client; it is kept, because a new one has to find the coordinator."""
        with self._lock:
            if group not in self._groups:
                self._groups[group] = GroupClient(
                    self._settings, group, timeout_s=self._timeout_s, clock=self._clock
                )
            return self._groups[group]

    def close(self) -> None:
        """Let go of connections; calling it again does nothing."""
        if not self._closed:
            self._closed = True
            for group in self._groups.values():
                group.close()
            # The library closes when nothing refers to the client any more.
            del self._client

    def _description(self) -> Any:
        return self._retried(
            lambda: self._answer(self._client.describe_cluster(request_timeout=self._timeout_s)),
            "describe the cluster",
        )

    def _metadata(self) -> Mapping[str, TopicMetadata]:
        try:
            with self._waiting("list topics"):
                metadata = self._client.list_topics(timeout=self._timeout_s)
        except KafkaException as error:
            raise self._translated(error, "list topics") from error
        self._cause.clear()
        return metadata.topics

    def _configs(
        self, resources: Sequence[ConfigResource], doing: str
    ) -> dict[str, tuple[TopicConfigEntry, ...]]:
        answers = self._many(
            resources,
            lambda chunk: self._client.describe_configs(
                list(chunk), request_timeout=self._timeout_s
            ),
            doing,
        )
        return {
            resource.name: tuple(_values.config_entry(entries[name]) for name in sorted(entries))
            for resource, entries in answers.items()
        }

    def _retried(self, call: Callable[[], T], doing: str) -> T:
        """Ask one question and wait for the answer, again while the cluster says "not yet"."""
        deadline_s = self._clock.monotonic_s() + self._timeout_s
        with self._waiting(doing):
            while True:
                try:
                    answer = call()
                except (KafkaException, TimeoutError) as error:
                    if not self._may_retry(error, deadline_s):
                        raise self._translated(error, doing) from error
                    continue
                self._cause.clear()
                return answer

    def _many(
        self,
        items: Sequence[K],
        ask: Callable[[Collection[K]], Mapping[K, Future[Any]]],
        doing: str,
        *,
        partial: bool = False,
    ) -> dict[K, Any]:
        """Ask about *items*, chunk by chunk; what does not exist is left out of the answer."""
        answers: dict[K, Any] = {}
        with self._waiting(doing):
            for chunk in pieces(items, PER_REQUEST_MAX):
                self._ask(chunk, ask, doing, answers, partial=partial)
        self._cause.clear()
        return answers

    def _ask(
        self,
        pending: Collection[K],
        ask: Callable[[Collection[K]], Mapping[K, Future[Any]]],
        doing: str,
        answers: dict[K, Any],
        *,
        partial: bool,
    ) -> None:
        began_s = self._clock.monotonic_s()
        while pending:
            again: dict[K, BaseException] = {}
            for item, future in ask(pending).items():
                try:
                    answers[item] = self._answer(future)
                except (KafkaException, TimeoutError) as error:
                    if _errors.is_unknown_topic(error) or self._is_absent(item, error):
                        continue
                    # Only the first one waits; the others have had their pause by then.
                    if not again and not self._may_retry(error, began_s + self._timeout_s):
                        what = _values.label(item)
                        raise self._translated(error, f"{doing} {what}") from error
                    again[item] = error
            pending = again
            if partial and answers and self._clock.monotonic_s() - began_s > _LEADERLESS_S_MAX:
                pending = () if _errors.all_lack_leaders(again.values()) else again

    def _answer(self, future: Future[Any]) -> Any:
        return future.result(timeout=self._timeout_s + _ANSWER_GRACE_S)

    def _waiting(self, doing: str) -> AbstractContextManager[None]:
        return waiting(f"for {self._name}", doing, why=self._why)

    def _why(self) -> str:
        """Say what keeps connections from coming about; empty when that is not known."""
        with suppress(AttributeError):  # not open yet, or closed meanwhile
            self._client.poll(0)  # Serves error_cb, which may know.
        return self._cause.words()

    def _is_absent(self, item: object, error: BaseException) -> bool:
        """Tell a partition that does not exist from one that only lacks a leader now."""
        if not isinstance(item, KafkaPartition) or not _errors.is_leaderless(error):
            return False
        topic = self.topics().get(item.topic)
        return topic is None or item.partition >= topic.partitions

    def _may_retry(self, error: BaseException, deadline_s: float) -> bool:
        """Return whether *error* passes by itself and there is time; if so, pause."""
        passes = _errors.is_transient(error) or _errors.is_leaderless(error)
        if not passes or self._clock.monotonic_s() >= deadline_s:
            return False
        self._clock.wait(self._never, _RETRY_PAUSE_S)
        if _errors.is_outdated(error):
            # The library goes on with the leaders that it knows, for minutes.
            with suppress(KafkaException):
                self._client.list_topics(timeout=self._timeout_s)
        return True

    def _failures(
        self,
        futures: Mapping[str, Future[Any]],
        doing: str,
        harmless: Callable[[BaseException], bool],
    ) -> dict[str, MirrorError]:
        failed: dict[str, MirrorError] = {}
        with self._waiting(doing):
            for name, future in futures.items():
                try:
                    self._answer(future)
                except (KafkaException, TimeoutError) as error:
                    if not harmless(error):
                        failed[name] = self._translated(error, f"{doing} {name}")
        return failed

    def _translated(self, error: BaseException | KafkaError, doing: str) -> ClusterError:
        self._why()
        return _errors.translate(error, cluster=self._name, doing=doing, cause=self._cause)

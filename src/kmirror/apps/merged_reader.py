"""
A topic and its copies from other clusters, read as one topic.

    with MergedReader(
        {"bootstrap.servers": "kafka-a:9092", "group.id": "billing"},
        "payment-events",
        clusters=["kafka-a", "kafka-b"],
    ) as reader:
        while running:
            for record in reader.poll(1.0):
                handle(record)
            reader.commit()

Records come in the order of their times, whichever cluster they were written on; one whose time
lies in the future comes as if it had been written when it arrived here. Those that came by two ways
come once, if one process reads both and the copies are less than 100,000 records apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from confluent_kafka import Consumer, KafkaError, Message
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors, _values
from kmirror.admin.connection import Connected, connection_settings
from kmirror.admin.reader import headers_of
from kmirror.apps.consume import subscription
from kmirror.apps.event_time_merge import EventTimeMerge
from kmirror.clock import Clock, SystemClock
from kmirror.model import TopicPartition

_BATCH_MAX = 1_000
_WAITING_MAX = 10_000  # of a partition; beyond it is paused until the others have caught up
_SETTINGS = {
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "topic.metadata.refresh.interval.ms": 5_000,  # how soon a new copy of the topic is found
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRecord:
    """
    A record of a topic or of one of its copies.

    Args:
        partition, offset: Where it lies on the cluster that is read.
        key, value, headers: Its content.
        timestamp_ms: Its time, milliseconds since the epoch.
    """

    partition: TopicPartition
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    timestamp_ms: int


class MergedReader(Connected):
    """
    Reads a topic and its copies as a member of a group.

    Args:
        config: librdkafka settings, `bootstrap.servers` and `group.id` among them.
        topic: The topic's name where it is written.
        clusters: The aliases that copies may come from.
        hold_back_s: How long a record is kept so that older ones from elsewhere come first:
            longer than mirroring takes.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        topic: str,
        *,
        clusters: Sequence[str],
        hold_back_s: float = 1.0,
        clock: Clock | None = None,
    ) -> None:
        self._hold_back_ms = int(hold_back_s * 1000)
        self._clock: Clock = clock or SystemClock()
        self._merge: EventTimeMerge[TopicPartition, MergedRecord] = EventTimeMerge(
            time_ms=_time_ms, identity=_identity
        )
        self._next: dict[TopicPartition, int] = {}
        self._paused: set[TopicPartition] = set()
        self._cause = _errors.ConnectionCause()
        self._consumer = Consumer(connection_settings({**_SETTINGS, **config}, self._cause))
        self._consumer.subscribe(
            [subscription(topic, clusters=clusters)],
            on_assign=self._assigned,
            on_revoke=self._revoked,
        )

    def poll(self, timeout_s: float) -> list[MergedRecord]:
        """
        Return what is in order by now.

        Args:
            timeout_s: How long to wait for records that are not here yet.

        Raises:
            ClusterError: The cluster refuses; what passes is waited for.
        """
        first = self._consumer.consume(1, timeout_s)
        messages = (*first, *self._consumer.consume(_BATCH_MAX, 0))
        now_ms = self._clock.wall_ms()
        for message in messages:
            self._take(message, now_ms)
        given: list[MergedRecord] = []
        for partition, record, is_new in self._merge.ready(now_ms - self._hold_back_ms):
            self._next[partition] = record.offset + 1
            if is_new:
                given.append(record)
        self._hold_up_the_fast()
        return given

    def commit(self) -> None:
        """
        Commit the offsets of what `poll` has given, and of nothing else.

        Raises:
            KafkaException: The group did not take them.
        """
        places = [KafkaPartition(tp.topic, tp.partition, at) for tp, at in self._next.items()]
        if places:
            self._consumer.commit(offsets=places, asynchronous=False)

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()

    def _take(self, message: Message, arrived_ms: int) -> None:
        error = message.error()
        partition = TopicPartition(message.topic() or "", message.partition() or 0)
        if error is None:
            self._merge.add(partition, _record(partition, message), arrived_ms=arrived_ms)
        elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001  # a public code
            self._merge.end(partition)
        elif not _errors.is_passing(error):
            raise _errors.translate(
                error, cluster="the cluster", doing="read records", cause=self._cause
            )

    def _assigned(self, _consumer: Consumer, partitions: list[KafkaPartition]) -> None:
        for at in partitions:
            self._merge.open(TopicPartition(at.topic, at.partition))

    def _revoked(self, _consumer: Consumer, partitions: list[KafkaPartition]) -> None:
        """Whoever has them next begins behind what was committed."""
        for at in partitions:
            partition = TopicPartition(at.topic, at.partition)
            self._merge.close(partition)
            self._next.pop(partition, None)
            self._paused.discard(partition)

    def _hold_up_the_fast(self) -> None:
        full = {at for at in self._next_or_waiting() if self._merge.waiting(at) >= _WAITING_MAX}
        if pause := full - self._paused:
            self._consumer.pause([_values.place(tp) for tp in pause])
        if resume := self._paused - full:
            self._consumer.resume([_values.place(tp) for tp in resume])
        self._paused = full

    def _next_or_waiting(self) -> set[TopicPartition]:
        return {TopicPartition(at.topic, at.partition) for at in self._consumer.assignment()}


def _record(partition: TopicPartition, message: Message) -> MergedRecord:
    return MergedRecord(
        partition=partition,
        offset=cast("int", message.offset()),
        key=message.key(),
        value=message.value(),
        headers=headers_of(message),
        timestamp_ms=message.timestamp()[1],
    )


def _time_ms(record: MergedRecord) -> int:
    return record.timestamp_ms


def _identity(record: MergedRecord) -> Hashable:
    content = repr((record.key, record.value, record.headers, record.timestamp_ms))
    return hashlib.blake2b(content.encode(), digest_size=16).digest()

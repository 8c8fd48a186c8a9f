"""Writes the canary's records on the source, and looks for them on the target."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
)
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors
from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import READS_ALONE, Connected, close_producer
from kmirror.admin.reader import headers_of
from kmirror.admin.renewal import Renewal
from kmirror.canary.connection import Connection
from kmirror.clock import Clock
from kmirror.errors import MirrorError
from kmirror.load.instants import Instants
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic
from kmirror.state.canary_figures import CanaryFigures
from kmirror.wire.load_stamps import HEADER, LoadStamp, stamp_of

_LOOK_S = 1.0
_BATCH_RECORDS = 1_000
_DELIVERY_MS = 30_000
_BROKERS_DEFAULT = -1
DOING = "go the way"
"""What a canary could not, as messages say it."""
# Longer than any outage that somebody would sit out: a gap in it would be a gap of the flow.
_RETENTION_MS = 7 * 86_400_000

_WRITES: Mapping[str, Any] = {
    "enable.idempotence": True,
    "delivery.timeout.ms": _DELIVERY_MS,
    "linger.ms": 0,
}
_READS: Mapping[str, Any] = {
    **READS_ALONE,
    "isolation.level": "read_committed",
    "auto.offset.reset": "earliest",
    "fetch.wait.max.ms": 100,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CanarySide:
    """
    One end of the canary's way.

    Args:
        topic: The topic there.
        name: The cluster as messages shall name it.
        admin: Its control plane.
        settings: librdkafka settings.
    """

    topic: str
    name: str
    admin: ClusterAdmin
    settings: Mapping[str, Any]


class _Client:
    """What one client says of its connections."""

    def __init__(
        self,
        side: CanarySide,
        ours: Mapping[str, Any],
        reconnected: Callable[[float], None],
        instants: Instants,
        clock: Clock,
    ) -> None:
        self._name = side.name
        self._connection = Connection(reconnected)
        self._instants = instants
        self._cause = _errors.ConnectionCause()
        self._renewal = Renewal(
            side.settings,
            ours,
            cause=self._cause,
            cluster=side.name,
            doing=DOING,
            clock=clock,
        )

    def settings(self) -> dict[str, Any]:
        """Return what to open it with."""
        return self._renewal.settings() | {"error_cb": self._failed}

    def _failed(self, error: KafkaError) -> None:
        self._cause.on_error(error)
        self._connection.down(self._instants.now_us())

    def up(self, now_us: int) -> None:
        """Take an answer: there is a connection."""
        self._cause.clear()
        self._connection.up(now_us)

    def held_since(self, sent_us: int) -> bool:
        """Whether there was a connection all the time since *sent_us*."""
        return self._connection.held_since(sent_us)

    def check(self) -> None:
        """
        Tell whether another client is to be opened.

        Raises:
            ClusterError: This one is refused; another one has newer certificates.
        """
        refusal = self._cause.last()
        if refusal is not None and self._renewal.is_due:
            raise _errors.translate(refusal, cluster=self._name, doing=DOING)


class Prober(Connected):
    """
    One run of a canary. All of it is called by one thread.

    Args:
        source, target: Both ends.
        figures: Take what is seen.
        interval_s: Time between two records of a partition.
        clock: Where time comes from.
    """

    def __init__(
        self,
        source: CanarySide,
        target: CanarySide,
        figures: CanaryFigures,
        *,
        interval_s: float,
        clock: Clock,
    ) -> None:
        self._source = source
        self._target = target
        self._figures = figures
        self._interval_s = interval_s
        self._clock = clock
        self._instants = Instants(clock)
        self._run = secrets.token_hex(4)
        reconnected = figures.reconnected
        self._writes = _Client(source, _WRITES, reconnected, self._instants, clock)
        self._reads = _Client(target, _READS, reconnected, self._instants, clock)
        self._numbers: list[int] = []
        self._assigned: set[int] = set()
        self._sent_s: float | None = None
        self._looked_s = 0.0
        self._producer = Producer(self._writes.settings())
        self._consumer = Consumer(self._reads.settings())

    def begin(self) -> None:
        """
        Make the topic if need be, and find out where to begin on the target.

        Raises:
            ClusterError: A cluster refuses, or does not answer.
        """
        self._figures.begin()
        self._numbers = [0] * self._topic_partitions()
        copy = self._target.admin.topic(self._target.topic)
        if copy is None:
            return  # it is looked for again and again
        places = [TopicPartition(self._target.topic, each) for each in range(copy.partitions)]
        ends = self._target.admin.offsets(places, isolation="read_committed")
        for place in places:
            if place in ends:
                self._assign(place.partition, ends[place])

    def _topic_partitions(self) -> int:
        """Return how many partitions the topic has: one for each broker, as it is created."""
        topic, admin = self._source.topic, self._source.admin
        there = admin.topic(topic)
        if there is not None:
            return there.partitions
        new = NewTopic(
            name=topic,
            partitions=max(1, len(admin.describe().brokers)),
            replication_factor=_BROKERS_DEFAULT,
            configs=(("cleanup.policy", "delete"), ("retention.ms", str(_RETENTION_MS))),
        )
        for error in admin.create_topics([new]).values():
            raise error
        return new.partitions

    def step(self, timeout_s: float, *, writes: bool = True) -> None:
        """
        Write what is due, and take what has come.

        Args:
            timeout_s: How long to wait for something, seconds.
            writes: Whether records are written; otherwise only those on their way are looked for.

        Raises:
            ClusterError: The read was refused, or a client is: another one may be let in.
            KafkaException: A client is useless from now on.
        """
        now_s = self._clock.monotonic_s()
        self._writes.check()
        self._reads.check()
        if writes and (self._sent_s is None or now_s - self._sent_s >= self._interval_s):
            self._sent_s = now_s
            for partition in range(len(self._numbers)):
                self._send(partition)
        self._producer.poll(0)
        self._look(now_s)
        if self._assigned:
            for message in self._consumer.consume(_BATCH_RECORDS, timeout_s):
                self._take(message)
        else:
            self._producer.poll(timeout_s)
        self._figures.look(self._clock.monotonic_s())

    def _send(self, partition: int) -> None:
        number, now_us = self._numbers[partition], self._instants.now_us()
        self._numbers[partition] += 1
        stamp = LoadStamp(self._run, partition, number, now_us)
        # As strimzi-canary writes it, for those who look.
        value = {"producerId": self._run, "messageId": number, "timestamp": now_us // 1000}
        # By the clock that overdue ones are looked for with: it may have jumped since the start.
        self._figures.sent(partition, number, self._clock.wall_ms() * 1000)
        try:
            self._producer.produce(
                self._source.topic,
                json.dumps(value).encode(),
                partition=partition,
                headers=[(HEADER, stamp.encode())],
                on_delivery=partial(self._answered, stamp),
            )
        except BufferError:
            self._figures.refused(partition, number)

    def _answered(self, stamp: LoadStamp, error: KafkaError | None, _: Message) -> None:
        now_us = self._instants.now_us()
        if error is not None:
            self._figures.refused(stamp.partition, stamp.number)
            return
        held = self._writes.held_since(stamp.sent_us)
        self._writes.up(now_us)
        took_s = (now_us - stamp.sent_us) / 1e6 if held else None
        self._figures.answered(stamp.partition, stamp.number, took_s)

    def _look(self, now_s: float) -> None:
        """Find partitions of the copy that are new; what they hold is read from the beginning."""
        if len(self._assigned) >= len(self._numbers) or now_s - self._looked_s < _LOOK_S:
            return
        self._looked_s = now_s
        try:
            copy = self._target.admin.topic(self._target.topic)
        except MirrorError:
            return  # it is asked again
        for number in range(0 if copy is None else copy.partitions):
            if number not in self._assigned:
                self._assign(number, OFFSET_BEGINNING)

    def _assign(self, number: int, offset: int) -> None:
        self._assigned.add(number)
        place = KafkaPartition(self._target.topic, number, offset)
        self._consumer.incremental_assign([place])

    def _take(self, message: Message) -> None:
        error = message.error()
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001  # a public code
                self._reads.up(self._instants.now_us())
            elif not _errors.is_passing(error):
                raise KafkaException(error)
            return
        now_us = self._instants.now_us()
        stamp = stamp_of(headers_of(message))
        is_ours = stamp is not None and stamp.run == self._run
        if stamp is not None and is_ours:
            held = self._reads.held_since(stamp.sent_us) and self._writes.held_since(stamp.sent_us)
            took_s = (now_us - stamp.sent_us) / 1e6 if held else None
            self._figures.came(
                stamp.partition, stamp.number, took_s, at_us=self._clock.wall_ms() * 1000
            )
        self._reads.up(now_us)

    def close(self) -> None:
        """Let go of connections."""
        close_producer(self._producer)
        self._consumer.close()

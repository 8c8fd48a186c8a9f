"""Reads the records of a load, looks at their stamps, and measures how long they took."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors
from kmirror.admin.base import ClusterAdmin, Isolation
from kmirror.admin.connection import READS_ALONE, Connected, connection_settings, open_client
from kmirror.admin.reader import headers_of
from kmirror.clock import Clock
from kmirror.errors import ClusterError, ClusterUnavailable
from kmirror.load.course import Course
from kmirror.load.instants import Instants
from kmirror.load.result import Audits, Consumed, Measured
from kmirror.model import TopicPartition
from kmirror.sequence.latencies import Latencies
from kmirror.waits import waiting
from kmirror.wire.load_stamps import stamp_of

_BATCH_RECORDS = 5_000
_POLL_S = 0.1
_LOOK_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeSpec:
    """
    What is read.

    Args:
        topic: Of where; one that does not exist yet is waited for, if it is followed.
        from_beginning: Read what is there already.
        follow: Go on behind what is there now.
        records: How many at most; `None` for no limit.
        seconds: For how long at most; `None` for no limit.
        run: The run whose records count; `None` for all.
        whole_run: Its first record comes, too, wherever reading begins: it is missed otherwise.
        isolation: Whether what transactions have not committed is read.
    """

    topic: str
    from_beginning: bool = True
    follow: bool = False
    records: int | None = None
    seconds: float | None = None
    run: str | None = None
    whole_run: bool = False
    isolation: Isolation = "read_committed"

    def audits(self) -> Audits:
        """Return what follows the records."""
        return Audits(from_beginning=self.from_beginning or self.whole_run, only=self.run)


class LoadConsumer(Connected):
    """
    A reader of stamped records; it is in no group. `begin` and `run` once.

    Args:
        config: librdkafka settings.
        spec: What it reads.
        admin: The control plane of the same cluster.
        cluster: The cluster as messages shall name it.
        clock: Where time comes from.
        instants: The same for stamps.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        spec: ConsumeSpec,
        admin: ClusterAdmin,
        *,
        cluster: str,
        clock: Clock,
        instants: Instants,
    ) -> None:
        self._spec = spec
        self._admin = admin
        self._cluster = cluster
        self._clock = clock
        self._instants = instants
        self._cause = _errors.ConnectionCause()
        settings = {
            "fetch.wait.max.ms": 100,
            "fetch.queue.backoff.ms": 5,
            **config,
            **READS_ALONE,
            "isolation.level": spec.isolation,
            "auto.offset.reset": "error",
        }
        try:
            complete = connection_settings(settings, self._cause)
            self._consumer = open_client(Consumer, complete, cluster)
        except KafkaException as error:
            raise self._translated(error) from error
        self._ends: dict[int, int] = {}
        self._at: dict[int, int] = {}
        self._looked_s = 0.0
        self._latencies = Latencies()
        self._first_s: float | None = None
        self._last_s = 0.0
        self.audits = spec.audits()
        self.course = Course(clock.monotonic_s())
        self.records = 0
        self.bytes = 0

    def begin(self) -> None:
        """
        Find out where to begin: what is written from now on is read.

        Raises:
            ClusterError: There is no such topic, or the cluster does not answer.
        """
        topic = self._admin.topic(self._spec.topic)
        if topic is None:
            if self._spec.follow:
                return
            raise ClusterError(f"{self._cluster}: there is no topic {self._spec.topic}")
        places = [TopicPartition(self._spec.topic, each) for each in range(topic.partitions)]
        ends = self._admin.offsets(places, isolation=self._spec.isolation)
        starts = self._admin.offsets(places, "earliest") if self._spec.from_beginning else ends
        for place in places:
            if place not in starts or place not in ends:
                raise ClusterUnavailable(f"{self._cluster}: {place} has no leader")
            self._ends[place.partition] = ends[place]
            self._assign(place.partition, starts[place])

    def run(self, stop: threading.Event, is_over: Callable[[], bool] = lambda: False) -> Consumed:
        """
        Read until the end, or until *stop* is set.

        Args:
            stop: Ends it.
            is_over: Asked again and again whether all has come.

        Raises:
            ClusterError: The read was refused, or what was to be read is gone.
        """
        began_s = self._looked_s = self._clock.monotonic_s()
        self.course = Course(began_s)
        try:
            with waiting(f"for {self._cluster}", self._doing, why=self._cause.words):
                while not stop.is_set() and not is_over() and not self._has_all(began_s):
                    self._look()
                    for message in self._consumer.consume(_BATCH_RECORDS, _POLL_S):
                        self._take(message)
                        if self.records == self._spec.records:
                            break
                    self.course.look(self._clock.monotonic_s())
        except KafkaException as error:
            raise self._translated(error) from error
        self.course.look(self._clock.monotonic_s(), is_over=True)
        return self._consumed()

    def _has_all(self, began_s: float) -> bool:
        spec = self._spec
        is_enough = spec.records is not None and self.records >= spec.records
        is_late = spec.seconds is not None and self._clock.monotonic_s() - began_s >= spec.seconds
        if is_enough or is_late:
            return True
        return not spec.follow and all(self._at[each] >= end for each, end in self._ends.items())

    def _look(self) -> None:
        """Find partitions that are new."""
        now_s = self._clock.monotonic_s()
        if not self._spec.follow or now_s - self._looked_s < _LOOK_S:
            return
        self._looked_s = now_s
        try:
            topic = self._admin.topic(self._spec.topic)
        except ClusterUnavailable:
            return  # it is asked again
        for number in range(0 if topic is None else topic.partitions):
            if number not in self._at:
                self._assign(number, OFFSET_BEGINNING)

    def _assign(self, number: int, offset: int) -> None:
        self._at[number] = offset
        place = KafkaPartition(self._spec.topic, number, offset)
        self._consumer.incremental_assign([place])

    def _take(self, message: Message) -> None:
        error = message.error()
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001  # a public code
                self._pass(message, message.offset() or 0)
            elif not _errors.is_passing(error):
                raise KafkaException(error)
            return
        now_s = self._clock.monotonic_s()
        self._first_s = now_s if self._first_s is None else self._first_s
        self._last_s = now_s
        self._pass(message, (message.offset() or 0) + 1)
        size = len(message.key() or b"") + len(message.value() or b"")
        stamp = stamp_of(headers_of(message))
        took_us = None
        if self.audits.add(stamp) and stamp is not None:
            took_us = self._instants.now_us() - stamp.sent_us
            self._latencies.add_us(took_us)
        self.records += 1
        self.bytes += size
        self.course.add(size, took_us)

    def _pass(self, message: Message, offset: int) -> None:
        self._cause.clear()
        number = message.partition() or 0
        self._at[number] = max(self._at.get(number, 0), offset)

    def _consumed(self) -> Consumed:
        first_s = self._last_s if self._first_s is None else self._first_s
        return Consumed(
            measured=Measured(
                records=self.records,
                bytes=self.bytes,
                took_s=self._last_s - first_s,
                latency=self._latencies.spread(),
                curve=self._latencies.curve(),
                moments=self.course.moments,
            ),
            runs=self.audits.found(),
            unstamped=self.audits.unstamped,
        )

    @property
    def _doing(self) -> str:
        return f"read topic {self._spec.topic}"

    def _translated(self, error: BaseException) -> ClusterError:
        return _errors.translate(error, cluster=self._cluster, doing=self._doing, cause=self._cause)

    def close(self) -> None:
        """Let go of connections."""
        self._consumer.close()

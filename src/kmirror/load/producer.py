"""Writes the records of a load, at a rate, and measures until they are acknowledged."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kmirror.admin import _errors
from kmirror.admin.connection import Connected, close_producer, connection_settings, open_client
from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.load.content import Content
from kmirror.load.course import Course
from kmirror.load.instants import Instants
from kmirror.load.pace import Pace
from kmirror.load.result import Measured, Produced, WrittenPartition, WrittenRun
from kmirror.sequence.latencies import Latencies
from kmirror.waits import waiting
from kmirror.wire.load_stamps import HEADER, LoadStamp
from kmirror.wire.murmur2 import partition_for_key

_STEP_S = 0.1
_FINISH_S_MAX = 120.0
_KEYS_KNOWN_MAX = 100_000
# What was not acknowledged is remembered one by one; with so many it is of no use to go on.
_FAILED_MAX = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProduceSpec:
    """
    What is written.

    Args:
        run: The run's name in stamps; letters and digits.
        topic: Where to; it exists.
        partitions: How many it has.
        records: How many; `None` until the time is over.
        seconds: For how long; `None` until all are written.
        rate_per_s: Records a second at most; 0 for as fast as it goes.
        transaction_records: Records in a transaction; 0 for none.
        abort_every: The records of each so manieth transaction are written once more in one that
            is aborted; 0 for never.
    """

    run: str
    topic: str
    partitions: int
    records: int | None = None
    seconds: float | None = None
    rate_per_s: float = 0.0
    transaction_records: int = 0
    abort_every: int = 0


class LoadProducer(Connected):
    """
    A producer of stamped records; `run` once.

    Args:
        config: librdkafka settings.
        spec: What it writes.
        cluster: The cluster as messages shall name it.
        clock: Where time comes from.
        instants: The same for stamps.

    Raises:
        ClusterError: The client does not take its settings.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        spec: ProduceSpec,
        *,
        cluster: str,
        clock: Clock,
        instants: Instants,
    ) -> None:
        self._spec = spec
        self._cluster = cluster
        self._clock = clock
        self._instants = instants
        self._cause = _errors.ConnectionCause()
        settings = {"enable.idempotence": True, "linger.ms": 5, **config}
        if spec.transaction_records:
            settings["transactional.id"] = f"kmirror-load-{spec.run}"
        try:
            complete = connection_settings(settings, self._cause)
            self._producer = open_client(Producer, complete, cluster)
        except KafkaException as error:
            raise self._translated(error) from error
        self._sent = [0] * spec.partitions
        self._failed: list[list[int]] = [[] for _ in range(spec.partitions)]
        self._turn = 0
        self._failures: Counter[str] = Counter()
        self._latencies = Latencies()
        self._last_s = 0.0
        self._open: list[tuple[int, Content]] = []
        self._in_transaction = 0
        self._is_over: Callable[[], bool] = lambda: False
        self.course = Course(clock.monotonic_s())
        self.acknowledged = 0
        self.bytes = 0
        self.transactions = 0
        self.aborted = 0
        self._partition_of: Callable[[bytes], int] = lru_cache(_KEYS_KNOWN_MAX)(
            lambda key: partition_for_key(key, spec.partitions)
        )

    @property
    def failed(self) -> int:
        """How many records were not acknowledged."""
        return sum(self._failures.values())

    @property
    def written(self) -> WrittenRun:
        """What was written so far."""
        return WrittenRun(
            run=self._spec.run,
            topic=self._spec.topic,
            partitions=tuple(
                WrittenPartition(partition=number, sent=sent, failed=tuple(self._failed[number]))
                for number, sent in enumerate(self._sent)
            ),
        )

    def run(self, contents: Iterator[Content], stop: threading.Event) -> Produced:
        """
        Write until all is written, time is over, or *stop* is set.

        Args:
            contents: What.
            stop: Ends it; what is on its way is still waited for.

        Raises:
            ClusterError: The cluster refuses what every record needs, or is gone for good.
        """
        try:
            with waiting(f"for {self._cluster}", self._doing, why=self._cause.words):
                if self._spec.transaction_records:
                    self._producer.init_transactions(_FINISH_S_MAX)
                    self._producer.begin_transaction()
            began_s = self._clock.monotonic_s()
            self.course = Course(began_s)
            self._write(contents, stop, began_s)
            self._finish()
        except KafkaException as error:
            raise self._translated(error) from error
        self.course.look(self._clock.monotonic_s(), is_over=True)
        return self._produced(began_s)

    def _write(self, contents: Iterator[Content], stop: threading.Event, began_s: float) -> None:
        spec = self._spec
        pace = Pace(spec.rate_per_s, began_s=began_s, began_us=self._instants.now_us())

        def is_over() -> bool:
            is_late = spec.seconds is not None and (
                self._clock.monotonic_s() - began_s >= spec.seconds
            )
            # Which records failed has to be known of each: there is an end to that.
            return stop.is_set() or is_late or self.failed >= _FAILED_MAX

        self._is_over = is_over
        for number, content in enumerate(contents):
            if number == spec.records or not self._wait(pace, number):
                return
            sent_us = pace.sent_us(number, self._clock.monotonic_s())
            if not self._send(content, sent_us):
                return
            if spec.transaction_records and (number + 1) % spec.transaction_records == 0:
                self._end_transaction()
                self._producer.begin_transaction()

    def _wait(self, pace: Pace, number: int) -> bool:
        """Wait until a record is due; tells whether it still is to be written."""
        while True:
            now_s = self._clock.monotonic_s()
            if self._is_over():
                return False
            early_s = pace.early_s(number, now_s)
            self._producer.poll(min(early_s, _STEP_S))
            self.course.look(now_s)
            if early_s <= _STEP_S:
                return True

    def _send(self, content: Content, sent_us: int) -> bool:
        """Give a record to the client; tells whether it still was to be written."""
        partition = self._partition(content.key)
        number = self._sent[partition]
        stamp = LoadStamp(self._spec.run, partition, number, sent_us)
        size = len(content.key or b"") + len(content.value or b"")

        def answered(error: KafkaError | None, _: Message) -> None:
            self._answered(error, stamp, size)

        if not self._produce(content, stamp, answered):
            return False
        self._sent[partition] += 1
        self._in_transaction += 1
        if self._spec.abort_every:
            self._open.append((partition, content))
        return True

    def _produce(
        self,
        content: Content,
        stamp: LoadStamp,
        answered: Callable[[KafkaError | None, Message], None],
    ) -> bool:
        headers: list[tuple[str, str | bytes | None]] = [*content.headers]
        headers.append((HEADER, stamp.encode()))
        while True:
            try:
                self._producer.produce(
                    self._spec.topic,
                    content.value,
                    content.key,
                    partition=stamp.partition,
                    headers=headers,
                    on_delivery=answered,
                )
                return True
            except BufferError:
                # The queue is full: the cluster is the slower one, or does not answer at all.
                if self._is_over():
                    return False
                self._producer.poll(_STEP_S)
                self.course.look(self._clock.monotonic_s())

    def _partition(self, key: bytes | None) -> int:
        """Choose as Java's producers do; what has no key goes round."""
        if key is not None:
            return self._partition_of(key)
        self._turn = (self._turn + 1) % self._spec.partitions
        return self._turn

    def _answered(self, error: KafkaError | None, stamp: LoadStamp, size: int) -> None:
        self._last_s = self._clock.monotonic_s()
        if error is not None:
            self._failures[error.str()] += 1
            self._failed[stamp.partition].append(stamp.number)
            return
        self._cause.clear()
        took_us = self._instants.now_us() - stamp.sent_us
        self.acknowledged += 1
        self.bytes += size
        self._latencies.add_us(took_us)
        self.course.add(size, took_us)

    def _end_transaction(self) -> None:
        self._producer.commit_transaction(_FINISH_S_MAX)
        again, self._open = self._open, []
        if not self._in_transaction:
            return  # the last one, behind the last record
        self._in_transaction = 0
        self.transactions += 1
        if self._spec.abort_every and self.transactions % self._spec.abort_every == 0:
            self._abort(again)

    def _abort(self, again: Sequence[tuple[int, Content]]) -> None:
        """Write records once more, for nobody to see."""
        self._producer.begin_transaction()
        for partition, content in again:
            stamp = LoadStamp(self._spec.run, partition, 0, self._instants.now_us(), True)
            self._produce(content, stamp, lambda *_: None)
            self._producer.poll(0)
        self._producer.flush(_FINISH_S_MAX)
        self._producer.abort_transaction(_FINISH_S_MAX)
        self.aborted += len(again)

    def _finish(self) -> None:
        """Wait for what is on its way."""
        with waiting(f"for {self._cluster}", self._doing, why=self._cause.words):
            if self._spec.transaction_records:
                self._end_transaction()
            until_s = self._clock.monotonic_s() + _FINISH_S_MAX
            while len(self._producer) and self._clock.monotonic_s() < until_s:
                self._producer.flush(_STEP_S)
                self.course.look(self._clock.monotonic_s())
            if len(self._producer):
                # What nobody has answered by now was not acknowledged: nobody may miss it.
                self._producer.purge()
                self._producer.poll(0)

    def _produced(self, began_s: float) -> Produced:
        return Produced(
            written=self.written,
            measured=Measured(
                records=self.acknowledged,
                bytes=self.bytes,
                took_s=max(self._last_s - began_s, 0.0),
                latency=self._latencies.spread(),
                curve=self._latencies.curve(),
                moments=self.course.moments,
            ),
            failures=dict(self._failures),
            transactions=self.transactions,
            aborted=self.aborted,
        )

    @property
    def _doing(self) -> str:
        return f"write to topic {self._spec.topic}"

    def _translated(self, error: BaseException) -> ClusterError:
        return _errors.translate(error, cluster=self._cluster, doing=self._doing, cause=self._cause)

    def close(self) -> None:
        """Let go of connections."""
        close_producer(self._producer)

"""Reads the records of a partition between two offsets, in batches, with a deadline."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, cast

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors
from kmirror.admin.base import ClusterAdmin, Isolation
from kmirror.admin.connection import READS_ALONE, Connected, connection_settings, open_client
from kmirror.admin.log_bounds import log_end, log_end_of_new, log_start
from kmirror.clock import Clock, SystemClock
from kmirror.errors import ClusterError, ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror.waits import waiting

BATCH_RECORDS_MAX = 10_000
BATCH_BYTES_MAX = 16 * 1024 * 1024  # of one batch; the same again waits inside librdkafka
_FIRST_BATCH_RECORDS = 256  # until the size of records is known; 1 MiB records still fit
_GROWTH_MAX = 8
_POLL_S = 0.25
_LEARN_S_MAX = 1.0  # it saves no more
_LEARNT_S = 10.0


class StoredRecord(NamedTuple):
    """A record of an internal topic: its offset, and its time in milliseconds since the epoch."""

    offset: int
    key: bytes | None
    value: bytes | None
    at_ms: int


class RecordReader(Connected):
    """
    A consumer without a group's duties: it is told what to read and commits nothing.

    Args:
        config: librdkafka settings.
        cluster: The cluster as messages shall name it.
        isolation: Whether to read what transactions have not committed.
        timeout_s: How long a partition may give nothing although its end is not reached.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        *,
        cluster: str,
        isolation: Isolation = "read_committed",
        timeout_s: float = 60.0,
        clock: Clock | None = None,
    ) -> None:
        self._cluster = cluster
        self._timeout_s = timeout_s
        self._clock: Clock = clock or SystemClock()
        self._cause = _errors.ConnectionCause()
        self._learnt_s: dict[str, float] = {}
        settings = {
            **READS_ALONE,
            "isolation.level": isolation,
            "auto.offset.reset": "error",
            "queued.min.messages": 50_000,
            "queued.max.messages.kbytes": BATCH_BYTES_MAX // 1024,
            "fetch.message.max.bytes": 4 * 1024 * 1024,
            "fetch.wait.max.ms": 100,
            # The default of a second would idle each time the queue has been full.
            "fetch.queue.backoff.ms": 5,
        }
        try:
            complete = connection_settings(config, self._cause, settings)
            self._consumer = open_client(Consumer, complete, cluster)
        except KafkaException as error:
            raise self._translated(error, "read records") from error

    def batches(
        self,
        partition: TopicPartition,
        start: int,
        end: int,
        *,
        first_records: int = _FIRST_BATCH_RECORDS,
    ) -> Generator[list[Message], None, None]:
        """
        Yield the records from *start* up to, not including, *end*.

        Control records and removed ones leave holes in the offsets. Asking for something else ends
        this iteration.

        Args:
            partition: What to read.
            start: The first offset, which the log still holds.
            end: The offset to stop before, at most the end of the log at this isolation level.
            first_records: How many to take at first, at most.

        Raises:
            ClusterUnavailable: Nothing came for the time allowed.
            ClusterError: *start* is no longer in the log, or the read was refused.
        """
        yield from self.batches_of({partition: (start, end)}, first_records=first_records)

    def batches_of(
        self,
        ranges: Mapping[TopicPartition, tuple[int, int]],
        *,
        first_records: int = _FIRST_BATCH_RECORDS,
    ) -> Generator[list[Message], None, None]:
        """
        Do the same for several partitions at a time; the records of each are in their order.

        Args:
            ranges: Start and end of each partition.
            first_records: How many to take at first, at most.

        Raises:
            ClusterError: As `batches`.
        """
        left = _Left(ranges)
        if not left.at:
            return
        self._learn({tp.topic for tp in left.at})
        self._consumer.assign([KafkaPartition(*tp, at) for tp, at in left.at.items()])
        wanted = first_records
        try:
            while records := self._next(left, wanted):
                wanted = _next_batch(records, wanted)
                yield records
        finally:
            self._consumer.unassign()

    def _learn(self, topics: Collection[str]) -> None:
        """
        Find out who leads partitions.

        A client that is connected already looks for the leaders of what it is assigned only once
        a second. What is wrong here shows when records are read.
        """
        for topic in topics:
            now_s = self._clock.monotonic_s()
            if now_s - self._learnt_s.get(topic, -math.inf) > _LEARNT_S:
                self._learnt_s[topic] = now_s
                with suppress(KafkaException):
                    self._consumer.list_topics(topic, timeout=_LEARN_S_MAX)

    def _next(self, left: _Left, wanted: int) -> list[Message]:
        """Return the next records, none when there are no more."""
        deadline_s = self._clock.monotonic_s() + self._timeout_s
        doing = f"read {left.first}"
        with waiting(f"for {self._cluster}", doing, why=self._cause.words):
            while left.at:
                if records := self._sift(self._take(wanted), left):
                    return records
                self._check_deadline(deadline_s, left)
        return []

    def _take(self, wanted: int) -> list[Message]:
        """Wait for one message, and take what has come with it: a batch waits until it is full."""
        first = self._consumer.poll(_POLL_S)
        if first is None:
            return []
        return [first, *self._consumer.consume(wanted - 1, 0)] if wanted > 1 else [first]

    def read_on(
        self,
        admin: ClusterAdmin,
        partition: TopicPartition,
        take: Callable[[bytes | None, bytes | None, int], None],
        *,
        start: int | None = None,
    ) -> int:
        """
        Read what a partition holds by now, from where one was.

        Args:
            admin: The control plane of the same cluster.
            partition: What to read.
            take: Is given each record's key, value, and time in milliseconds since the epoch.
            start: The first offset; `None` for what the log begins with.

        Returns:
            Where to go on the next time.

        Raises:
            ClusterError: As `batches`.
        """

        def take_record(record: StoredRecord) -> None:
            take(record.key, record.value, record.at_ms)

        return self.read_records_on(admin, partition, take_record, start=start)

    def read_records_on(
        self,
        admin: ClusterAdmin,
        partition: TopicPartition,
        take: Callable[[StoredRecord], None],
        *,
        start: int | None = None,
    ) -> int:
        """
        Do the same for whoever needs the offsets of records.

        Args:
            admin: The control plane of the same cluster.
            partition: What to read.
            take: Is given each record.
            start: The first offset; `None` for what the log begins with.

        Returns:
            Where to go on the next time.

        Raises:
            ClusterError: As `batches`.
        """
        if start is None:
            end = log_end_of_new(admin, partition, self._clock)
            start = log_start(admin, partition)
        else:
            end = log_end(admin, partition)
        for batch in self.batches(partition, start, end):
            for message in batch:
                take(stored_record(message))
        return max(start, end)

    def _sift(self, got: list[Message], left: _Left) -> list[Message]:
        """Separate records from events; give the records that are wanted."""
        records = [message for message in got if message.error() is None]
        wanted = left.take(records)
        for message in got if len(records) < len(got) else ():
            error = message.error()
            if error is None:
                continue
            if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001  # a public code
                left.advance(_place(message), message.offset() or 0)
            elif not _errors.is_passing(error):
                where = _place(message) if message.topic() else left.first
                raise self._translated(error, f"read {where}")
        return wanted

    def _check_deadline(self, deadline_s: float, left: _Left) -> None:
        if not left.at or self._clock.monotonic_s() < deadline_s:
            return
        told = self._cause.last()
        why = told.str() if told is not None else f"nothing came for {self._timeout_s:.0f} s"
        at, end = left.at[left.first], left.ends[left.first]
        raise ClusterUnavailable(
            f"{self._cluster}: could not read {left.first} from offset {at} to {end}: {why}"
        )

    def _translated(self, error: BaseException | KafkaError, doing: str) -> ClusterError:
        return _errors.translate(error, cluster=self._cluster, doing=doing, cause=self._cause)

    def close(self) -> None:
        """Let go of connections."""
        self._consumer.close()


class _Left:
    """
    What is still to be read.

    Args:
        ranges: Start and end of each partition.
    """

    def __init__(self, ranges: Mapping[TopicPartition, tuple[int, int]]) -> None:
        self.at = {tp: start for tp, (start, end) in ranges.items() if start < end}
        self.ends = {tp: ranges[tp][1] for tp in self.at}
        self.first = next(iter(self.at), TopicPartition("", -1))

    def take(self, records: list[Message]) -> list[Message]:
        """Note how far these go; give those that are wanted."""
        if len(self.ends) == 1:
            return self._take_of(self.first, records)  # mostly: nobody has to look at each
        wanted: list[Message] = []
        by_place: dict[TopicPartition, list[Message]] = {}
        for message in records:
            by_place.setdefault(_place(message), []).append(message)
        for tp, each in by_place.items():
            wanted += self._take_of(tp, each)
        return wanted

    def _take_of(self, tp: TopicPartition, records: list[Message]) -> list[Message]:
        if not records or tp not in self.at:
            return []
        end, behind = self.ends[tp], (records[-1].offset() or 0) + 1
        self.advance(tp, behind)
        if behind <= end:
            return records
        return [message for message in records if (message.offset() or 0) < end]

    def advance(self, tp: TopicPartition, at: int) -> None:
        """Note that everything before an offset is read."""
        if tp not in self.at:
            return
        self.at[tp] = max(self.at[tp], at)
        if self.at[tp] >= self.ends[tp]:
            del self.at[tp]
            self.first = next(iter(self.at), self.first)


def _place(message: Message) -> TopicPartition:
    return TopicPartition(message.topic() or "", message.partition() or 0)


def stored_record(message: Message) -> StoredRecord:
    """Return a record as far as internal topics need it."""
    return StoredRecord(
        offset=message.offset() or 0,
        key=message.key(),
        value=message.value(),
        at_ms=message.timestamp()[1],
    )


def headers_of(message: Message) -> tuple[tuple[str, bytes | None], ...]:
    """Return a record's headers in order; repeated names stay."""
    return tuple(cast("list[tuple[str, bytes | None]]", message.headers() or ()))


def _next_batch(records: list[Message], wanted: int) -> int:
    """Size the next batch by the bytes of this one, so that memory stays bounded."""
    # `len` counts the value; keys and headers are small beside it or the record is.
    bytes_each = sum(map(len, records)) // len(records) + 100
    return max(1, min(BATCH_BYTES_MAX // bytes_each, wanted * _GROWTH_MAX, BATCH_RECORDS_MAX))

"""Follows logs from their beginning, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as KafkaPartition

from kmirror.admin import _errors
from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import READS_ALONE, Connected
from kmirror.admin.reader import StoredRecord, stored_record
from kmirror.admin.renewal import Renewal
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import Clock
from kmirror.errors import ClusterError, ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror.waits import waiting

_BATCH_RECORDS_MAX = 1_000
_BATCH_BYTES_MAX_KB = 4 * 1024  # what waits inside librdkafka
_POLL_S = 0.25
_LOOK_S_MAX = 1.0  # a thread that has ended wakes nobody
_JOIN_S_MAX = 10.0
_WHOLE = TopicPartition("", -1)  # of which trouble is that has no partition


class LogFollower(Connected):
    """
    A consumer without a group's duties: it reads what is committed, and goes on for ever.

    Args:
        config: librdkafka settings.
        cluster: The cluster as messages shall name it.
        take: Is given each record, in its thread; the records of a partition in their order.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        *,
        cluster: str,
        take: Callable[[TopicPartition, StoredRecord], None],
        clock: Clock,
    ) -> None:
        self._cluster = cluster
        self._take = take
        self._clock = clock
        self._cause = _errors.ConnectionCause()
        settings = {
            **READS_ALONE,
            "isolation.level": "read_committed",
            # A log that was cut off is not read again as if nothing had been in it.
            "auto.offset.reset": "error",
            "queued.max.messages.kbytes": _BATCH_BYTES_MAX_KB,
            # That a log has ended is told by an answer without records: so long is waited for one.
            "fetch.wait.max.ms": 100,
        }
        self._renewal = Renewal(
            config,
            settings,
            cause=self._cause,
            cluster=cluster,
            doing="read records",
            clock=clock,
        )
        self._consumer = self._renewal.open(Consumer)
        self._partitions: tuple[TopicPartition, ...] = ()
        self._lock = threading.Lock()
        self._at: dict[TopicPartition, int] = {}
        self._troubles: dict[TopicPartition, str] = {}
        self._waiters: set[threading.Event] = set()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log-follower", daemon=True)

    def start(self, partitions: Collection[TopicPartition]) -> None:
        """Begin to read all of *partitions*."""
        self._partitions = tuple(partitions)
        self._assign()
        self._thread.start()

    def _assign(self) -> None:
        """Read from where nothing is taken yet."""
        self._consumer.assign(
            [
                KafkaPartition(tp.topic, tp.partition, self._at.get(tp, OFFSET_BEGINNING))
                for tp in self._partitions
            ]
        )

    @property
    def trouble(self) -> str:
        """Why something is not read; empty if all is."""
        with self._lock:
            return next(iter(self._troubles.values()), "")

    def catch_up(
        self, admin: ClusterAdmin, partitions: Collection[TopicPartition], *, timeout_s: float
    ) -> None:
        """
        Wait until everything is taken that was written by now, by anybody.

        Args:
            admin: The control plane of the same cluster.
            partitions: Which.
            timeout_s: How long, seconds.

        Raises:
            ClusterError: The cluster could not be asked, or did not give it in time.
        """
        deadline_s = self._clock.monotonic_s() + timeout_s
        stable = stable_ends(admin, partitions, timeout_s=timeout_s / 2, clock=self._clock)
        unknown = [str(tp) for tp in partitions if tp not in stable.ends]
        if unknown:
            # A partition that was passed over would look like an empty one.
            raise ClusterUnavailable(f"{self._cluster}: no offsets yet of {', '.join(unknown)}")
        self.wait_for(stable.ends, timeout_s=deadline_s - self._clock.monotonic_s())

    def wait_for(self, ends: Mapping[TopicPartition, int], *, timeout_s: float) -> None:
        """
        Wait until everything before some offsets is taken.

        Args:
            ends: The offsets behind the last records.
            timeout_s: How long, seconds.

        Raises:
            ClusterUnavailable: It was not read in time.
        """
        deadline_s = self._clock.monotonic_s() + timeout_s
        moved = threading.Event()
        with self._lock:
            self._waiters.add(moved)
        names = ", ".join(sorted({tp.topic for tp in ends}))
        try:
            with waiting(f"for {self._cluster}", f"read {names}", why=self._cause.words):
                while True:
                    moved.clear()
                    if self._has_read(ends):
                        return
                    left_s = deadline_s - self._clock.monotonic_s()
                    if left_s <= 0 or not self._thread.is_alive():
                        raise self._late(names)
                    self._clock.wait(moved, min(left_s, _LOOK_S_MAX))
        finally:
            with self._lock:
                self._waiters.discard(moved)

    def _has_read(self, ends: Mapping[TopicPartition, int]) -> bool:
        with self._lock:
            return all(self._at.get(tp, 0) >= end for tp, end in ends.items())

    def _late(self, names: str) -> ClusterUnavailable:
        why = self.trouble or self._cause.words() or "it took too long"
        return ClusterUnavailable(f"{self._cluster}: could not read {names} to its end: {why}")

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                self._round()
        finally:
            # Nobody waits for what a thread that has ended will never read.
            self._note(_WHOLE, "the thread that reads has ended")
            self._wake()

    def _round(self) -> None:
        try:
            if self._renewal.is_due:
                self._renew()
            got = self._next()
        except KafkaException as error:
            # Of the client as a whole; it may come back.
            self._note(_WHOLE, _errors.kafka_error(error).str())
            self._clock.wait(self._closed, _POLL_S)
            return
        for message in got:
            self._take_message(message)
        if got:
            self._wake()

    def _renew(self) -> None:
        before = self._consumer
        try:
            self._consumer = self._renewal.open(Consumer)
        except ClusterError as error:
            self._note(_WHOLE, str(error))
            return
        self._assign()
        before.close()

    def _note(self, where: TopicPartition, trouble: str) -> None:
        with self._lock:
            self._troubles[where] = trouble

    def _next(self) -> list[Message]:
        """Wait for one message, and take what has come with it: a batch waits until it is full."""
        first = self._consumer.poll(_POLL_S)
        if first is None:
            return []
        return [first, *self._consumer.consume(_BATCH_RECORDS_MAX - 1, 0)]

    def _take_message(self, message: Message) -> None:
        tp = TopicPartition(message.topic() or "", message.partition() or 0)
        error, offset = message.error(), message.offset() or 0
        if error is not None and error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001  # a public code
            if not _errors.is_passing(error):
                self._note(tp, error.str())
            return
        if error is None:
            self._take(tp, stored_record(message))
            offset += 1
        self._cause.clear()
        with self._lock:
            self._at[tp] = max(self._at.get(tp, 0), offset)
            self._troubles.pop(tp, None)
            self._troubles.pop(_WHOLE, None)

    def _wake(self) -> None:
        with self._lock:
            for waiter in self._waiters:
                waiter.set()

    def close(self) -> None:
        """Stop reading, and let go of connections."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S_MAX)
        self._consumer.close()

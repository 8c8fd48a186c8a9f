"""One partition of one cluster, as columns that compare fast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as Assignment

from kmirror.clock import Clock, SystemClock
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition
from kmirror_lab.cluster.clients import consumer

Row = tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]] | None]
"""Timestamp in ms, key, value, headers: tuples, because millions of them are compared."""

Isolation = Literal["read_committed", "read_uncommitted"]

_BATCH_RECORDS = 5_000
_PARTITION_EOF = KafkaError._PARTITION_EOF  # noqa: SLF001  # its only name
_SILENCE_S_MAX = 30


class Stream:
    """
    The records of a partition from its start to a fixed end.

    `rows[at:]` and `offsets[at:]` are what was read and not consumed yet.

    Args:
        bootstrap: The cluster.
        place: The partition; None for one that does not exist, an empty stream.
        end: The last stable offset when the check began: nothing from there on is read.
        isolation: `read_uncommitted` reads aborted and open transactions too.
        clock: Where time comes from.
    """

    def __init__(
        self,
        bootstrap: str,
        place: TopicPartition | None,
        end: int,
        *,
        isolation: Isolation = "read_committed",
        clock: Clock | None = None,
    ) -> None:
        self.rows: list[Row] = []
        self.offsets: list[int] = []
        self.at = 0
        self.taken = 0
        self._end = end
        self._place = place
        self._clock = clock or SystemClock()
        self._consumer: Consumer | None = None
        if place is not None and end > 0:
            self._consumer = reader(bootstrap, isolation)
            assign(self._consumer, place)

    @property
    def left(self) -> int:
        """How many records were read and not taken."""
        return len(self.rows) - self.at

    def take(self, count: int = 1) -> None:
        """Go past *count* records."""
        self.at += count
        self.taken += count

    def more(self, wanted: int = 1) -> bool:
        """Read until *wanted* records are there, or the end; tell whether any is."""
        if self.left < wanted and self._consumer is not None:
            del self.rows[: self.at], self.offsets[: self.at]
            self.at = 0
            while self.left < wanted and self._consumer is not None:
                self._read(self._consumer)
        return self.left > 0

    def close(self) -> None:
        """Let the consumer go."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def _read(self, source: Consumer) -> None:
        begun_s = self._clock.monotonic_s()
        messages = source.consume(_BATCH_RECORDS, timeout=0.2)
        while not messages:
            if self._clock.monotonic_s() - begun_s > _SILENCE_S_MAX:
                raise ClusterUnavailable(f"nothing of {self._place} came for {_SILENCE_S_MAX} s")
            messages = source.consume(_BATCH_RECORDS, timeout=0.2)
        done = False
        for error in filter(None, (message.error() for message in messages)):
            if error.code() != _PARTITION_EOF:
                raise KafkaException(error)
            # It lies at or behind the last stable offset, which lay at or behind our end.
            done = True
        kept = [m for m in messages if m.error() is None and cast("int", m.offset()) < self._end]
        self.rows += map(row_of, kept)
        self.offsets += [cast("int", m.offset()) for m in kept]
        if done or len(kept) < len(messages):
            self.close()


def records(stream: Stream) -> Iterator[tuple[int, Row]]:
    """Yield offset and row of every record of *stream* that is left, taking them."""
    while stream.more():
        fresh = slice(stream.at, None)
        yield from zip(stream.offsets[fresh], stream.rows[fresh], strict=True)
        stream.take(stream.left)


def marks(stream: Stream) -> Iterator[tuple[int, int]]:
    """Return offset and fingerprint of every record of *stream* that is left, taking them."""
    return ((offset, fingerprint(row)) for offset, row in records(stream))


def row_of(message: Message) -> Row:
    """Return what counts of a record that was read."""
    row = (message.timestamp()[1], message.key(), message.value(), message.headers())
    return cast("Row", row)


def fingerprint(row: Row) -> int:
    """Return 64 bits that are equal for equal records within this process."""
    timestamp_ms, key, value, headers = row
    return hash((timestamp_ms, key, value, tuple(headers) if headers else None))


def reader(bootstrap: str, isolation: Isolation) -> Consumer:
    """Return a consumer that is told what to read; see `assign`."""
    return consumer(
        bootstrap,
        isolation_level=isolation,
        enable_partition_eof="true",
        auto_offset_reset="error",
        fetch_wait_max_ms="50",
        queued_min_messages="20000",
        queued_max_messages_kbytes="8192",
        # The default lets a full queue rest for a whole second.
        fetch_queue_backoff_ms="5",
    )


def assign(client: Consumer, place: TopicPartition, *, timeout_s: float = 30) -> None:
    """Have a partition read from its beginning, beside those that are read already."""
    partition = Assignment(place.topic, place.partition)
    begin, _ = client.get_watermark_offsets(partition, timeout=timeout_s)
    client.incremental_assign([Assignment(place.topic, place.partition, begin)])

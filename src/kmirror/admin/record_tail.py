"""Reads a few records of a partition: the last ones, or those from an offset on."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, TIMESTAMP_NOT_AVAILABLE, Message

from kmirror.admin.base import Isolation
from kmirror.admin.log_bounds import log_end, log_start
from kmirror.admin.next_record import Log
from kmirror.admin.reader import headers_of
from kmirror.errors import NotFound
from kmirror.model import TopicPartition

RECORDS_MAX = 100
# Of one look at one cluster; what is behind is said to be left out.
_READ_BYTES_MAX = 16 << 20
# Kept of all records together, so that a page stays one; a single one always shows something.
_KEPT_BYTES_MAX = 256 << 10
_VALUE_BYTES_MAX, _VALUE_BYTES_MIN = 4096, 256
_KEY_BYTES_MAX, _HEADER_BYTES_MAX, _HEADERS_MAX = 512, 256, 20
# Markers of transactions and removed records are offsets without a record: look further back.
_LOOKS, _FURTHER = 4, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHeader:
    """A header: its name, the beginning of its value, and how large that is; `None` for null."""

    name: str
    value: bytes | None
    value_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRecord:
    """
    A record as it lies in a log; of what is large, the beginning.

    Args:
        offset: Its own.
        at_ms: Its time, milliseconds since the epoch; `None` for none.
        is_appended: Whether that is the time at which the broker took it, instead of its own.
        key, value, headers: Its content; parts of it may be cut off.
        key_bytes, value_bytes: How large they are; `None` for null.
        header_count: How many headers it has.
        digest: The same for records that have the same content.
    """

    offset: int
    at_ms: int | None
    is_appended: bool
    key: bytes | None
    value: bytes | None
    headers: tuple[SeenHeader, ...]
    key_bytes: int | None
    value_bytes: int | None
    header_count: int
    digest: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLog:
    """
    A few records of a log.

    Args:
        start, end: The log's first offset, and the one behind what may be read of it.
        records: They, in order.
        is_cut: Whether fewer were read than asked for, since they are large.
    """

    start: int
    end: int
    records: tuple[SeenRecord, ...] = ()
    is_cut: bool = False


class RecordTail:
    """
    Reads records of one cluster.

    Args:
        log: Its control plane, and what reads it.
        isolation: How the flow reads it.
        ignored: `key`, `value` or `headers`, which a copy may have otherwise.
    """

    def __init__(self, log: Log, *, isolation: Isolation, ignored: Collection[str] = ()) -> None:
        self._log = log
        self._isolation = isolation
        self._ignored = frozenset(ignored)

    def last(self, place: TopicPartition, count: int) -> SeenLog:
        """
        Return the last records.

        Args:
            place: The partition.
            count: So many at most.

        Raises:
            NotFound: There is no such partition.
            ClusterError: It cannot be read.
        """
        start, end = bounds = self._bounds(place)
        window = count
        found = self._read(place, max(start, end - window), bounds, count)
        for _ in range(_LOOKS):
            if found.is_cut or len(found.records) >= count or end - window <= start:
                break
            window *= _FURTHER
            found = self._read(place, max(start, end - window), bounds, count)
        if not found.is_cut:
            return replace(found, records=found.records[-count:])
        # The last ones are wanted, and it stopped before them.
        few = max(1, len(found.records) // 2)
        found = self._read(place, max(start, end - few), bounds, count)
        return replace(found, is_cut=True)

    def on_from(self, place: TopicPartition, offset: int, count: int) -> SeenLog:
        """
        Return records from an offset on.

        Args:
            place: The partition.
            offset: The first one; what the log has, if it begins later.
            count: So many at most.

        Raises:
            NotFound: There is no such partition.
            ClusterError: It cannot be read.
        """
        return self._from(place, offset, self._bounds(place), count)

    def on_from_time(self, place: TopicPartition, at_ms: int, count: int) -> SeenLog:
        """Do the same from the first record on that is not older than a time."""
        bounds = self._bounds(place)
        offset = self._log.admin.offsets_at([place], at_ms).get(place, bounds[1])
        return self._from(place, offset, bounds, count)

    def _bounds(self, place: TopicPartition) -> tuple[int, int]:
        state = self._log.admin.topic(place.topic)
        if state is None or place.partition >= state.partitions:
            raise NotFound(f"there is no {place} there")
        admin = self._log.admin
        return log_start(admin, place), log_end(admin, place, self._isolation)

    def _read(
        self, place: TopicPartition, begin: int, bounds: tuple[int, int], count: int
    ) -> SeenLog:
        """Read from an offset on until so many bytes were read."""
        start, end = bounds
        value_max = max(_VALUE_BYTES_MIN, min(_VALUE_BYTES_MAX, _KEPT_BYTES_MAX // count))
        found: list[SeenRecord] = []
        size, is_cut = 0, False
        batches = self._log.reader.batches(place, begin, end, first_records=1)
        try:
            for batch in batches:
                found += [self._seen(message, value_max) for message in batch]
                size += sum(map(len, batch))
                is_cut = size > _READ_BYTES_MAX and found[-1].offset + 1 < end
                if is_cut:
                    break
        finally:
            batches.close()
        return SeenLog(start=start, end=end, records=tuple(found), is_cut=is_cut)

    def _from(
        self, place: TopicPartition, begin: int, bounds: tuple[int, int], count: int
    ) -> SeenLog:
        start, end = bounds
        window, begin = count, max(start, begin)
        found = self._read(place, begin, (start, min(end, begin + window)), count)
        for _ in range(_LOOKS):
            if found.is_cut or len(found.records) >= count or begin + window >= end:
                break
            window *= _FURTHER
            found = self._read(place, begin, (start, min(end, begin + window)), count)
        return replace(found, end=end, records=found.records[:count])

    def _seen(self, message: Message, value_max: int) -> SeenRecord:
        key, value, headers = message.key(), message.value(), headers_of(message)
        kind, at_ms = message.timestamp()
        return SeenRecord(
            offset=message.offset() or 0,
            at_ms=None if kind == TIMESTAMP_NOT_AVAILABLE else at_ms,
            is_appended=kind == TIMESTAMP_LOG_APPEND_TIME,
            key=None if key is None else key[:_KEY_BYTES_MAX],
            value=None if value is None else value[:value_max],
            headers=tuple(
                SeenHeader(
                    name=name[:_HEADER_BYTES_MAX],
                    value=None if value is None else value[:_HEADER_BYTES_MAX],
                    value_bytes=None if value is None else len(value),
                )
                for name, value in headers[:_HEADERS_MAX]
            ),
            key_bytes=None if key is None else len(key),
            value_bytes=None if value is None else len(value),
            header_count=len(headers),
            digest=self._digest({"key": key, "value": value, "headers": headers}),
        )

    def _digest(self, parts: dict[str, object]) -> bytes:
        told = [text for name, text in parts.items() if name not in self._ignored]
        return hashlib.blake2b(repr(told).encode(), digest_size=16).digest()

"""Reads a partition as rows to compare, counted for the progress bar."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Message

from kmirror.admin.reader import RecordReader, headers_of
from kmirror.model import TopicPartition
from kmirror.verify.align import PREFIX_RECORDS, find_prefix
from kmirror.verify.lockstep import Row

Progress = Callable[[int, int], None]
"""Told how far it is: records read, and how many there are at most. Called from any thread."""

Rows = tuple[list[Row], list[int]]
"""Rows and their offsets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """
    A range of offsets of one partition.

    Args:
        partition: Of which.
        start: The first one.
        end: The one to stop before.
        log_end: Where the log itself ended when the comparison began.
    """

    partition: TopicPartition
    start: int
    end: int
    log_end: int

    def since(self, start: int) -> Range:
        """Return the same range from *start* on."""
        return replace(self, start=start)

    def until(self, end: int | None) -> Range:
        """Return the same range up to *end*, where there is one."""
        return self if end is None else replace(self, end=min(self.end, end))

    def whole(self) -> Range:
        """Return everything up to the end of the log."""
        return replace(self, end=self.log_end)


class Meter:
    """
    Counts records over all threads; the offsets are the upper bound.

    Args:
        total: How many records there are at most.
        progress: Told how far it is.
    """

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._lock = threading.Lock()
        self._done = 0
        self._total = total
        self._progress = progress
        self.stopped = False

    def add(self, records: int) -> None:
        """Note that so many more were read."""
        with self._lock:
            self._done = min(self._done + records, self._total)
            done = self._done
        if self._progress is not None:
            self._progress(done, self._total)

    def finish(self) -> None:
        """Markers and removed records were counted as records until now."""
        self.add(self._total)


class RowReader:
    """
    Reads the rows of one side.

    Args:
        reader: Reads the records.
        meter: Counts them, and may end the reading early.
    """

    def __init__(self, reader: RecordReader, meter: Meter) -> None:
        self._reader = reader
        self._meter = meter
        self.with_time = True

    def head(self, part: Range) -> list[Message]:
        """Return the first records."""
        head: list[Message] = []
        with closing(self._reader.batches(part.partition, part.start, part.end)) as batches:
            for batch in batches:
                head.extend(batch)
                if len(head) >= PREFIX_RECORDS:
                    break
        return head[:PREFIX_RECORDS]

    def stream(self, part: Range) -> Generator[Rows, None, None]:
        """Yield batch by batch what is in *part*."""
        for batch in self._reader.batches(part.partition, part.start, part.end):
            if self._meter.stopped:
                return
            self._meter.add(len(batch))
            yield self.rows(batch)

    def count(self, part: Range) -> int:
        """Count the records in *part*."""
        return sum(len(rows) for rows, _ in self.stream(part))

    def find(self, part: Range, prefix: list[Row]) -> tuple[int, int] | None:
        """Find where *part* goes on like *prefix*; see `find_prefix`."""
        with closing(self.stream(part)) as batches:
            return find_prefix(batches, prefix)

    def rows(self, messages: Sequence[Message]) -> Rows:
        """Return records as rows; without their timestamps where those are not compared."""
        offsets: list[int] = [message.offset() for message in messages]  # type: ignore[misc]  # records have offsets
        if self.with_time:
            rows = [(m.key(), m.value(), headers_of(m), m.timestamp()[1]) for m in messages]
        else:
            rows = [(m.key(), m.value(), headers_of(m), 0) for m in messages]
        return rows, offsets


def stamps_itself(message: Message) -> bool:
    """Return whether the topic of *message* has timestamps of its own."""
    return message.timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME

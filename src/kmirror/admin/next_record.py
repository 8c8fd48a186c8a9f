"""The record that a consumer gets next: what tells one place from another."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.log_bounds import log_end, log_start
from kmirror.admin.reader import RecordReader, headers_of
from kmirror.model import TopicPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRecord:
    """
    A record, as far as both clusters have it in common.

    Args:
        key, value, headers: Its content.
        timestamp_ms: Its time.
    """

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    timestamp_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """
    A cluster's records.

    Args:
        admin: Its control plane.
        reader: Reads it.
    """

    admin: ClusterAdmin
    reader: RecordReader

    def next_record(self, partition: TopicPartition, offset: int) -> NextRecord | None:
        """
        Return the first record at *offset* or behind it; `None` at the end of the log.

        Args:
            partition: The partition.
            offset: Where the consumer stands.

        Raises:
            ClusterError: The partition could not be read.
        """
        end = log_end(self.admin, partition)
        start = max(offset, log_start(self.admin, partition))
        batches = self.reader.batches(partition, start, end, first_records=1)
        try:
            for batch in batches:
                message = batch[0]
                return NextRecord(
                    key=message.key(),
                    value=message.value(),
                    headers=headers_of(message),
                    timestamp_ms=message.timestamp()[1],
                )
            return None
        finally:
            batches.close()

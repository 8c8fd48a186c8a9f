"""The record that a consumer gets next: what tells one place in a log from another."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.admin.adopt import Side
from kmirror.admin.reader import headers_of


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


def next_record(side: Side, offset: int) -> NextRecord | None:
    """
    Give the first record at *offset* or behind it; `None` at the end of the log.

    Args:
        side: The partition.
        offset: Where the consumer stands.

    Raises:
        ClusterError: The partition could not be read.
    """
    partition = side.partition
    end = side.admin.offsets([partition], isolation="read_committed").get(partition, 0)
    start = max(offset, side.admin.offsets([partition], "earliest").get(partition, 0))
    batches = side.reader.batches(partition, start, end, first_records=1)
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

"""
Finds a lost position by comparing the tail of the copy with the source.

The last records of the target partition are searched in the source, from its end backwards. The
answer is given only when exactly one place fits: a wrong one would lose records or copy them twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Message

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.log_bounds import log_start, told
from kmirror.admin.reader import RecordReader, headers_of
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import SystemClock
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition

TAIL_RECORDS = 64
WINDOW_OFFSETS = 20_000
SEARCH_OFFSETS_MAX = 5_000_000  # how far back to look; some minutes of reading

_Content = tuple[bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSide:
    """
    One end of a flow, as needed here.

    Args:
        admin: Its control plane.
        reader: Reads it, as the flow does.
        partition: The partition there.
    """

    admin: ClusterAdmin
    reader: RecordReader
    partition: TopicPartition


def find_position(
    source: LogSide,
    target: LogSide,
    *,
    search_offsets_max: int = SEARCH_OFFSETS_MAX,
    timeout_s: float = 60.0,
) -> int | None:
    """
    Find the source offset after the last record that was copied.

    Args:
        source: The source partition.
        target: Its copy.
        search_offsets_max: How far back from the source's end to look.
        timeout_s: How long to wait for transactions that are open on the target.

    Returns:
        The next source offset to copy, or `None` when the target is empty, when its last records
        are not found in the source, or when they are found more than once.

    Raises:
        ClusterError: One of the two could not be read, or a transaction is open on the target: its
            records may still become the tail.
    """
    tail_messages = _tail(target, timeout_s)
    if not tail_messages:
        return None
    # A target with LogAppendTime has its own timestamps; nothing can be concluded from them.
    own_time = tail_messages[-1].timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME
    tail = [_content(message, own_time) for message in tail_messages]
    start, end = _range(source, timeout_s=0)
    lowest = max(start, end - search_offsets_max)
    high, later = end, list[tuple[int, _Content]]()
    found: int | None = None
    while high > lowest:
        low = max(lowest, high - WINDOW_OFFSETS)
        window = [
            (message.offset() or 0, _content(message, own_time))
            for message in read(source, low, high)
        ]
        # The overlap lets a match lie across the border of two windows.
        searched = window + later
        places = _places(searched, tail)
        if len(places) > 1 or (places and found is not None):
            return None
        if places:
            found = searched[places[0] + len(tail) - 1][0] + 1
        elif found is not None:
            # One more window without a second match is enough to trust the first.
            return found
        later = searched[: len(tail) - 1]
        high = low
    return found


def _tail(side: LogSide, timeout_s: float) -> list[Message]:
    """Return the last records of a partition, `TAIL_RECORDS` if there are as many."""
    start, end = _range(side, timeout_s)
    span = 2 * TAIL_RECORDS
    while True:
        low = max(start, end - span)
        messages = read(side, low, end)
        if len(messages) >= TAIL_RECORDS or low == start:
            return messages[-TAIL_RECORDS:]
        # Markers and aborted records left holes: look further back, four times as far.
        span *= 4


def _range(side: LogSide, timeout_s: float) -> tuple[int, int]:
    """Return the first and the next offset, as a read_committed reader sees them."""
    tp = side.partition
    stable = stable_ends(side.admin, [tp], timeout_s=timeout_s, clock=SystemClock())
    if stable.pending and timeout_s > 0:
        raise ClusterUnavailable(f"a transaction is still open on {tp}")
    return log_start(side.admin, tp), told(stable.ends, tp)


def read(side: LogSide, low: int, high: int) -> list[Message]:
    """Return the records from *low* up to, not including, *high*."""
    batches = side.reader.batches(side.partition, low, high)
    return [message for batch in batches for message in batch]


def _content(message: Message, own_time: bool) -> _Content:
    time_ms = 0 if own_time else message.timestamp()[1]
    return message.key(), message.value(), headers_of(message), time_ms


def _places(searched: Sequence[tuple[int, _Content]], tail: Sequence[_Content]) -> list[int]:
    """Return the indexes at which *tail* begins in *searched*."""
    contents = [content for _, content in searched]
    last = len(contents) - len(tail)
    return [at for at in range(last + 1) if contents[at] == tail[0] and _fits(contents, at, tail)]


def _fits(contents: Sequence[_Content], at: int, tail: Sequence[_Content]) -> bool:
    return contents[at : at + len(tail)] == list(tail)

"""Which windows are read together: so many that a read takes a minute at the rate; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kmirror.audit.next_window import AuditFacts, PlaceFrom, PlannedWindow, next_window
from kmirror.model import TopicPartition
from kmirror.plans.audit_book import AuditBook

_WINDOW_BYTES_MAX = 64 * 1024 * 1024
# What is known of a partition's records before any were read: nothing, so it is a large size.
_RECORD_BYTES = 8_192
# Each is a query of its own, which costs a quarter of a second of a processor.
_READ_S = 60.0
_READ_BYTES_MIN = 8 * 1024 * 1024
_READ_BYTES_MAX = 512 * 1024 * 1024
_WINDOWS_MAX = 512


def bytes_per_offset(book: AuditBook, partition: TopicPartition) -> float:
    """Return how much an offset of a partition stands for, by the last window that was read."""
    for window in reversed(book.windows(partition)):
        if window.source.records:
            return max(1.0, window.source.bytes / (window.end - window.start))
    return _RECORD_BYTES


def choose(
    facts: Sequence[AuditFacts],
    sizes: Mapping[TopicPartition, float],
    place_from: PlaceFrom,
    *,
    records_max: int,
    bytes_per_second: int,
) -> list[PlannedWindow]:
    """
    Return what is read next: a window of each partition, then perhaps more of them.

    Args:
        facts: Of the partitions, the one that waits longest first.
        sizes: How many bytes an offset stands for.
        place_from: Looks into the exact offset map.
        records_max: How many source offsets a window has at most.
        bytes_per_second: How fast each side is read; 0 for as fast as it can.
    """
    wanted = bytes_per_second * _READ_S if bytes_per_second else _READ_BYTES_MAX
    left = min(max(wanted, _READ_BYTES_MIN), _READ_BYTES_MAX)
    chosen: list[PlannedWindow] = []
    waiting = list(facts)
    while waiting and left > 0 and len(chosen) < _WINDOWS_MAX:
        once_more: list[AuditFacts] = []
        for each in waiting:
            size = sizes[each.source]
            offsets = max(1, min(records_max, int(_WINDOW_BYTES_MAX / size)))
            window = next_window(each, place_from, offsets_max=offsets)
            if window is None:
                continue
            chosen.append(window)
            once_more.append(replace(each, next=window.end))
            if not window.undecidable:
                left -= (window.end.source - window.start.source) * size
            if left <= 0 or len(chosen) >= _WINDOWS_MAX:
                break
        waiting = once_more
    return sorted(chosen, key=lambda each: (each.facts.source, each.start.source))

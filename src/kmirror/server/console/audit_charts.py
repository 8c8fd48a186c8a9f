"""Windows of an audit and times of a canary as drawings: the numbers in them, no colours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kmirror.api.audits import PartitionAudit, WindowView
from kmirror.api.canaries import Times
from kmirror.wire.audit_windows import AuditVerdict

BAND_WIDTH = 1000.0
# As narrow as it may be and still be seen, and hit.
_LEAST = 5.0
# More windows than these would be lines without anything between them.
_EDGES_MAX = 60
_OPEN_MAX = 200

Place = tuple[str, int]
"""A topic of the source, and a partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """
    A part of a band.

    Args:
        kind: What is known of it.
        x, width: Where it is, of `BAND_WIDTH`.
        window: The window that it is; `None` for a range of many.
    """

    kind: str
    x: float
    width: float
    window: WindowView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """
    A partition from what its source holds up to what is copied.

    Args:
        spans: What of it is identical, then what is not; the rest was not audited.
        edges: Where identical windows begin.
        begin, end: The source offsets at both ends.
    """

    spans: tuple[Span, ...]
    edges: tuple[float, ...]
    begin: int
    end: int


def bands(
    partitions: Sequence[PartitionAudit], windows: Iterable[WindowView]
) -> Mapping[Place, Band]:
    """
    Draw partitions.

    Args:
        partitions: They.
        windows: Those that are kept, of these and others.
    """
    shown = {(each.topic, each.partition) for each in partitions}
    found: dict[Place, list[WindowView]] = defaultdict(list)
    for window in windows:
        if (place := (window.topic, window.partition)) in shown:
            found[place].append(window)
    return {
        (each.topic, each.partition): _band(each, found[each.topic, each.partition])
        for each in partitions
    }


def _band(each: PartitionAudit, windows: Sequence[WindowView]) -> Band:
    begin, end = each.log_start, max(each.copied_to, each.log_start + 1)
    identical = [window for window in windows if window.verdict is AuditVerdict.IDENTICAL]
    is_open = [
        window
        for window in windows
        if window.verdict is not AuditVerdict.IDENTICAL and window.end > begin
    ]

    def at(offset: int) -> float:
        return BAND_WIDTH * (min(max(offset, begin), end) - begin) / (end - begin)

    def span(kind: str, start: int, stop: int, window: WindowView | None = None) -> Span:
        width = at(stop) - at(start)
        if window is not None:
            width = max(width, _LEAST)
        return Span(kind=kind, x=min(at(start), BAND_WIDTH - width), width=width, window=window)

    ranges = [(part.start, part.end) for part in each.identical if part.end > begin]
    edges = [at(window.start) for window in identical if window.start > begin]
    return Band(
        spans=(
            *(span(AuditVerdict.IDENTICAL.value, start, stop) for start, stop in ranges),
            *(
                span(window.verdict.value, window.start, window.end, window)
                for window in is_open[:_OPEN_MAX]
            ),
        ),
        edges=tuple(edges) if len(edges) <= _EDGES_MAX else (),
        begin=begin,
        end=each.copied_to,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """
    A bar of a histogram.

    Args:
        up_to_s: The longest time in it, seconds; `None` for what is longer than all others.
        count: How many.
        length: Of the bar, 0 to 1000: the longest has 1000, and what is there can be seen.
    """

    up_to_s: float | None
    count: int
    length: float


def bars(times: Times) -> tuple[Bar, ...]:
    """
    Draw a histogram.

    Args:
        times: They.
    """
    most = max((each.count for each in times.buckets), default=0) or 1
    return tuple(
        Bar(
            up_to_s=each.up_to_s,
            count=each.count,
            length=max(_LEAST, BAND_WIDTH * each.count / most) if each.count else 0.0,
        )
        for each in times.buckets
    )

"""What a flow's canary has seen, as the API and other processes are told."""

from __future__ import annotations

from collections.abc import Iterable

from kmirror.api.canaries import Bucket, CanarySeen, Percentile, Times
from kmirror.sequence.latencies import BucketCounts, Spread
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.observed import ObservedFlow


def seen_of(observed: ObservedFlow, now_ms: int) -> CanarySeen | None:
    """
    Return what the canary of a flow has seen; `None` without one.

    Args:
        observed: The flow.
        now_ms: The time, milliseconds since the epoch.
    """
    figures = observed.meter.canary
    return None if figures is None else seen(figures, now_ms)


def seen(figures: CanaryFigures, now_ms: int) -> CanarySeen:
    """
    Return what a canary has seen.

    Args:
        figures: Have it.
        now_ms: The time, milliseconds since the epoch.
    """
    counts, last = figures.counts(now_ms * 1000), figures.last()
    window_s, produced, consumed = figures.window()
    return CanarySeen(
        produced=counts.produced,
        failed=counts.failed,
        consumed=counts.consumed,
        lost=counts.lost,
        duplicated=counts.duplicated,
        reordered=counts.reordered,
        overdue=counts.overdue,
        window_s=window_s,
        window_produced=produced,
        window_consumed=consumed,
        sent_ms=_milliseconds(last.sent_us),
        came_ms=_milliseconds(last.came_us),
        came_s=last.came_s,
        roundtrip=_times(figures.roundtrip, figures.spread()),
        acknowledged=_times(figures.produce_latency),
        reconnects=_times(figures.reconnects),
        reconnected_s=last.reconnected_s,
        trouble=figures.trouble,
    )


def _milliseconds(us: int | None) -> int | None:
    return None if us is None else us // 1000


def _times(counted: BucketCounts, spread: Spread | None = None) -> Times:
    bounds: Iterable[float | None] = (*counted.bounds_s, None)
    counts = tuple(counted.counts)
    known = spread if spread is not None and spread.count else None
    return Times(
        count=sum(counts),
        sum_s=counted.sum_s,
        buckets=tuple(
            Bucket(up_to_s=bound, count=count) for bound, count in zip(bounds, counts, strict=True)
        ),
        percentiles=()
        if known is None
        else tuple(Percentile(per_cent=p, seconds=s) for p, s in known.percentiles),
        max_s=None if known is None else known.max,
    )

"""How flows were: the last day, and the newest part of it closely."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from kmirror.api.flows import Sample
from kmirror.api.plots import PlotList, PlotPoint, PlotRange
from kmirror.model import Flow
from kmirror.state.run_history import fresh_counts, percentile_s

SAMPLE_S = 5.0
# Rates of people's interest are those of the last seconds, and do not jump at every commit.
_RATE_SAMPLES = 3
# No two looks lie exactly as far apart as the two before.
_EARLY = 0.9
POINTS_MAX = 200
"""Of a range, 180 and what comes too early: memory grows with flows, never with time."""

Counts = Sequence[float]
"""How many took up to 1, 2, 4, 8 … ms, so far; empty while nobody has said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """
    What is known of a flow at a moment.

    Args:
        at_ms: When, milliseconds since the epoch.
        lag_records, lag_seconds: How far it was behind; `None` when not known.
        records, bytes: What was copied so far; `None` when not known.
        latency: Times of records from their fetch to their commit.
        age: How old records were when they were fetched.
        commits: How long the target took for commits.
    """

    at_ms: int
    lag_records: int | None
    lag_seconds: float | None
    records: int | None
    bytes: int | None
    latency: Counts = ()
    age: Counts = ()
    commits: Counts = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPoint:
    """
    A point of a plot, for whoever keeps it.

    Args:
        flow: Of which flow.
        range: In the plot of which range.
        point: It.
        is_open: Whether more may come to it.
    """

    flow: Flow
    range: PlotRange
    point: PlotPoint
    is_open: bool = False


class History:
    """How flows were; one thread writes, any reads."""

    def __init__(self) -> None:
        self._flows: dict[Flow, _FlowHistory] = {}
        # Of flows that have not come yet.
        self._restored: dict[Flow, Mapping[PlotRange, Sequence[PlotPoint]]] = {}
        self._lock = threading.Lock()

    def add(self, flow: Flow, counted: Counted) -> None:
        """Note what a flow is."""
        with self._lock:
            found = self._flows.get(flow)
            if found is None:
                self._flows[flow] = _FlowHistory(counted)
                self._flows[flow].restore(self._restored.pop(flow, {}))
            else:
                found.add(counted)

    def forget_others(self, flows: frozenset[Flow]) -> None:
        """Forget flows that are not there any more."""
        with self._lock:
            for flow in self._flows.keys() - flows:
                del self._flows[flow]

    def kept(self, since_ms: int) -> list[KeptPoint]:
        """
        Return the points that have come since, and those that are not complete yet.

        Args:
            since_ms: When somebody asked last, milliseconds since the epoch.
        """
        with self._lock:
            return [
                KeptPoint(flow=flow, range=span, point=point, is_open=is_open)
                for flow, found in self._flows.items()
                for span, ring in found.rings.items()
                for point, is_open in ring.newest(since_ms)
            ]

    def restore(self, points: Iterable[KeptPoint]) -> None:
        """
        Put points before those that are known, as somebody has kept them.

        Args:
            points: Of any flows, also of such as come later; oldest first.
        """
        found: dict[Flow, dict[PlotRange, list[PlotPoint]]] = {}
        for each in points:
            found.setdefault(each.flow, {}).setdefault(each.range, []).append(each.point)
        with self._lock:
            for flow, by_range in found.items():
                if flow in self._flows:
                    self._flows[flow].restore(by_range)
                else:
                    self._restored[flow] = by_range

    def samples(self, flow: Flow) -> tuple[Sample, ...]:
        """Return what a flow was in the last 15 minutes, oldest first."""
        return tuple(
            Sample(
                at_ms=each.at_ms,
                lag_records=each.lag_records,
                lag_seconds=each.lag_seconds,
                records_per_s=each.records_per_s,
                bytes_per_s=each.bytes_per_s,
            )
            for each in self._points(flow, PlotRange.QUARTER)[1]
        )

    def plots(self, flow: Flow, span: PlotRange, now_ms: int) -> PlotList:
        """
        Return how a flow was.

        Args:
            flow: Which one.
            span: How far back.
            now_ms: The time, milliseconds since the epoch.
        """
        since_ms, points = self._points(flow, span)
        from_ms = now_ms - 1000 * span.span_s
        return PlotList(
            flow=str(flow),
            range=span,
            step_s=span.step_s,
            from_ms=from_ms,
            to_ms=now_ms,
            since_ms=since_ms,
            points=tuple(each for each in points if each.at_ms >= from_ms),
        )

    def rates(self, flow: Flow) -> tuple[float | None, float | None]:
        """Return records and bytes a second, lately; `None` when not known."""
        with self._lock:
            found = self._flows.get(flow)
            if found is None or len(found.lately) < 2:
                return None, None
            before, now = found.lately[0], found.lately[-1]
        return (
            _rate(before, now, before.records, now.records),
            _rate(before, now, before.bytes, now.bytes),
        )

    def _points(self, flow: Flow, span: PlotRange) -> tuple[int | None, tuple[PlotPoint, ...]]:
        with self._lock:
            found = self._flows.get(flow)
            return (None, ()) if found is None else (found.since_ms, found.rings[span].points())


class _FlowHistory:
    """How one flow was, since somebody looked at it for the first time."""

    def __init__(self, first: Counted) -> None:
        self.since_ms = first.at_ms
        self.lately = deque((first,), maxlen=_RATE_SAMPLES + 1)
        self.rings = {span: _Ring(span, first.at_ms) for span in PlotRange}

    def restore(self, points: Mapping[PlotRange, Sequence[PlotPoint]]) -> None:
        """Put points before what is known; those that seem to be from later do not count."""
        for span, kept in points.items():
            first_ms = self.rings[span].restore(kept)
            self.since_ms = min(self.since_ms, first_ms)

    def add(self, now: Counted) -> None:
        before = self.lately[-1]
        self.lately.append(now)
        for ring in self.rings.values():
            ring.add(before, now)


class _Ring:
    """The newest points of one range, and what there is of the next one."""

    def __init__(self, span: PlotRange, began_ms: int) -> None:
        self._step_ms = 1000 * span.step_s
        self._span_ms = 1000 * span.span_s
        self._points: deque[PlotPoint] = deque(maxlen=POINTS_MAX)
        self._next = _Sums(began_ms)

    def points(self) -> tuple[PlotPoint, ...]:
        if self._next.is_empty:
            return tuple(self._points)
        return (*self._points, self._next.point())

    def newest(self, since_ms: int) -> Iterator[tuple[PlotPoint, bool]]:
        """Yield the points that have come since, and whether each is not complete yet."""
        fresh = list(takewhile(lambda each: each.at_ms > since_ms, reversed(self._points)))
        for point in reversed(fresh):
            yield point, False
        if not self._next.is_empty:
            yield self._next.point(), True

    def restore(self, points: Sequence[PlotPoint]) -> int:
        """Put points before those that are there; gives the moment of the first one now."""
        began_ms = self._points[0].at_ms if self._points else self._next.began_ms
        oldest_ms = began_ms - self._span_ms
        older = [each for each in points if oldest_ms < each.at_ms < began_ms]
        self._points = deque((*older, *self._points), maxlen=POINTS_MAX)
        return self._points[0].at_ms if self._points else began_ms

    def add(self, before: Counted, now: Counted) -> None:
        if now.at_ms <= before.at_ms:
            # Somebody has set the clock back: what it said before is not before this.
            self._next = _Sums(now.at_ms)
            while self._points and self._points[-1].at_ms >= now.at_ms:
                self._points.pop()
            return
        self._next.add(before, now)
        if now.at_ms - self._next.began_ms >= _EARLY * self._step_ms:
            self._points.append(self._next.point())
            self._next = _Sums(now.at_ms)
        while self._points and now.at_ms - self._points[0].at_ms >= self._span_ms:
            self._points.popleft()


class _Sums:
    """What a point is made of: the largest lags, and what was copied in so many milliseconds."""

    def __init__(self, began_ms: int) -> None:
        self.began_ms = self._at_ms = began_ms
        self._lag_records: int | None = None
        self._lag_seconds: float | None = None
        self._records, self._bytes = _Grown(), _Grown()
        self._latency: list[float] = []
        self._age: list[float] = []
        self._commits: list[float] = []

    @property
    def is_empty(self) -> bool:
        return self._at_ms == self.began_ms

    def add(self, before: Counted, now: Counted) -> None:
        self._at_ms = now.at_ms
        if now.lag_records is not None:
            self._lag_records = max(now.lag_records, self._lag_records or 0)
        if now.lag_seconds is not None:
            self._lag_seconds = max(now.lag_seconds, self._lag_seconds or 0.0)
        passed_ms = now.at_ms - before.at_ms
        self._records.add(before.records, now.records, passed_ms)
        self._bytes.add(before.bytes, now.bytes, passed_ms)
        self._latency = _with_fresh(self._latency, before.latency, now.latency)
        self._age = _with_fresh(self._age, before.age, now.age)
        self._commits = _with_fresh(self._commits, before.commits, now.commits)

    def point(self) -> PlotPoint:
        return PlotPoint(
            at_ms=self._at_ms,
            lag_records=self._lag_records,
            lag_seconds=self._lag_seconds,
            records_per_s=self._records.per_s,
            bytes_per_s=self._bytes.per_s,
            latency_p50_s=percentile_s(self._latency, 50),
            latency_p95_s=percentile_s(self._latency, 95),
            latency_p99_s=percentile_s(self._latency, 99),
            age_p50_s=percentile_s(self._age, 50),
            age_p95_s=percentile_s(self._age, 95),
            age_p99_s=percentile_s(self._age, 99),
            commit_p50_s=percentile_s(self._commits, 50),
            commit_p99_s=percentile_s(self._commits, 99),
        )


class _Grown:
    """How much a count has grown, in the time of which that is known."""

    def __init__(self) -> None:
        self._sum = self._ms = 0

    def add(self, before: int | None, now: int | None, passed_ms: int) -> None:
        if before is not None and now is not None:
            self._sum += _growth(before, now)
            self._ms += passed_ms

    @property
    def per_s(self) -> float | None:
        return self._sum * 1000 / self._ms if self._ms else None


def _growth(before: int, now: int) -> int:
    """Return the growth of a count; one that is less than before began anew."""
    return max(0, now - before if now >= before else now)


def _rate(before: Counted, now: Counted, then: int | None, total: int | None) -> float | None:
    passed_ms = now.at_ms - before.at_ms
    if then is None or total is None or passed_ms <= 0:
        return None
    return _growth(then, total) * 1000 / passed_ms


def _with_fresh(found: list[float], before: Counts, now: Counts) -> list[float]:
    """Return counts with what has come between two looks."""
    if not now:
        return found
    fresh = fresh_counts(before, now)
    return [one + new for one, new in zip(found or [0.0] * len(now), fresh, strict=True)]

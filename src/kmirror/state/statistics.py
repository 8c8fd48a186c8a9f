"""Figures over the last minute, and sums that survive whoever counts them; pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_HALF_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """
    What was seen lately.

    Args:
        last: Most recently.
        min, max, avg: Of the last minute; the last one, if there were none.
    """

    last: float
    min: float
    max: float
    avg: float


class LastMinute:
    """
    The least, the most and the mean of the last minute, as Kafka's clients keep theirs.

    Two halves take turns, so memory does not grow with what is seen.
    """

    __slots__ = ("_began_ms", "_count", "_last", "_max", "_min", "_older", "_sum")

    def __init__(self) -> None:
        self._began_ms = 0
        self._last = math.nan
        self._older: tuple[int, float, float, float] = (0, 0.0, math.inf, -math.inf)
        self._begin()

    def _begin(self) -> None:
        self._count, self._sum, self._min, self._max = 0, 0.0, math.inf, -math.inf

    def add(self, value: float, now_ms: int) -> None:
        """Take note of a value."""
        self._turn(now_ms)
        self._last = value
        self._count += 1
        self._sum += value
        self._min = min(self._min, value)
        self._max = max(self._max, value)

    def _turn(self, now_ms: int) -> None:
        age_ms = now_ms - self._began_ms
        if age_ms < _HALF_MS:
            return
        fresh = age_ms < 2 * _HALF_MS
        self._older = (
            (self._count, self._sum, self._min, self._max)
            if fresh
            else (0, 0.0, math.inf, -math.inf)
        )
        self._began_ms = now_ms
        self._begin()

    def at(self, now_ms: int) -> Statistic | None:
        """Return what was seen up to now; `None` before the first value."""
        if math.isnan(self._last):
            return None
        self._turn(now_ms)
        count, total, least, most = self._older
        count, total = count + self._count, total + self._sum
        if not count:
            return Statistic(last=self._last, min=self._last, max=self._last, avg=self._last)
        return Statistic(
            last=self._last,
            min=min(least, self._min),
            max=max(most, self._max),
            avg=total / count,
        )


class Rate:
    """How much something grows a second, over the last minute."""

    __slots__ = ("_at", "_older")

    def __init__(self) -> None:
        self._at: tuple[int, float] | None = None
        self._older: tuple[int, float] | None = None

    def at(self, now_ms: int, total: float) -> float:
        """Return it; *total* is the sum now."""
        if self._at is None:
            self._at = self._older = (now_ms, total)
        elif now_ms - self._at[0] >= _HALF_MS:
            self._older, self._at = self._at, (now_ms, total)
        assert self._older is not None
        since_ms, before = self._older
        return 0.0 if now_ms <= since_ms else max(0.0, total - before) * 1000 / (now_ms - since_ms)


class Sums:
    """
    Sums of numbers that somebody counts from 0, and begins again now and then.

    Args:
        size: How many numbers.
    """

    __slots__ = ("_last", "totals")

    def __init__(self, size: int) -> None:
        self._last: Sequence[float] = (0,) * size
        self.totals = [0.0] * size

    def add(self, counted: Sequence[float]) -> None:
        """Take what was counted so far; less than before, of any of them, is a new beginning."""
        goes_on = all(now >= then for now, then in zip(counted, self._last, strict=True))
        before = self._last if goes_on else (0,) * len(counted)
        for index, (now, then) in enumerate(zip(counted, before, strict=True)):
            self.totals[index] += now - then
        self._last = tuple(counted)

"""Times by how long they were: any percentile within 1 %, in memory that does not grow."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# 256 buckets of a microsecond, then 128 for each power of two: none is wider than 1/128 of it.
_EXACT_BITS = 8
_HALF = 1 << (_EXACT_BITS - 1)

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
"""What tables show, as `kafka-producer-perf-test` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """
    How times are spread, seconds.

    Args:
        count: How many there were.
        mean: All of them together, by their number.
        percentiles: Of each of `PERCENTILES`, what so many per cent do not exceed.
        max: The longest.
    """

    count: int
    mean: float
    percentiles: tuple[tuple[float, float], ...]
    max: float


class Latencies:
    """Counts times; what is shorter than a microsecond, or negative, counts as none."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._count = 0
        self._sum_us = 0
        self._max_us = 0

    def add_us(self, microseconds: int) -> None:
        """Count one time."""
        us = max(microseconds, 0)
        self._count += 1
        self._sum_us += us
        self._max_us = max(self._max_us, us)
        self._counts[_bucket(us)] += 1

    def merge(self, other: Latencies) -> None:
        """Count all that *other* has counted."""
        self._counts.update(other._counts)
        self._count += other._count
        self._sum_us += other._sum_us
        self._max_us = max(self._max_us, other._max_us)

    @property
    def count(self) -> int:
        """How many there were."""
        return self._count

    def percentile_s(self, per_cent: float) -> float:
        """
        Return what so many per cent of the times do not exceed, seconds; 0 without any.

        Args:
            per_cent: From 0 to 100.
        """
        wanted = per_cent / 100 * self._count
        seen = 0
        for bucket in sorted(self._counts):
            seen += self._counts[bucket]
            # 0.999 * 1000 is a little more than 999 to a computer.
            if seen >= wanted - 1e-6:
                return min(_upper_us(bucket), self._max_us) / 1e6
        return 0.0

    def spread(self) -> Spread:
        """Describe them."""
        return Spread(
            count=self._count,
            mean=self._sum_us / self._count / 1e6 if self._count else 0.0,
            percentiles=tuple((each, self.percentile_s(each)) for each in PERCENTILES),
            max=self._max_us / 1e6,
        )

    def curve(self) -> tuple[tuple[float, float], ...]:
        """Return pairs of a time in seconds and the part of all, 0 to 1, that is not longer."""
        points, seen = [], 0
        for bucket in sorted(self._counts):
            seen += self._counts[bucket]
            points.append((min(_upper_us(bucket), self._max_us) / 1e6, seen / self._count))
        return tuple(points)


class BucketCounts:
    """
    A histogram as Prometheus has them.

    Args:
        bounds_s: The upper ends of its buckets, seconds, in order.
    """

    def __init__(self, bounds_s: Sequence[float]) -> None:
        self.bounds_s = tuple(bounds_s)
        self.counts = [0] * (len(self.bounds_s) + 1)
        self.sum_s = 0.0

    def add(self, seconds: float) -> None:
        """Count one time; the last bucket has what is longer than all ends."""
        self.counts[bisect_left(self.bounds_s, seconds)] += 1
        self.sum_s += seconds


def _bucket(us: int) -> int:
    if us < 2 * _HALF:
        return us
    shift = us.bit_length() - _EXACT_BITS
    return shift * _HALF + (us >> shift)


def _upper_us(bucket: int) -> int:
    if bucket < 2 * _HALF:
        return bucket
    shift = bucket // _HALF - 1
    return ((bucket - shift * _HALF + 1) << shift) - 1

"""Percentiles of times, and histograms."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.sequence.latencies import BucketCounts, Latencies


def _of(*microseconds: int) -> Latencies:
    found = Latencies()
    for each in microseconds:
        found.add_us(each)
    return found


def test_a_table_of_percentiles() -> None:
    """Times of 1 to 1000 ms: half took no more than 500 ms."""
    spread = _of(*(ms * 1000 for ms in range(1, 1001))).spread()
    assert spread.count == 1000
    assert spread.mean == pytest.approx(0.5005)
    wanted = {50.0: 0.5, 90.0: 0.9, 95.0: 0.95, 99.0: 0.99, 99.9: 0.999}
    for per_cent, value in spread.percentiles:
        assert value == pytest.approx(wanted[per_cent], rel=0.01)
    assert spread.max == 1.0


def test_nothing_was_measured() -> None:
    """There is no time, and no error either."""
    spread = Latencies().spread()
    assert (spread.count, spread.mean, spread.max) == (0, 0, 0)
    assert Latencies().curve() == ()


def test_a_clock_that_is_wrong_gives_no_time() -> None:
    """Two machines differ: what came before it was sent took no time."""
    assert _of(-5000, 0).spread().max == 0


def test_merged() -> None:
    """Two together are as if one had counted all."""
    one, other = _of(1000, 2000), _of(3000)
    one.merge(other)
    assert one.spread() == _of(1000, 2000, 3000).spread()


@settings(deadline=None)
@given(
    st.lists(st.integers(min_value=0, max_value=10**10), min_size=1, max_size=60),
    st.floats(min_value=1, max_value=100),
)
def test_any_percentile_is_right_within_one_per_cent(times: list[int], per_cent: float) -> None:
    """Never below the exact one, and above it by 1/128 at most."""
    rank = max(1, math.ceil(round(per_cent / 100 * len(times), 6)))
    exact = sorted(times)[rank - 1]
    found_us = _of(*times).percentile_s(per_cent) * 1e6
    assert exact - 0.01 <= found_us <= exact * (1 + 1 / 128) + 0.01


def test_the_curve_ends_with_all() -> None:
    """It rises to 1 at the longest time."""
    curve = _of(10, 1_000, 100_000).curve()
    assert curve[-1] == (0.1, 1.0)
    assert [part for _, part in curve] == sorted(part for _, part in curve)


def test_buckets_as_prometheus_has_them() -> None:
    """A time that is the end of a bucket is in it."""
    counts = BucketCounts((0.005, 0.01))
    for seconds in (0.001, 0.005, 0.0051, 5.0):
        counts.add(seconds)
    assert counts.counts == [2, 1, 1]
    assert counts.sum_s == pytest.approx(5.0111)

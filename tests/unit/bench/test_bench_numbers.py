"""Quantiles, processor seconds, latencies, lag, rates: what numbers are made of."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.arrival import Arrival, ages_ms, lag_series
from bench.growth import Course
from bench.latency import warm_up_s
from bench.quantiles import quantile, quantiles
from bench.usage import UsageSample, cpu_between_s

SECOND_NS = 10**9


def arrival(created_s: float, age_s: float) -> Arrival:
    """Make a record's way."""
    created_ns = int(created_s * SECOND_NS)
    return Arrival(written_ns=created_ns, seen_ns=created_ns + int(age_s * SECOND_NS))


def test_quantiles_are_numbers_that_were_measured() -> None:
    """Of the numbers from 1 to 1000, the quantiles are the obvious ones."""
    numbers = [float(number) for number in range(1, 1001)]
    random.Random(1).shuffle(numbers)
    found = quantiles(numbers)
    assert (found.p50, found.p95, found.p99, found.p999) == (500, 950, 990, 999)
    assert (found.count, found.max) == (1000, 1000)
    assert found.curve[-1] == (1.0, 1000)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_quantile_has_its_part_below_it(numbers: list[float], part: float) -> None:
    """At least that part does not exceed it, and it is one of them."""
    value = quantile(sorted(numbers), part)
    assert value in numbers
    assert sum(number <= value for number in numbers) >= part * len(numbers) - 1e-3


def test_one_number_is_every_quantile() -> None:
    """A single measurement says all there is to say."""
    found = quantiles([7.0])
    assert found.p50 == found.p999 == found.max == 7


def test_processor_seconds_between_two_moments() -> None:
    """Between samples it is a straight line; outside nothing is known, so nothing is added."""
    samples = [
        UsageSample(at_s=10, cpu_s=1, rss_bytes=5),
        UsageSample(at_s=12, cpu_s=5, rss_bytes=9),
        UsageSample(at_s=14, cpu_s=6, rss_bytes=7),
    ]
    assert cpu_between_s(samples, 11, 13) == pytest.approx(2.5)
    assert cpu_between_s(samples, 10, 14) == pytest.approx(5)
    assert cpu_between_s(samples, 0, 99) == pytest.approx(5)


def test_a_rate_counts_only_what_came_while_it_was_measured() -> None:
    """What the first look found had come before it."""
    course = Course(begin_s=5, begin_records=100, end_s=7)
    assert course.rate(1100) == 500


def test_latencies_are_those_of_the_measured_time() -> None:
    """Warm-up and end are left out, whenever their records arrived."""
    arrivals = [arrival(second, age_s=second / 1000) for second in range(10)]
    assert ages_ms(arrivals, warm_up_s=3, seconds=4) == pytest.approx([3, 4, 5, 6])


def test_a_measurement_begins_after_the_first_minute() -> None:
    """That is told by itself; a try does not wait for it."""
    assert warm_up_s(600) == 60
    assert warm_up_s(10) < 10


def test_lag_is_what_was_created_and_not_seen() -> None:
    """A record a second that takes two and a half seconds: three are on their way."""
    arrivals = [arrival(second + 0.001, age_s=2.5) for second in range(10)]
    assert lag_series(arrivals, warm_up_s=0, seconds=6) == (2, 3, 3, 3, 3, 3)
    assert lag_series(arrivals, warm_up_s=4, seconds=2) == (3, 3)

"""Figures over the last minute, and sums that survive whoever counts them."""

from __future__ import annotations

import pytest

from kmirror.state.statistics import LastMinute, Rate, Sums


def test_a_minute() -> None:
    """What is older than a minute is forgotten; the last value is not."""
    found = LastMinute()
    assert found.at(0) is None
    for at_s, value in ((0, 10.0), (10, 30.0), (40, 20.0)):
        found.add(value, at_s * 1000)
    at_40 = found.at(40_000)
    assert at_40 is not None
    assert (at_40.last, at_40.min, at_40.max, at_40.avg) == (20, 10, 30, 20)
    later = found.at(300_000)
    assert later is not None
    assert (later.last, later.min, later.max, later.avg) == (20, 20, 20, 20)


def test_a_rate() -> None:
    rate = Rate()
    assert rate.at(0, 0) == 0
    for second in range(1, 200):
        found = rate.at(second * 1000, 50.0 * second)
    assert found == pytest.approx(50)


def test_sums_survive_a_new_beginning() -> None:
    sums = Sums(2)
    for counted in ((1, 2), (3, 4), (1, 0), (2, 2)):
        sums.add(counted)
    assert sums.totals == [5, 6]


def test_what_begins_anew_may_have_more_of_one_thing() -> None:
    """The ages of a backlog soon sum up to more than those of an hour; nothing ever falls."""
    sums = Sums(2)
    for counted in ((72.0, 3600), (450.0, 5)):
        sums.add(counted)
    assert sums.totals == [522, 3605]

"""What flows were in the last minutes, and in the last day."""

from __future__ import annotations

import pytest

from kmirror.api.plots import PlotRange
from kmirror.console.history import POINTS_MAX, Counted, History
from kmirror.model import Flow

AB = Flow("A", "B")


def counted(at_s: int, records: int | None, lag: int | None = 0) -> Counted:
    """Give what is known of a flow at a moment."""
    size = None if records is None else 10 * records
    return Counted(at_ms=1000 * at_s, lag_records=lag, lag_seconds=0.0, records=records, bytes=size)


def test_rates() -> None:
    """Of the last looks; nothing of one look alone."""
    history = History()
    assert history.rates(AB) == (None, None)
    history.add(AB, counted(0, 0))
    assert history.rates(AB) == (None, None)
    for second in (5, 10, 15, 20):
        history.add(AB, counted(second, 100 * second))
    assert history.rates(AB) == (100.0, 1000.0)
    assert [each.records_per_s for each in history.samples(AB)] == [100.0] * 4


def test_a_count_that_begins_anew() -> None:
    """A flow that was started again has not copied less than nothing."""
    history = History()
    history.add(AB, counted(0, 1000))
    history.add(AB, counted(5, 50))
    assert history.rates(AB) == (10.0, 100.0)


def test_what_is_not_known_stays_so() -> None:
    history = History()
    history.add(AB, counted(0, None, None))
    history.add(AB, counted(5, None, 7))
    assert history.rates(AB) == (None, None)
    assert [each.lag_records for each in history.samples(AB)] == [7]


def day(every_s: int = 5) -> History:
    """Give a flow after 25 hours, which has copied ten records a second and lagged once."""
    history = History()
    for second in range(0, 25 * 3600, every_s):
        lag = 700 if second == 23 * 3600 else 3
        history.add(AB, counted(second, 10 * second, lag))
    return history


@pytest.mark.parametrize("every_s", [5, 10])
def test_memory(every_s: int) -> None:
    """As many points for each range, however long it goes on; flows that are gone are forgotten."""
    history, now_ms = day(every_s), 25 * 3_600_000
    for span in PlotRange:
        found = history.plots(AB, span, now_ms)
        step_s = max(span.step_s, every_s)
        assert span.span_s / step_s - 2 <= len(found.points) <= POINTS_MAX
        assert found.points[0].at_ms >= found.from_ms == now_ms - 1000 * span.span_s
        assert found.since_ms == 0
        assert {each.records_per_s for each in found.points} == {10.0}
    history.forget_others(frozenset())
    assert history.samples(AB) == ()
    assert history.plots(AB, PlotRange.DAY, now_ms).since_ms is None


def test_a_peak_is_in_every_range() -> None:
    """Of many seconds the largest lag counts: it is what an operator looks for."""
    history, now_ms = day(), 25 * 3_600_000
    most = {
        span: max(each.lag_records or 0 for each in history.plots(AB, span, now_ms).points)
        for span in PlotRange
    }
    assert most == {"15m": 3, "1h": 3, "6h": 700, "24h": 700}


def test_what_was_before_the_first_look_is_not_known() -> None:
    """The range stays what was asked for; the newest seconds are there before they are over."""
    history = History()
    for second in range(0, 65, 5):
        history.add(AB, counted(1000 + second, 10 * second))
    found = history.plots(AB, PlotRange.DAY, 1_060_000)
    assert (found.since_ms, found.from_ms) == (1_000_000, 1_060_000 - 86_400_000)
    assert [(each.at_ms, each.records_per_s) for each in found.points] == [(1_060_000, 10.0)]


def test_times_are_of_all_records_between_two_looks() -> None:
    """Nobody counts those again that were told before; a lane's count that is less began anew."""
    history = History()
    for second, latency in ((0, (9.0, 0.0, 0.0)), (5, (9.0, 0.0, 8.0)), (10, (1.0, 0.0, 0.0))):
        found = Counted(
            at_ms=1000 * second,
            lag_records=0,
            lag_seconds=0.0,
            records=None,
            bytes=None,
            latency=latency,
        )
        history.add(AB, found)
    first, second = history.plots(AB, PlotRange.QUARTER, 10_000).points
    assert (first.latency_p50_s, second.latency_p50_s) == (0.003, 0.0005)
    assert (first.age_p99_s, first.commit_p50_s, first.records_per_s) == (None, None, None)


def test_a_clock_that_is_set_back() -> None:
    """What was said to be later than now is not drawn."""
    history = History()
    for second in (1000, 1005, 1010, 1000, 1005):
        history.add(AB, counted(second, second))
    points = history.plots(AB, PlotRange.QUARTER, 1_005_000).points
    assert [each.at_ms for each in points] == [1_005_000]


@pytest.mark.parametrize("lag", [0, 3])
def test_the_lag_is_that_of_the_moment(lag: int) -> None:
    history = History()
    history.add(AB, counted(0, 0, 99))
    history.add(AB, counted(5, 0, lag))
    assert [each.lag_records for each in history.samples(AB)] == [lag]

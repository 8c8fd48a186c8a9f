"""How long ago the source got what the target has not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kmirror.policy.lag_times import LagExactness, PartitionLag
from kmirror.policy.lag_verdicts import LagLimits, LagVerdict, Trend, trend

LIMITS = LagLimits(stop_intervals=0)


class Watched:
    """A partition that is looked at once a second."""

    def __init__(self) -> None:
        self.lag = PartitionLag()
        self.now_s = 1000.0

    def look(self, position: int, end: int, *, commits: bool = True, copied_s: float = -1) -> None:
        """Let a second pass, and look."""
        self.now_s += 1
        committed_s = self.now_s if commits else 1.0
        self.lag.look(
            round(self.now_s * 1000),
            round(self.now_s * 1000),
            position=position,
            end=end,
            committed_ms=round(committed_s * 1000),
            copied_ms=round(copied_s * 1000) if copied_s >= 0 else -1,
            limits=LIMITS,
        )


def test_caught_up() -> None:
    watched = Watched()
    watched.look(10, 10)
    assert (watched.lag.lag, watched.lag.seconds, watched.lag.verdict) == (0, 0.0, LagVerdict.OK)


def test_a_record_after_an_idle_hour_is_as_late_as_it_is() -> None:
    """Its timestamp, or that of the one before, says nothing about that."""
    watched = Watched()
    watched.look(10, 10, copied_s=1)
    watched.now_s += 3600
    watched.look(10, 10, copied_s=1)
    watched.look(10, 11, copied_s=1)
    assert watched.lag.seconds <= 1.0
    watched.look(10, 11, copied_s=1)
    assert 1.0 <= watched.lag.seconds <= 2.0
    assert watched.lag.exactness is LagExactness.LOOKS


def test_a_steady_stream_that_is_five_seconds_late() -> None:
    """100 records a second come; what came five seconds ago is copied now."""
    watched = Watched()
    watched.look(0, 0)
    for second in range(1, 120):
        watched.look(max(0, 100 * (second - 5)), 100 * second)
        if second > 6:
            assert watched.lag.seconds == pytest.approx(5.0, abs=1.0)
    assert watched.lag.verdict is LagVerdict.OK


def test_what_was_there_before_the_first_look_is_dated_by_what_was_copied() -> None:
    """A lower bound at first, then timestamps, and looks as soon as they reach back."""
    watched = Watched()
    watched.look(0, 1000)
    assert watched.lag.exactness is LagExactness.AT_LEAST
    watched.look(500, 1000, copied_s=watched.now_s - 600)
    assert watched.lag.exactness is LagExactness.TIMESTAMPS
    assert watched.lag.seconds == pytest.approx(601)
    watched.look(500, 1200, copied_s=watched.now_s - 600)
    watched.look(1100, 1200, copied_s=watched.now_s - 600)
    assert watched.lag.exactness is LagExactness.LOOKS
    assert watched.lag.seconds == pytest.approx(1.5, abs=0.6)


def test_memory_is_bounded() -> None:
    """A lag of hours has no more points than one of seconds, and is known well all the same."""
    watched = Watched()
    watched.look(0, 0)
    for second in range(1, 20_000):
        watched.look(0, second)
    assert watched.lag.seconds == pytest.approx(20_000, rel=0.01)
    assert len(watched.lag._arrivals) <= 16
    assert len(watched.lag.looks) <= 20
    assert all(before < after for before, after in pairwise(watched.lag._arrivals))


def test_who_does_not_commit_has_stopped_within_ten_seconds() -> None:
    watched = Watched()
    watched.look(10, 10)
    for second in range(10):
        watched.look(10, 20 + second, commits=False)
    assert watched.lag.verdict is LagVerdict.STOP
    watched.look(29, 30)
    assert watched.lag.verdict is LagVerdict.OK


def test_who_commits_and_stands_has_stalled() -> None:
    """Its lane commits others, and this one not."""
    watched = Watched()
    watched.look(10, 10)
    for second in range(13):
        watched.look(10, 20 + second)
    assert watched.lag.verdict is LagVerdict.STALL


def test_a_copy_that_is_too_slow() -> None:
    watched = Watched()
    watched.look(0, 0)
    for second in range(1, 40):
        watched.look(50 * second, 100 * second)
    assert watched.lag.verdict is LagVerdict.WARN
    assert trend(watched.lag.looks) is Trend.GROWING


def test_an_order_to_go_back() -> None:
    watched = Watched()
    watched.look(90, 100)
    watched.look(10, 100)
    assert watched.lag.verdict is LagVerdict.REWIND
    watched.look(95, 100)
    assert watched.lag.verdict is LagVerdict.OK

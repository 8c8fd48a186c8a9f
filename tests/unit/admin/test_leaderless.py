"""Partitions whose leader does not answer."""

from __future__ import annotations

from kmirror.admin.leaderless import Leaderless
from kmirror.clock import ManualClock
from kmirror.model import TopicPartition

ONE, TWO = TopicPartition("t", 1), TopicPartition("t", 2)


def test_left_out_for_a_moment() -> None:
    """Then asked about again; an answer ends it at once."""
    clock = ManualClock()
    leaderless = Leaderless(clock)
    leaderless.note(ONE)
    assert leaderless.without([TWO, ONE]) == [TWO]
    clock.advance(5.0)
    assert leaderless.without([TWO, ONE, TWO]) == [ONE, TWO]
    leaderless.note(ONE)
    leaderless.clear(ONE)
    assert leaderless.without([ONE]) == [ONE]


def test_who_stays_silent_is_asked_less_often() -> None:
    """The pauses double, up to 20 s; an answer begins anew."""
    clock = ManualClock()
    leaderless = Leaderless(clock)
    for pause_s in (5.0, 10.0, 20.0, 20.0):
        leaderless.note(ONE)
        clock.advance(pause_s - 0.1)
        assert leaderless.without([ONE]) == []
        clock.advance(0.1)
        assert leaderless.without([ONE]) == [ONE]
    leaderless.clear(ONE)
    leaderless.note(ONE)
    clock.advance(5.0)
    assert leaderless.without([ONE]) == [ONE]

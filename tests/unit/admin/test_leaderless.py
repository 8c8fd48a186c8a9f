"""Partitions whose leader does not answer."""

from __future__ import annotations

import sys
import threading
from itertools import count

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


def test_threads_of_a_client_share_it() -> None:
    """One may note a partition while another asks what it may ask about."""
    leaderless = Leaderless(ManualClock())
    for number in range(5_000):
        leaderless.note(TopicPartition("u", number))
    over = threading.Event()

    def note() -> None:
        for number in count():
            if over.is_set():
                return
            leaderless.note(TopicPartition("t", number))
            leaderless.clear(TopicPartition("t", number - 1))

    noting = threading.Thread(target=note)
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    noting.start()
    try:
        for _ in range(200):
            assert leaderless.without([ONE, TWO]) == [ONE, TWO]
            assert leaderless.noted([TopicPartition("u", 1)])
    finally:
        over.set()
        noting.join()
        sys.setswitchinterval(before_s)

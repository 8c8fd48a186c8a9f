"""What is waited for is said soon, once a minute, and once for all who wait for the same."""

from __future__ import annotations

import threading
from dataclasses import replace

from kmirror.cli.notices import Notices
from kmirror.clock import ManualClock
from kmirror.waits import Wait, long_waits, waiting


def test_a_wait_is_known_as_long_as_it_lasts() -> None:
    """In whatever thread; one that begins later is behind."""
    begun, end = threading.Event(), threading.Event()

    def wait() -> None:
        with waiting("for cluster B (b:9092)", "list topics", why=lambda: "refused"):
            begun.set()
            end.wait(10)

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        assert begun.wait(10)
        with waiting("until it rains"):
            texts = [str(wait) for wait in long_waits(0.0)]
        assert texts == [
            "waiting for cluster B (b:9092): list topics (refused)",
            "waiting until it rains",
        ]
        assert not long_waits(3600.0)
    finally:
        end.set()
        thread.join()
    assert not long_waits(0.0)


def test_a_line_a_minute() -> None:
    """Who else waits for the same cluster has nothing to add."""
    told: list[str] = []
    clock = ManualClock()
    notices = Notices(lambda wait: told.append(str(wait)), clock)
    wait = Wait(what="for cluster B (b:9092)", doing="list topics", why=str, since_s=0.0)
    also = replace(wait, doing="list groups")
    for _ in range(60):
        notices.look([wait, also])
        clock.advance(1.0)
    assert told == ["waiting for cluster B (b:9092): list topics"]
    notices.look([also, replace(wait, what="for cluster A (a:9092)")])
    assert told[1:] == [
        "waiting for cluster B (b:9092): list groups",
        "waiting for cluster A (a:9092): list topics",
    ]

"""Answers that count for some seconds."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import ManualClock, SystemClock
from kmirror.console.kept_answers import KeptAnswers
from kmirror.errors import ClusterUnavailable


def test_an_answer_counts_for_a_while() -> None:
    clock, asked = ManualClock(100.0), list[int]()
    kept = KeptAnswers[int](10.0, clock)

    def ask() -> int:
        asked.append(1)
        return len(asked)

    assert [kept.get("a", ask), kept.get("a", ask), kept.get("b", ask)] == [1, 1, 2]
    clock.advance(10.0)
    assert kept.get("a", ask) == 3


def test_an_error_is_no_answer() -> None:
    """Whoever asks next finds out for themselves."""
    kept = KeptAnswers[int](10.0, ManualClock(100.0))

    def fail() -> int:
        raise ClusterUnavailable("away")

    with pytest.raises(ClusterUnavailable):
        kept.get("a", fail)
    assert kept.get("a", lambda: 5) == 5


class _Counting(ManualClock):
    """A clock that counts how often it was read, and is later each time."""

    def __init__(self) -> None:
        super().__init__(100.0)
        self.looks = 0
        self._looking = threading.Lock()

    def monotonic_s(self) -> float:
        with self._looking:
            self.looks += 1
            return 100.0 + self.looks


def test_those_who_wait_share_an_error() -> None:
    """A cluster that does not answer is waited for once, and not once by each of them in turn."""
    clock, asked, began = _Counting(), list[int](), threading.Event()
    kept = KeptAnswers[int](60.0, clock)

    def fail() -> int:
        asked.append(1)
        began.set()
        # Whoever asks looks at the clock, and then waits; the first one has looked twice.
        wait_until(lambda: clock.looks >= 5, "the others wait", timeout_s=30, pause_s=0.01)
        raise ClusterUnavailable("away")

    def also() -> int:
        began.wait(30)
        return kept.get("a", fail)

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(kept.get, "a", fail), *(pool.submit(also) for _ in range(3))]:
            with pytest.raises(ClusterUnavailable):
                each.result(timeout=60)
    assert asked == [1]
    assert kept.get("a", lambda: 5) == 5


def test_many_ask_once() -> None:
    """Those who ask the same meanwhile wait for the one answer."""
    kept, asked, began = KeptAnswers[int](60.0, SystemClock()), list[int](), threading.Event()

    def ask() -> int:
        asked.append(1)
        began.wait(30)
        return 7

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(kept.get, "a", ask) for _ in range(4)]
        began.set()
        assert [each.result(timeout=30) for each in found] == [7] * 4
    assert asked == [1]

"""Chores and repeated words, in virtual time."""

from __future__ import annotations

import threading
from contextlib import suppress

from kmirror.clock import ManualClock, SystemClock
from kmirror.errors import ClusterUnavailable
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle


def test_a_chore_runs_once_per_interval() -> None:
    """An hour of ticks, sixty runs."""
    clock, runs = ManualClock(), []
    task = PeriodicTask(clock, 60.0, lambda: runs.append(clock.monotonic_s()))
    for _ in range(36_000):
        clock.advance(0.125)
        task.run_if_due()
    assert len(runs) == 75
    assert runs[0] == 60.0


def test_what_takes_long_is_done_less_often() -> None:
    """A fiftieth of the time, and once in three seconds at least."""
    for work_s, runs_max in ((0.0001, 1000), (0.02, 100), (0.05, 40), (0.5, 33)):
        clock, runs = ManualClock(), []

        def work(clock: ManualClock = clock, runs: list[float] = runs, s: float = work_s) -> None:
            runs.append(clock.monotonic_s())
            clock.work(s)

        task = PeriodicTask(clock, 0.0, work, share=0.02)
        while clock.monotonic_s() < 100:
            clock.advance(0.1)
            task.run_if_due()
        assert 0.8 * runs_max <= len(runs) <= runs_max + 1, work_s


def test_who_rests_is_woken_and_changes_its_share() -> None:
    """A minute of rest ends when somebody asks, but not before the interval is over."""
    clock, runs = ManualClock(), []

    def work() -> None:
        runs.append(clock.monotonic_s())
        clock.work(1.0)

    def ticks(until_s: float) -> list[float]:
        runs.clear()
        while clock.monotonic_s() < until_s:
            clock.advance(0.5)
            task.run_if_due()
        return list(runs)

    task = PeriodicTask(clock, 5.0, work, share=0.01, rest_s_max=60.0)
    assert ticks(100) == [5.0, 65.0]
    task.wake()
    assert ticks(102) == [100.5]
    task.wake()
    assert ticks(110) == [105.5]
    task.rest(0.1, 60.0)
    assert ticks(130) == [115.5, 125.5]
    task.rest(0.1, 7.0)
    assert ticks(140) == [132.5, 139.5]


def test_a_failed_task_has_worked_too() -> None:
    """What takes long and fails is not tried at every tick."""
    clock, runs = ManualClock(), []

    def fail() -> None:
        runs.append(clock.monotonic_s())
        clock.work(0.05)
        raise ClusterUnavailable("away")

    task = PeriodicTask(clock, 0.0, fail, share=0.02)
    for _ in range(100):
        clock.advance(0.1)
        with suppress(ClusterUnavailable):
            task.run_if_due()
    assert len(runs) <= 4


def test_a_thread_is_woken_and_ended() -> None:
    """Neither waits for the interval."""
    clock, ran = SystemClock(), threading.Event()
    thread = PeriodicThread("test", clock, lambda _: False, interval_s=600.0)
    thread.also(PeriodicTask(clock, 0.0, ran.set))
    thread.start()
    for _ in range(3):
        assert ran.wait(10)
        ran.clear()
        thread.wake()
    assert ran.wait(10)
    assert thread.close(10)


def test_a_kind_of_trouble_is_told_once_a_minute() -> None:
    """Other kinds have minutes of their own."""
    clock = ManualClock()
    throttle = Throttle(clock)
    assert throttle.allows("down")
    clock.advance(59)
    assert not throttle.allows("down")
    assert throttle.allows("restarting")
    clock.advance(1)
    assert throttle.allows("down")
    assert not throttle.allows("restarting")


class Held:
    """A thread whose only task waits until it may go on, and what became of its resources."""

    def __init__(self, *, error: Exception | None = None) -> None:
        self.works, self.may_go_on, self.released = (threading.Event() for _ in range(3))
        self.releases: list[str] = []
        self._error = error
        self.thread = PeriodicThread(
            "held", SystemClock(), lambda _: False, interval_s=0.01, release=self._release
        )
        self.thread.also(PeriodicTask(SystemClock(), 0.0, self._work))

    def _work(self) -> None:
        self.works.set()
        assert self.may_go_on.wait(10)
        if self._error is not None:
            raise self._error

    def _release(self) -> None:
        self.releases.append(threading.current_thread().name)
        self.released.set()


def test_a_thread_that_nobody_waits_for_lets_go_itself() -> None:
    """When its task has come to its end, and not before; what is closed twice is released once."""
    held = Held()
    held.thread.start()
    assert held.works.wait(10)
    assert not held.thread.close(0)
    assert not held.released.is_set()
    held.may_go_on.set()
    assert held.released.wait(10)
    assert held.thread.close(10)
    assert held.releases == ["held"]


def test_what_has_never_begun_is_released_when_it_is_closed() -> None:
    """There is no thread that could do it."""
    held = Held()
    assert held.thread.close()
    assert held.releases == [threading.current_thread().name]


def test_a_thread_that_gave_up_lets_go_when_it_is_closed() -> None:
    """Until then others may work with the same."""
    held = Held(error=ValueError("gives up"))
    held.thread.start()
    assert held.works.wait(10)
    held.may_go_on.set()
    assert not held.released.wait(0.2)
    assert held.thread.close(10)
    assert held.released.wait(10)
    assert len(held.releases) == 1

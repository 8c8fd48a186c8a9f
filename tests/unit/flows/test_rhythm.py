"""Chores and repeated words, in virtual time."""

from __future__ import annotations

from kmirror.clock import ManualClock
from kmirror.schedule.periodic_task import PeriodicTask
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

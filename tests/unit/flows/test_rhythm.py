"""Chores and repeated words, in virtual time."""

from __future__ import annotations

from kmirror.clock import ManualClock
from kmirror.flows.chores import Chore
from kmirror.flows.told import Told


def test_a_chore_runs_once_per_interval() -> None:
    """An hour of ticks, sixty runs."""
    clock, runs = ManualClock(), []
    chore = Chore(clock, 60.0, lambda: runs.append(clock.monotonic_s()))
    for _ in range(36_000):
        clock.advance(0.125)
        chore.run_if_due()
    assert len(runs) == 75
    assert runs[0] == 60.0


def test_a_kind_of_trouble_is_told_once_a_minute() -> None:
    """Other kinds have minutes of their own."""
    clock = ManualClock()
    told = Told(clock)
    assert told.should_tell("down")
    clock.advance(59)
    assert not told.should_tell("down")
    assert told.should_tell("restarting")
    clock.advance(1)
    assert told.should_tell("down")
    assert not told.should_tell("restarting")

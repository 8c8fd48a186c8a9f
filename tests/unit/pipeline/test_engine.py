"""Flows that wait for a Spark that still starts."""

from __future__ import annotations

import threading

from kmirror.clock import ManualClock
from kmirror.pipeline.engine import Engine, EngineStart
from tests.support.fake_flow import unused


class FinishingClock(ManualClock):
    """Spark is there after some looks."""

    looks = 0
    start: EngineStart

    def wait(self, stop: threading.Event, timeout_s: float) -> bool:
        self.looks += 1
        if self.looks == 3:
            self.start.finish(unused(Engine))
        return super().wait(stop, timeout_s)


def test_it_is_waited_for() -> None:
    """As soon as it is there the flow has it, and every later time at once."""
    clock = FinishingClock()
    clock.start = EngineStart(clock)
    assert clock.start.engine is None
    assert clock.start.wait(threading.Event()) is clock.start.engine
    assert clock.start.engine is not None
    assert clock.looks == 3
    assert clock.start.wait(threading.Event()) is clock.start.engine
    assert clock.looks == 3


def test_a_stop_ends_the_waiting() -> None:
    """Spark may never come."""
    stop = threading.Event()
    stop.set()
    assert EngineStart(ManualClock()).wait(stop) is None

"""Waiting for something to become true, never without a deadline."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kmirror.clock import Clock, SystemClock
from kmirror.errors import ClusterUnavailable
from kmirror.waits import waiting


def wait_until(
    condition: Callable[[], bool],
    what: str,
    *,
    timeout_s: float,
    pause_s: float = 0.05,
    clock: Clock | None = None,
) -> None:
    """
    Return as soon as *condition* holds.

    Args:
        condition: Asked again and again.
        what: Says what is waited for, for the error.
        timeout_s: How long it may take.
        pause_s: Between two questions.
        clock: The system's, unless a test brings its own.

    Raises:
        ClusterUnavailable: It did not hold in time.
    """
    clock = clock or SystemClock()
    never = threading.Event()
    deadline_s = clock.monotonic_s() + timeout_s
    with waiting(f"until {what}"):
        while not condition():
            if clock.monotonic_s() >= deadline_s:
                raise ClusterUnavailable(f"{what}: not within {timeout_s:g} s")
            clock.wait(never, pause_s)

"""Time that passes while something is measured, or settles."""

from __future__ import annotations

import threading

from kmirror.clock import Clock


def pass_time(clock: Clock, seconds: float) -> None:
    """Wait, for nothing but time; not at all for less than none."""
    clock.wait(threading.Event(), seconds)

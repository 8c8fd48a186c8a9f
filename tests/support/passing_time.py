"""Time that must pass where there is nothing to wait for: time-outs of others, say."""

from __future__ import annotations

import threading

from kmirror.clock import SystemClock


def pass_time(duration_s: float) -> None:
    """Let so many seconds pass."""
    SystemClock().wait(threading.Event(), duration_s)

"""Time as an argument: the only module that may sleep."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Where time comes from."""

    def monotonic_s(self) -> float:
        """Seconds on a clock that never jumps; only differences mean something."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since the epoch."""
        ...

    def worked_s(self) -> float:
        """Processor seconds of this thread; only differences mean something."""
        ...

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        """Wait until *event* is set or *timeout_s* has passed; tell whether it is set."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def monotonic_s(self) -> float:
        return time.monotonic()

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def worked_s(self) -> float:
        return time.thread_time()

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        return event.wait(timeout_s)


class ManualClock:
    """A clock that moves only when told to, or when a caller waits on it."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self._worked_s = 0.0

    def monotonic_s(self) -> float:
        return self._now_s

    def wall_ms(self) -> int:
        return int(self._now_s * 1000)

    def worked_s(self) -> float:
        return self._worked_s

    def wait(self, event: threading.Event, timeout_s: float) -> bool:
        if not event.is_set():
            self.advance(timeout_s)
        return event.is_set()

    def advance(self, seconds: float) -> None:
        """Let *seconds* pass."""
        assert seconds >= 0, "time does not run backwards"
        self._now_s += seconds

    def work(self, seconds: float) -> None:
        """Let a thread have worked for *seconds*; they pass, too."""
        self._worked_s += seconds
        self.advance(seconds)

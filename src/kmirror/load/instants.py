"""Moments to the microsecond, for stamps and for those who read them."""

from __future__ import annotations

from kmirror.clock import Clock


class Instants:
    """
    A wall clock that does not jump while it is used.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_s = clock.monotonic_s()
        self._began_us = clock.wall_ms() * 1000

    def now_us(self) -> int:
        """Return the time, microseconds since the epoch."""
        return self._began_us + round((self._clock.monotonic_s() - self._began_s) * 1e6)

"""Tasks that are due at regular intervals."""

from __future__ import annotations

from collections.abc import Callable

from kmirror.clock import Clock


class PeriodicTask:
    """
    A task that is due at regular intervals.

    Args:
        clock: Where time comes from.
        interval_s: Time between two runs, seconds.
        do: What to do.
        at_once: It is due now, instead of after one interval.
    """

    def __init__(
        self, clock: Clock, interval_s: float, do: Callable[[], object], *, at_once: bool = False
    ) -> None:
        self._clock = clock
        self._interval_s = interval_s
        self._do = do
        self._last_s = clock.monotonic_s() - (interval_s if at_once else 0.0)

    def run_if_due(self) -> None:
        """Run the task if it is due."""
        now_s = self._clock.monotonic_s()
        if now_s - self._last_s >= self._interval_s:
            self._last_s = now_s
            self._do()

"""Tasks that are due at regular intervals."""

from __future__ import annotations

from collections.abc import Callable

from kmirror.clock import Clock

_REST_S_MAX = 3.0


class PeriodicTask:
    """
    A task that is due at regular intervals.

    Args:
        clock: Where time comes from.
        interval_s: Time between two runs, seconds; infinite for a task that only `change` wakes.
        do: What to do.
        at_once: It is due now, instead of after one interval.
        share: Which part of its thread's time it may work: what takes long is done less often, but
            every few seconds. 0 is no limit.
    """

    def __init__(
        self,
        clock: Clock,
        interval_s: float,
        do: Callable[[], object],
        *,
        at_once: bool = False,
        share: float = 0.0,
    ) -> None:
        self._clock = clock
        self._interval_s = interval_s
        self._do = do
        self._last_s = clock.monotonic_s()
        self._is_hastened = at_once
        self._share = share
        self._rest_s = 0.0

    def run_if_due(self) -> None:
        """Run the task if it is due."""
        now_s = self._clock.monotonic_s()
        if self._is_hastened or now_s - self._last_s >= max(self._interval_s, self._rest_s):
            self._is_hastened = False
            self._last_s = now_s
            worked_s = self._clock.worked_s()
            self._do()
            if self._share:
                worked_s = self._clock.worked_s() - worked_s
                self._rest_s = min(worked_s / self._share, _REST_S_MAX)

    def change(self, interval_s: float) -> None:
        """Have it due at once, and from then on every *interval_s* seconds."""
        self._interval_s = interval_s
        self._is_hastened = True

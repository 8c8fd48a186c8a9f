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
        share: Which part of its thread's time it may work: what takes long is done less often. 0
            is no limit.
        rest_s_max: So often it is done all the same, seconds.
    """

    def __init__(
        self,
        clock: Clock,
        interval_s: float,
        do: Callable[[], object],
        *,
        at_once: bool = False,
        share: float = 0.0,
        rest_s_max: float = _REST_S_MAX,
    ) -> None:
        self._clock = clock
        self._interval_s = interval_s
        self._do = do
        self._last_s = clock.monotonic_s()
        self._is_hastened = at_once
        self._share, self._rest_s_max = share, rest_s_max
        self._worked_s = 0.0
        self._is_woken = False

    def run_if_due(self) -> None:
        """Run the task if it is due."""
        now_s = self._clock.monotonic_s()
        rest_s = 0.0 if self._is_woken else self._rest_s
        if self._is_hastened or now_s - self._last_s >= max(self._interval_s, rest_s):
            self._is_hastened = self._is_woken = False
            self._last_s = now_s
            began_s = self._clock.worked_s()
            try:
                self._do()
            finally:
                self._worked_s = self._clock.worked_s() - began_s

    @property
    def _rest_s(self) -> float:
        """How long it rests for what it has worked."""
        return min(self._worked_s / self._share, self._rest_s_max) if self._share else 0.0

    def change(self, interval_s: float) -> None:
        """Have it due at once, and from then on every *interval_s* seconds."""
        self._interval_s = interval_s
        self._is_hastened = True

    def rest(self, share: float, rest_s_max: float) -> None:
        """Have it work another part of the time from now on; what it does now counts."""
        self._share, self._rest_s_max = share, rest_s_max

    def wake(self) -> None:
        """Let it rest no longer: it is due when its interval is over; from any thread."""
        self._is_woken = True

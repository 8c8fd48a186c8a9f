"""When each record of a load is due; pure."""

from __future__ import annotations


class Pace:
    """
    A rate that is kept on the average: who was late catches up.

    Args:
        per_s: Records a second; 0 for as fast as it goes.
        began_s: When the first one is due, on a monotonic clock.
        began_us: The same moment, microseconds since the epoch.
    """

    def __init__(self, per_s: float, *, began_s: float, began_us: int) -> None:
        self._per_s = per_s
        self._began_s = began_s
        self._began_us = began_us

    def early_s(self, number: int, now_s: float) -> float:
        """Say how long the record *number* is not due yet; 0 when it is."""
        if not self._per_s:
            return 0.0
        return max(0.0, self._began_s + number / self._per_s - now_s)

    def sent_us(self, number: int, now_s: float) -> int:
        """
        Return the moment from which the record's time counts, microseconds since the epoch.

        With a rate that is when it was due: a cluster that holds up the producer would otherwise
        look faster than it is, since what waits to be sent would not count.
        """
        at_s = number / self._per_s if self._per_s else now_s - self._began_s
        return self._began_us + round(at_s * 1e6)

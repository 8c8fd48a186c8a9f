"""Keeps a log readable: a kind of trouble is logged once a minute, whatever its text is."""

from __future__ import annotations

from kmirror.clock import Clock

_REPEAT_S = 60.0
_KINDS_MAX = 1_000  # those that are past are forgotten then


class Throttle:
    """
    Remembers when each kind of trouble was last logged.

    A cluster that is away fails each request with another text, so the text decides nothing.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logged_s: dict[str, float] = {}

    def allows(self, kind: str) -> bool:
        """Return whether *kind* may be logged now; if so, it counts as logged."""
        now_s = self._clock.monotonic_s()
        logged_s = self._logged_s.get(kind)
        if logged_s is not None and now_s - logged_s < _REPEAT_S:
            return False
        if len(self._logged_s) >= _KINDS_MAX:
            self._logged_s = {
                each: at_s for each, at_s in self._logged_s.items() if now_s - at_s < _REPEAT_S
            }
        self._logged_s[kind] = now_s
        return True

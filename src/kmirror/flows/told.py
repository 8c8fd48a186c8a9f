"""Keeps a log readable: the same trouble is told once a minute."""

from __future__ import annotations

from kmirror.clock import Clock

_REPEAT_S = 60.0


class Told:
    """
    Remembers what was said last.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._text = ""
        self._at_s = 0.0

    def should_tell(self, text: str) -> bool:
        """Tell whether *text* is new, or was said long enough ago."""
        now_s = self._clock.monotonic_s()
        if text == self._text and now_s - self._at_s < _REPEAT_S:
            return False
        self._text, self._at_s = text, now_s
        return True

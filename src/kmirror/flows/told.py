"""Keeps a log readable: a kind of trouble is told once a minute, whatever its words are."""

from __future__ import annotations

from kmirror.clock import Clock

_REPEAT_S = 60.0


class Told:
    """
    Remembers when which kind of trouble was told last.

    A cluster that is away fails each request with other words, so the words decide nothing.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told_s: dict[str, float] = {}

    def should_tell(self, kind: str) -> bool:
        """Tell whether *kind* was never told, or long enough ago; then it counts as told now."""
        now_s = self._clock.monotonic_s()
        told_s = self._told_s.get(kind)
        if told_s is not None and now_s - told_s < _REPEAT_S:
            return False
        self._told_s[kind] = now_s
        return True

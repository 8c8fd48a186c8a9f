"""Says what the process waits for, as soon as it takes long; then once a minute."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from kmirror.cli.ending import background
from kmirror.clock import Clock
from kmirror.events.emit import emit
from kmirror.events.table import WAIT_LASTING
from kmirror.waits import Wait, long_waits

_LONG_S = 1.5
_REPEAT_S = 60.0
_LOOK_S = 0.25


class Notices:
    """
    Turns waits into lines, one for all that wait for the same.

    Args:
        tell: Is given the wait.
        clock: Where time comes from.
    """

    def __init__(self, tell: Callable[[Wait], None], clock: Clock) -> None:
        self._tell = tell
        self._clock = clock
        self._told_s: dict[str, float] = {}

    def look(self, waits: Iterable[Wait]) -> None:
        """Say what of *waits* was not said lately."""
        now_s = self._clock.monotonic_s()
        for wait in waits:
            told_s = self._told_s.get(wait.what)
            if told_s is None or now_s - told_s >= _REPEAT_S:
                self._told_s[wait.what] = now_s
                self._tell(wait)


def begin(clock: Clock) -> None:
    """
    Look until the process ends, in a thread.

    Args:
        clock: Where time comes from.
    """
    notices, never = Notices(_tell, clock), threading.Event()

    def look() -> None:
        while not clock.wait(never, _LOOK_S):
            notices.look(long_waits(_LONG_S))

    background(look, "kmirror-notices")


def _tell(wait: Wait) -> None:
    emit(WAIT_LASTING, line=str(wait), waits=wait.what, doing=wait.doing or None)

"""Whether a client has its connections, and since when; pure."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Connection:
    """
    The connections of one client, by what it says of them; from any thread.

    A record that was on its way while a client had none says nothing of the mirror: how long it
    took is not its latency.

    Args:
        reconnected: Is told how long there was none, seconds.
    """

    def __init__(self, reconnected: Callable[[float], None]) -> None:
        self._reconnected = reconnected
        self._lock = threading.Lock()
        self._down_us: int | None = None
        self._up_us: int | None = None

    def down(self, now_us: int) -> None:
        """Take the client's word that a connection failed."""
        with self._lock:
            if self._down_us is None:
                self._down_us = now_us

    def up(self, now_us: int) -> None:
        """Take an answer: there is a connection."""
        with self._lock:
            down_us, self._down_us = self._down_us, None
            is_first = self._up_us is None
            if is_first or down_us is not None:
                self._up_us = now_us
        if down_us is not None and not is_first:
            self._reconnected((now_us - down_us) / 1e6)

    def held_since(self, sent_us: int) -> bool:
        """Whether there was a connection all the time since *sent_us*."""
        with self._lock:
            return self._down_us is None and self._up_us is not None and self._up_us <= sent_us

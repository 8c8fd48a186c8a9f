"""The end of a process that shares flows: others take them over before it lets go."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kmirror.clock import Clock
from kmirror.runtime.flow_host import FlowHost
from kmirror.runtime.group_channel import GroupChannel

_LOOK_S = 1.0


class Handover:
    """
    Lets others take over what runs here once the process shall end; it goes on until they have.

    Args:
        host: Runs flows.
        channel: Gives the others; `None` where there are none, or none are known yet.
        over: Set when nobody wants to wait any more.
        clock: Where time comes from.
    """

    def __init__(
        self,
        host: FlowHost,
        channel: Callable[[], GroupChannel | None],
        *,
        over: threading.Event,
        clock: Clock,
    ) -> None:
        self._host = host
        self._channel = channel
        self._over = over
        self._clock = clock

    def begin_with(self, stop: threading.Event, end: threading.Event) -> None:
        """
        Set *end* when *stop* is set and others have the flows, in a thread.

        Args:
            stop: The process shall end.
            end: Its flows shall.
        """
        waiting = threading.Thread(
            target=self._wait, args=(stop, end), name="kmirror-handover", daemon=True
        )
        waiting.start()

    def _wait(self, stop: threading.Event, end: threading.Event) -> None:
        while not (stop.is_set() or self._over.is_set()):
            self._clock.wait(stop, _LOOK_S)
        channel = self._channel()
        try:
            if channel is not None:
                self._host.hand_over()
                channel.hand_over(self._over)
        finally:
            end.set()

"""A stream of server-sent events: what is so now, and then each change of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping

from kmirror.clock import Clock
from kmirror.server.resolver.views import JsonObject

# So long nothing is said to who listens; proxies close what is silent for longer.
_QUIET_S_MAX = 15.0
# Then the client comes again, and is asked again who it is.
_STREAM_S_MAX = 3600.0
_RETRY_MS = 1000

Views = Mapping[tuple[str, str], JsonObject]
"""What is to be told, by the name of the event and by what it is about."""


class Changes:
    """
    Wakes those who listen. All but `wake` and `end` runs in the thread that answers.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = asyncio.Event()
        self._is_ended = False

    def wake(self) -> None:
        """Have everybody who listens look again; call it in the thread that answers."""
        self._changed, changed = asyncio.Event(), self._changed
        changed.set()

    def end(self) -> None:
        """Send away everybody who listens, at the next `wake`."""
        self._is_ended = True

    async def stream(self, views: Callable[[], Views]) -> AsyncIterator[str]:
        """
        Yield the text of a stream.

        Args:
            views: Gives what is so now.
        """
        yield f"retry: {_RETRY_MS}\n\n"
        told: dict[tuple[str, str], JsonObject] = {}
        until_s = self._clock.monotonic_s() + _STREAM_S_MAX
        while not self._is_ended and self._clock.monotonic_s() < until_s:
            changed = self._changed  # before looking: a change meanwhile is not missed
            for key, view in views().items():
                if told.get(key) != (told_of := _without_words(view)):
                    told[key] = told_of
                    yield f"event: {key[0]}\ndata: {json.dumps(view)}\n\n"
            try:
                async with asyncio.timeout(_QUIET_S_MAX):
                    await changed.wait()
            except TimeoutError:
                yield ": still here\n\n"


def _without_words(view: JsonObject) -> JsonObject:
    """Return what counts as a change: that there is trouble does, how it is worded does not."""
    return {**view, "trouble": bool(view["trouble"])}

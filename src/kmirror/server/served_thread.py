"""A server at one address, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from starlette.types import ASGIApp

from kmirror.clock import Clock
from kmirror.config.server import Listener
from kmirror.errors import EnvironmentProblem
from kmirror.server.guarded import guarded_server, have_begun
from kmirror.server.sockets import bound, listening

_STOP_S_MAX = 3.0


class ServedThread:
    """
    Listens as soon as it is made, and answers from `start` to `stop`.

    Args:
        app: What answers.
        listener: Where, over http.
        connections_max: At a time.
        name: Of the thread.
        clock: Where time comes from.

    Raises:
        EnvironmentProblem: It cannot listen there.
    """

    def __init__(
        self, app: ASGIApp, listener: Listener, *, connections_max: int, name: str, clock: Clock
    ) -> None:
        self._clock = clock
        (self._socket,) = listening((listener,))
        self.listener = bound(listener, self._socket)
        self._server = guarded_server(app, tls=None, connections_max=connections_max)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._ended = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """
        Begin to answer.

        Raises:
            EnvironmentProblem: It does not begin.
        """
        self._thread.start()
        if not have_begun([self._server], self._ended, self._clock):
            raise EnvironmentProblem(f"{self.listener} does not begin to answer")

    def call_soon(self, act: Callable[[], object]) -> None:
        """Have *act* called in the thread that answers, if that runs."""
        loop = self._loop
        if loop is not None and not self._ended.is_set():
            # It may end at this moment: then nobody is left who listens.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(act)

    def stop(self) -> None:
        """End; what is being answered is still answered, but nobody is waited for for long."""
        self._server.config.timeout_graceful_shutdown = max(1, int(_STOP_S_MAX) - 1)
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(_STOP_S_MAX)
        self._socket.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ended.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[self._socket])
        self._loop = None

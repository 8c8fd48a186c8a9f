"""HTTP/1.1: uvicorn's own, with a time for handshakes and headers, and the client's subject."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kmirror.server.tls import subject_of

HEADERS_S_MAX = 10.0
IDLE_S_MAX = 30
HEADER_BYTES_MAX = 16 << 10


class GuardedProtocol(H11Protocol):
    """A connection that is closed when the headers of a request do not come in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        tls = transport.get_extra_info("ssl_object")
        subject = None if tls is None else subject_of(tls.getpeercert())
        app = self.app

        async def with_subject(scope: Any, receive: Any, send: Any) -> None:
            scope["state"]["subject"] = subject
            await app(scope, receive, send)

        self.app = with_subject
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._deadline is None and not self.transport.is_closing():
            # The next request has begun, and its headers are not whole.
            self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_headers(self) -> None:
        self._deadline = self.loop.call_later(HEADERS_S_MAX, self._end)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


class GuardedServer(uvicorn.Server):
    """A server whose clients have as long for TLS's handshake as for headers."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections at sockets that listen."""
        assert sockets, "it listens already"
        config, loop = self.config, asyncio.get_running_loop()

        def connection() -> asyncio.Protocol:
            return GuardedProtocol(config, self.server_state, self.lifespan.state)

        self.servers = [
            await loop.create_server(
                connection,
                sock=each,
                ssl=config.ssl,
                ssl_handshake_timeout=None if config.ssl is None else HEADERS_S_MAX,
            )
            for each in sockets
        ]
        self.started = True

"""uvicorn, set up so that nothing is open that nobody asked for."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import uvicorn
from starlette.types import ASGIApp

from kmirror.clock import Clock
from kmirror.server.protocol import HEADER_BYTES_MAX, IDLE_S_MAX, GuardedServer
from kmirror.server.tls import ServerTls

_START_S_MAX = 10.0


def guarded_server(app: ASGIApp, *, tls: ServerTls | None, connections_max: int) -> uvicorn.Server:
    """
    Return a server that has not begun.

    Args:
        app: What answers.
        tls: For https; `None` for http.
        connections_max: At a time.
    """
    settings = uvicorn.Config(
        app,
        interface="asgi3",
        http="h11",
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        # What strangers say wrong is not worth a line each.
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=connections_max,
        timeout_keep_alive=IDLE_S_MAX,
        h11_max_incomplete_event_size=HEADER_BYTES_MAX,
        ssl_context_factory=None if tls is None else lambda *_: tls.context,
    )
    return GuardedServer(settings)


def have_begun(servers: Sequence[uvicorn.Server], ended: threading.Event, clock: Clock) -> bool:
    """
    Wait until servers that run in another thread answer; tell whether they do.

    Args:
        servers: They.
        ended: Set when that thread has ended.
        clock: Where time comes from.
    """
    deadline_s = clock.monotonic_s() + _START_S_MAX
    while not all(server.started for server in servers):
        if clock.monotonic_s() > deadline_s or clock.wait(ended, 0.01):
            return False
    return True

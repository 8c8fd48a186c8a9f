"""The server of a worker: listens from the start, serves in a thread, and ends in time."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from kmirror.clock import Clock
from kmirror.config.server import OPEN, Listener, ServerConfig
from kmirror.config.server_tls import TlsConfig
from kmirror.connect.herder import Herder
from kmirror.connect.worker_face import STARTING
from kmirror.errors import EnvironmentProblem, MirrorError
from kmirror.events.emit import emit
from kmirror.events.rest import (
    CERTIFICATE_REFUSED,
    CERTIFICATE_RELOADED,
    SERVER_LISTENING,
    SERVER_UNPROTECTED,
)
from kmirror.server.app import application
from kmirror.server.connect.endpoints import connect_endpoints, starting_endpoints
from kmirror.server.connect.schemas import SHAPES
from kmirror.server.endpoint import Endpoint
from kmirror.server.guarded import guarded_server, have_begun
from kmirror.server.login import login_of
from kmirror.server.openapi import openapi_document, openapi_endpoint
from kmirror.server.sockets import bound, listening, own_address
from kmirror.server.tls import ServerTls

_STOP_S_MAX = 10.0
_LOOK_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """Listeners of one kind, with their sockets."""

    listeners: tuple[Listener, ...]
    sockets: tuple[socket.socket, ...]
    tls: ServerTls | None
    is_admin: bool

    @property
    def addresses(self) -> Iterator[Listener]:
        """Where it listens, with the port that was free."""
        for listener, each in zip(self.listeners, self.sockets, strict=True):
            yield bound(listener, each)


class _Switch:
    """An ASGI application in whose place another one may come."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


class RestServer:
    """
    A worker's REST server. It listens as soon as it is made, and answers from `begin` to `stop`:
    that the worker is starting until `serve` gives it one.

    Args:
        config: Where, and for whom.
        clock: Where time comes from.

    Raises:
        ConfigError: The file of users or a key store cannot be used.
        EnvironmentProblem: It cannot listen there.
    """

    def __init__(self, config: ServerConfig, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._login = login_of(config.users_file, config.anonymous_role, config.principals, clock)
        self._opened = _open(config)
        self._switches: list[_Switch] = []
        self._servers: list[uvicorn.Server] = []
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._failed: BaseException | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where it listens, as URLs."""
        return tuple(str(each) for opened in self._opened for each in opened.addresses)

    @property
    def worker_id(self) -> str:
        """`host:port` by which others find it."""
        advertised = self.advertised
        host = f"[{advertised.host}]" if ":" in advertised.host else advertised.host
        return f"{host}:{advertised.port}"

    @property
    def advertised(self) -> Listener:
        """What others are told."""
        config = self._config
        own = [each for opened in self._opened if not opened.is_admin for each in opened.addresses]
        # As Connect's `RestServer.determineAdvertisedProtocol`.
        schemes = [each.scheme for each in own]
        scheme = config.advertised_scheme or ("http" if "http" in schemes else schemes[0])
        found = next((each for each in own if each.scheme == scheme), own[0])
        host = config.advertised_host or found.host or own_address()
        return Listener(scheme=scheme, host=host, port=config.advertised_port or found.port)

    def start(self, herder: Herder) -> None:
        """
        Begin to answer for a worker that is there already.

        Args:
            herder: Does what is asked.

        Raises:
            EnvironmentProblem: It does not begin.
        """
        self.begin()
        self.serve(herder)

    def begin(self) -> None:
        """
        Begin to answer that the worker is starting.

        Raises:
            EnvironmentProblem: It does not begin.
        """
        for listener in self._config.unprotected:
            emit(SERVER_UNPROTECTED, address=str(listener), reason=OPEN)
        endpoints = starting_endpoints(self._warnings)
        self._switches = [
            _Switch(self._application(opened, endpoints, otherwise=STARTING.message))
            for opened in self._opened
        ]
        self._servers = [
            guarded_server(app, tls=opened.tls, connections_max=self._config.connections_max)
            for app, opened in zip(self._switches, self._opened, strict=True)
        ]
        self._thread = threading.Thread(target=self._run, name="rest", daemon=True)
        self._thread.start()
        if not have_begun(self._servers, self._stopped, self._clock):
            self.stop()
            raise EnvironmentProblem(f"the REST server does not begin: {self._failed or 'late'}")
        for address in self.addresses:
            emit(SERVER_LISTENING, address=address)

    def serve(self, herder: Herder) -> None:
        """
        Answer for a worker from now on.

        Args:
            herder: Does what is asked.
        """
        endpoints = connect_endpoints(
            herder,
            topic_tracking=self._config.topic_tracking,
            topic_tracking_reset=self._config.topic_tracking_reset,
            warnings=self._warnings,
        )
        for switch, opened in zip(self._switches, self._opened, strict=True):
            switch.app = self._application(opened, endpoints)

    @property
    def _warnings(self) -> tuple[str, ...]:
        return tuple(f"{listener}: {OPEN}" for listener in self._config.unprotected)

    def stop(self, *, timeout_s: float = _STOP_S_MAX) -> None:
        """
        End; what is being answered is still answered.

        Args:
            timeout_s: How long that may take; then it is cut off.
        """
        for server in self._servers:
            server.config.timeout_graceful_shutdown = max(1, int(timeout_s) - 1)
            server.should_exit = True
        if self._thread is not None:
            self._thread.join(timeout_s)
        for opened in self._opened:
            for each in opened.sockets:
                each.close()

    def _application(
        self, opened: _Opened, endpoints: Sequence[Endpoint], *, otherwise: str = ""
    ) -> ASGIApp:
        config = self._config
        chosen = [each for each in endpoints if _is_served(each, opened, config)]
        if not (opened.is_admin or otherwise):
            chosen.append(openapi_endpoint(openapi_document(chosen, SHAPES)))
        return application(chosen, config, self._login, self._clock, otherwise=otherwise)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - `start` tells it
            self._failed = error
        finally:
            self._stopped.set()

    async def _serve(self) -> None:
        watch = asyncio.create_task(self._watch())
        await asyncio.gather(
            *(
                server.serve(sockets=list(opened.sockets))
                for server, opened in zip(self._servers, self._opened, strict=True)
            )
        )
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch

    async def _watch(self) -> None:
        """Look at the files of certificates."""
        while True:
            await asyncio.sleep(_LOOK_S)
            for opened in self._opened:
                if opened.tls is not None:
                    await asyncio.to_thread(_reload, opened.tls, str(opened.listeners[0]))


def _reload(tls: ServerTls, address: str) -> None:
    try:
        if tls.reload_if_changed():
            emit(CERTIFICATE_RELOADED, address=address)
    except MirrorError as error:
        emit(CERTIFICATE_REFUSED, address=address, error=error)


def _is_served(endpoint: Endpoint, opened: _Opened, config: ServerConfig) -> bool:
    if config.admin_listeners is None:
        return True
    return endpoint.is_admin is opened.is_admin


def check_server(config: ServerConfig, clock: Clock) -> None:
    """
    Read what a server would need, and do not listen.

    Args:
        config: Where it would listen, and for whom.
        clock: Where time comes from.

    Raises:
        ConfigError: The file of users or a key store cannot be used.
        EnvironmentProblem: A key store needs Java, and there is none.
    """
    login_of(config.users_file, config.anonymous_role, config.principals, clock)
    for tls in (config.tls, config.admin_tls):
        if tls is not None:
            ServerTls(tls)


def _open(config: ServerConfig) -> tuple[_Opened, ...]:
    """Listen; listeners of one kind, with TLS or without, are served together."""
    groups: list[tuple[tuple[Listener, ...], TlsConfig | None, bool]] = []
    for listeners, tls, is_admin in (
        (config.listeners, config.tls, False),
        (config.admin_listeners or (), config.admin_tls, True),
    ):
        for scheme in ("http", "https"):
            chosen = tuple(each for each in listeners if each.scheme == scheme)
            if chosen:
                groups.append((chosen, tls if scheme == "https" else None, is_admin))
    contexts = [None if tls is None else ServerTls(tls) for _, tls, _ in groups]
    opened = []
    try:
        for (listeners, _, is_admin), context in zip(groups, contexts, strict=True):
            sockets = listening(listeners)
            opened.append(
                _Opened(listeners=listeners, sockets=sockets, tls=context, is_admin=is_admin)
            )
    except EnvironmentProblem:
        for each in opened:
            for one in each.sockets:
                one.close()
        raise
    return tuple(opened)

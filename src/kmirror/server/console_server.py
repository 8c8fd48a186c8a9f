"""Serves a console: its pages, its API, and live values, in a thread of its own."""

from __future__ import annotations

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kmirror.clock import Clock
from kmirror.config.console import ConsoleConfig
from kmirror.config.server import ServerConfig
from kmirror.console.console import Console
from kmirror.events.console import CONSOLE_LISTENING, CONSOLE_OPEN
from kmirror.events.emit import emit
from kmirror.policy.principal_names import PrincipalRules
from kmirror.server.api.endpoints import api_endpoints
from kmirror.server.api.live import PATH as LIVE_PATH
from kmirror.server.api.live import Live
from kmirror.server.app import guarded, routes_of
from kmirror.server.console.routes import page_routes
from kmirror.server.login import login_of
from kmirror.server.served_thread import ServedThread

# A browser keeps six open, and each tab's stream stays open.
_CONNECTIONS_MAX = 200


class ConsoleServer:
    """
    It listens as soon as it is made, and answers from `start` to `stop`.

    Args:
        config: Where, and for whom; it says where.
        clock: Where time comes from.

    Raises:
        ConfigError: The file of users cannot be used.
        EnvironmentProblem: It cannot listen there.
    """

    def __init__(self, config: ConsoleConfig, clock: Clock) -> None:
        assert config.listener is not None, "somebody wants a console"
        self._config = config
        self._listener = config.listener
        self._clock = clock
        self._app: ASGIApp | None = None
        self._login = login_of(config.users_file, config.anonymous_role, PrincipalRules(), clock)
        self._ends = False
        self._served = ServedThread(
            self._answer,
            config.listener,
            connections_max=_CONNECTIONS_MAX,
            name="console",
            clock=clock,
        )

    @property
    def address(self) -> str:
        """Where it is, as a URL with the port that was free."""
        return str(self._served.listener)

    def start(self, console: Console) -> None:
        """
        Begin to answer.

        Args:
            console: Knows the answers.

        Raises:
            EnvironmentProblem: It does not begin.
        """
        served = ServerConfig(
            listeners=(self._listener,),
            hosts=self._config.hosts,
            connections_max=_CONNECTIONS_MAX,
        )
        live = Live(console, lambda: self._ends)
        routes = [*routes_of(api_endpoints(console)), Route(LIVE_PATH, live.answer)]
        self._app = guarded(
            [*routes, *page_routes(console)],
            served,
            self._login,
            self._clock,
            hosts_key="kmirror.console.hosts",
        )
        self._served.start()
        emit(CONSOLE_LISTENING, address=self.address)
        role = self._config.anonymous_role
        if role != "none" and not self._listener.is_local:
            emit(CONSOLE_OPEN, address=self.address, role=role)

    def stop(self) -> None:
        """End; those who follow are sent away."""
        self._ends = True
        self._served.stop()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._app is not None, "it answers from `start` on"
        await self._app(scope, receive, send)

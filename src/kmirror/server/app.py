"""The application: the table of endpoints behind a login, a gate, and an edge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from http import HTTPMethod, HTTPStatus
from itertools import groupby

from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kmirror.clock import Clock
from kmirror.config.server import ServerConfig
from kmirror.server.answers import HttpProblem
from kmirror.server.dispatch import Resource
from kmirror.server.edge import Edge
from kmirror.server.endpoint import Endpoint
from kmirror.server.gate import Gate, Origins
from kmirror.server.login import Login
from kmirror.server.throttle import AddressThrottle

# So many requests of an address may come at once, in seconds of its rate.
_BURST_S = 4
# At a time; with the threads that are left, reading goes on.
_WRITES_MAX = 20
# The same of questions to clusters, which take long just when a cluster does not answer.
ASKS_MAX = 8


def application(
    endpoints: Iterable[Endpoint],
    config: ServerConfig,
    login: Login,
    clock: Clock,
    *,
    otherwise: str = "",
) -> Starlette:
    """
    Return an ASGI application.

    Args:
        endpoints: What can be called.
        config: For whom.
        login: Knows who calls.
        clock: Where time comes from.
        otherwise: Why nothing else can be called yet; empty where there is nothing else.
    """
    return guarded(
        routes_of(endpoints),
        config,
        login,
        clock,
        otherwise=otherwise,
        hosts_key="kmirror.rest.hosts",
    )


def routes_of(endpoints: Iterable[Endpoint]) -> tuple[BaseRoute, ...]:
    """
    Return a route for each path.

    Args:
        endpoints: What can be called.
    """
    by_path = sorted(endpoints, key=lambda each: each.path)
    writes, asks = CapacityLimiter(_WRITES_MAX), CapacityLimiter(ASKS_MAX)
    return tuple(
        Route(path, Resource({each.method: each for each in group}, writes, asks))
        for path, group in groupby(by_path, key=lambda each: each.path)
    )


def guarded(
    routes: Sequence[BaseRoute],
    config: ServerConfig,
    login: Login,
    clock: Clock,
    *,
    otherwise: str = "",
    public: Collection[str] = (),
    hosts_key: str = "",
) -> Starlette:
    """
    Return an ASGI application that asks who calls, and looks at what a request says of itself.

    Args:
        routes: What can be called; nothing else can.
        config: For whom.
        login: Knows who calls.
        clock: Where time comes from.
        otherwise: See `application`.
        public: Paths for which nobody is asked who calls.
        hosts_key: The setting that says `config.hosts`; empty where there is none.
    """
    rate = config.requests_per_s
    gate = Middleware(
        Gate,
        throttle=AddressThrottle(burst=_BURST_S * rate, per_s=rate, clock=clock),
        hosts=_hosts(config),
        named=config.hosts,
        named_by=hosts_key,
        origins=Origins(config.cors_origins),
        methods=config.cors_methods,
    )
    nothing = partial(_nothing, otherwise, routes)
    methods = [str(each) for each in HTTPMethod]
    return Starlette(
        routes=[*routes, Route("/{path:path}", nothing, methods=methods)],
        middleware=[
            Middleware(Edge, headers=config.headers, clock=clock),
            gate,
            Middleware(Named, login=login, public=public),
        ],
    )


def _hosts(config: ServerConfig) -> list[str]:
    named = [*config.hosts, *(each.host for each in config.all_listeners)]
    return [*named, *([config.advertised_host] if config.advertised_host else [])]


async def _nothing(otherwise: str, routes: Sequence[BaseRoute], request: Request) -> None:
    if otherwise:
        raise HttpProblem(HTTPStatus.SERVICE_UNAVAILABLE, otherwise, {"Retry-After": "1"})
    # A page, by a method that no page has.
    found = (each for each in routes if each.matches(request.scope)[0] is Match.PARTIAL)
    allowed = {name for each in found if isinstance(each, Route) for name in each.methods or ()}
    if allowed:
        allow = {"Allow": ", ".join(sorted(allowed))}
        raise HttpProblem(HTTPStatus.METHOD_NOT_ALLOWED, headers=allow)
    raise HttpProblem(HTTPStatus.NOT_FOUND)


class Named:
    """
    An ASGI application around those that ask who calls.

    Args:
        app: What is inside.
        login: Knows it.
        public: Paths for which nobody is asked.
    """

    def __init__(self, app: ASGIApp, login: Login, public: Collection[str] = ()) -> None:
        self._app = app
        self._login = login
        self._public = frozenset(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["path"] not in self._public:
            authorization = Headers(scope=scope).get("authorization")
            asked = (authorization, scope["state"].get("subject"), scope["client"][0])
            # A password takes its time.
            scope["state"]["caller"] = (
                self._login.caller(*asked)
                if authorization is None
                else await run_in_threadpool(self._login.caller, *asked)
            )
        await self._app(scope, receive, send)

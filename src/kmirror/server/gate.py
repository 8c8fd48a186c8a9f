"""Who may come as far as a login: not too often, under this server's name, from which pages."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from http import HTTPMethod, HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kmirror.server.answers import HttpProblem
from kmirror.server.dispatch import READING
from kmirror.server.protocol import HEADER_BYTES_MAX
from kmirror.server.throttle import AddressThrottle

_ANY = "*"
_LOCAL_NAMES = frozenset({"localhost", "ip6-localhost"})
# Jetty's, which Connect uses.
_CORS_HEADERS = "X-Requested-With,Content-Type,Accept,Origin"
_CORS_MAX_AGE_S = "1800"
_PAGE_OF_OTHERS = frozenset({"cross-site", "same-site"})


class Origins:
    """
    Pages of other origins that may call.

    Args:
        allowed: `https://console.example.com`, `https://*.example.com`, or `*`.
    """

    def __init__(self, allowed: Iterable[str]) -> None:
        self._allowed = tuple(allowed)
        self.is_any = _ANY in self._allowed
        self._patterns = [
            re.compile(".*".join(map(re.escape, each.split(_ANY)))) for each in self._allowed
        ]

    def __bool__(self) -> bool:
        return bool(self._allowed)

    def allows(self, origin: str) -> bool:
        """Tell whether pages of *origin* may call."""
        return any(pattern.fullmatch(origin) for pattern in self._patterns)


class Gate:
    """
    An ASGI application around the one that knows callers.

    Args:
        app: What is inside.
        throttle: How often an address may ask.
        hosts: This server's names, besides `localhost` and addresses.
        named: Names that somebody has given it, as a proxy with TLS has them; with one, others are
            refused on every address, and not on loopback alone.
        named_by: The setting that gives names; empty where there is none.
        origins: Which pages of others may call.
        methods: How those may.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        throttle: AddressThrottle,
        hosts: Iterable[str],
        named: Iterable[str],
        named_by: str,
        origins: Origins,
        methods: Iterable[str],
    ) -> None:
        self._app = app
        self._throttle = throttle
        self._hosts = frozenset(host.lower() for host in hosts) | _LOCAL_NAMES
        self._named = frozenset(name.lower() for name in named)
        self._named_by = named_by
        self._origins = origins
        self._methods = ",".join(methods)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > HEADER_BYTES_MAX:
            raise HttpProblem(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if wait_s := self._throttle.take(scope["client"][0]):
            retry = {"Retry-After": str(wait_s)}
            raise HttpProblem(HTTPStatus.TOO_MANY_REQUESTS, headers=retry)
        self._check_host(headers.getlist("host"), scope["server"][0])
        origin = headers.get("origin", "")
        is_allowed = bool(origin) and self._origins.allows(origin)
        if scope["method"] not in READING and not is_allowed:
            self._refuse_others(headers, origin, scope["scheme"])
        if is_allowed and _is_preflight(scope["method"], headers):
            await Response(headers=self._preflight_headers(origin))(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start" and self._origins:
                answer = MutableHeaders(scope=message)
                answer.add_vary_header("Origin")
                if is_allowed:
                    answer.update(self._headers(origin))
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _check_host(self, hosts: list[str], server: str) -> None:
        """
        Refuse names that are not this server's.

        A page of somebody else's may have the browser find its own name at 127.0.0.1; its requests
        carry that name (DNS rebinding).
        """
        if len(hosts) != 1:
            raise HttpProblem(HTTPStatus.BAD_REQUEST, "one Host header is expected")
        name = _host_name(hosts[0])
        if _is_address(name) or name in self._hosts:
            return
        if self._named or _is_loopback(server):
            hint = f"; {self._named_by} says its names" if self._named_by else ""
            raise HttpProblem(
                HTTPStatus.MISDIRECTED_REQUEST, f"the Host header does not name this server{hint}"
            )

    def _refuse_others(self, headers: Headers, origin: str, scheme: str) -> None:
        """Refuse what a browser sends for a page of another origin."""
        host = headers.get("host", "").lower()
        own = {f"{scheme}://{host}"}
        if _host_name(host) in self._named:
            # A proxy with TLS speaks http with this server; the browser, https with the proxy.
            own.add(f"https://{host}")
        is_foreign = bool(origin) and origin.lower() not in own
        if is_foreign or is_of_others(headers):
            raise HttpProblem(
                HTTPStatus.FORBIDDEN, "pages of other origins may not change anything here"
            )

    def _headers(self, origin: str) -> dict[str, str]:
        # Logins are never sent along from pages of just any origin.
        if self._origins.is_any:
            return {"Access-Control-Allow-Origin": _ANY}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Credentials": "true",
        }

    def _preflight_headers(self, origin: str) -> dict[str, str]:
        return self._headers(origin) | {
            "Access-Control-Allow-Methods": self._methods,
            "Access-Control-Allow-Headers": _CORS_HEADERS,
            "Access-Control-Max-Age": _CORS_MAX_AGE_S,
            "Vary": "Origin",
        }


def is_of_others(headers: Headers) -> bool:
    """Whether a browser says that it sends this for a page of another origin."""
    return headers.get("sec-fetch-site", "").lower() in _PAGE_OF_OTHERS


def _is_preflight(method: str, headers: Headers) -> bool:
    return method == HTTPMethod.OPTIONS and "access-control-request-method" in headers


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(server: str) -> bool:
    try:
        address = ipaddress.ip_address(server.partition("%")[0])
    except ValueError:
        return False
    # A socket for both families sees IPv4 as a part of IPv6.
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback

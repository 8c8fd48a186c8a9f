"""The outermost layer: every answer has the same headers, and no error leaves it as a trace."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from email.utils import formatdate
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kmirror.clock import Clock
from kmirror.config.response_headers import ResponseHeader
from kmirror.events.emit import emit
from kmirror.events.rest import REQUEST_CRASHED
from kmirror.server.answers import HttpProblem, problem_response

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_HSTS = "max-age=31536000"


class Edge:
    """
    An ASGI application around the others.

    Args:
        app: What is inside.
        headers: More headers, of the worker's file.
        clock: Where time comes from.
    """

    def __init__(self, app: ASGIApp, headers: Sequence[ResponseHeader], clock: Clock) -> None:
        self._app = app
        self._headers = headers
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._add_headers(MutableHeaders(scope=message), scope["scheme"])
            await send(message)

        # A path is compared as it was sent: only then is an escaped slash part of a name.
        path = scope["raw_path"].decode("latin-1")
        scope["path"] = path.removesuffix("/") or "/"
        scope.setdefault("state", {})
        try:
            await self._app(scope, receive, send_with_headers)
        except HttpProblem as problem:
            answer = problem_response(problem.status, str(problem), problem.headers)
        # One request's surprise must not end the others; the log has its trace.
        except Exception as error:
            if has_begun:
                raise
            number = secrets.token_hex(4)
            emit(REQUEST_CRASHED, trace=error, number=number, path=scope["path"], error=error)
            answer = problem_response(
                HTTPStatus.INTERNAL_SERVER_ERROR, f"unexpected; the log has it as {number}", {}
            )
        else:
            return
        await answer(scope, receive, send_with_headers)

    def _add_headers(self, headers: MutableHeaders, scheme: str) -> None:
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)
        if scheme == "https":
            headers["Strict-Transport-Security"] = _HSTS
        for header in self._headers:
            value = header.value
            if header.in_ms is not None:
                value = formatdate((self._clock.wall_ms() + header.in_ms) / 1000, usegmt=True)
            if header.is_added:
                headers.append(header.name, value)
            else:
                headers[header.name] = value

"""A path with its methods: checks what a request says of itself, and has the endpoint answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPMethod, HTTPStatus
from urllib.parse import unquote

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from kmirror.control.caller import Caller
from kmirror.errors import MirrorError
from kmirror.events.emit import emit
from kmirror.events.rest import REQUEST_ANSWERED
from kmirror.server.answers import (
    JSON,
    HttpProblem,
    problem_response,
    response,
    status_of,
)
from kmirror.server.endpoint import Call, Endpoint
from kmirror.server.json_body import BYTES_MAX

# As Connect's `RestServer.DEFAULT_REST_REQUEST_TIMEOUT_MS`.
REQUEST_S_MAX = 90.0
BODY_S_MAX = 10.0
# What is too large is read so far, and thrown away: many clients listen when they have spoken.
_DISCARDED_BYTES_MAX = 8 * BYTES_MAX
READING = frozenset({"GET", "HEAD", "OPTIONS"})


class Resource:
    """
    An ASGI application for one path.

    Args:
        endpoints: Its methods, each once.
        writes: How many changes are made at a time; reading does not wait for slow ones.
        asks: How many questions are put to clusters at a time; the same holds.
    """

    def __init__(
        self, endpoints: Mapping[str, Endpoint], writes: CapacityLimiter, asks: CapacityLimiter
    ) -> None:
        self._endpoints = endpoints
        self._writes = writes
        self._asks = asks
        methods = {*endpoints, "OPTIONS"} | ({"HEAD"} if "GET" in endpoints else set())
        self._allow = ", ".join(sorted(methods))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        if request.method == HTTPMethod.OPTIONS:
            answer: Response = PlainTextResponse(self._allow, headers={"Allow": self._allow})
        else:
            answer = await self._answer(request)
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        caller: Caller = request.state.caller
        try:
            answer = await self._call(request, caller)
        except MirrorError as error:
            answer = problem_response(status_of(error), str(error), {})
        except HttpProblem as problem:
            answer = problem_response(problem.status, str(problem), problem.headers)
        if request.method not in READING:
            emit(
                REQUEST_ANSWERED,
                caller=caller.name,
                role=caller.role.label,
                address=caller.address,
                method=request.method,
                path=request.scope["path"],
                http_status=answer.status_code,
            )
        return answer

    async def _call(self, request: Request, caller: Caller) -> Response:
        method = "GET" if request.method == HTTPMethod.HEAD else request.method
        endpoint = self._endpoints.get(method)
        if endpoint is None:
            allow = {"Allow": self._allow}
            raise HttpProblem(HTTPStatus.METHOD_NOT_ALLOWED, headers=allow)
        caller.require(endpoint.role, f"{endpoint.method} {endpoint.path}")
        if not _takes_json(request.headers.getlist("accept")):
            raise HttpProblem(HTTPStatus.NOT_ACCEPTABLE)
        base = f"{request.url.scheme}://{request.headers.get('host', '')}"
        call = call_of(request, body=await _body(request), base=base)
        limiter = self._asks if endpoint.asks else None
        try:
            async with asyncio.timeout(REQUEST_S_MAX):
                return response(
                    await to_thread.run_sync(
                        endpoint.handle,
                        call,
                        abandon_on_cancel=True,
                        limiter=limiter if method in READING else self._writes,
                    )
                )
        except TimeoutError as error:
            raise HttpProblem(HTTPStatus.INTERNAL_SERVER_ERROR, "Request timed out") from error


def call_of(request: Request, *, body: bytes = b"", base: str = "") -> Call:
    """
    Return what a request asks.

    Args:
        request: It has a caller.
        body, base: See `Call`.
    """
    caller: Caller = request.state.caller
    return Call(
        path={name: unquote(text) for name, text in request.path_params.items()},
        query=tuple(QueryParams(request.scope["query_string"]).multi_items()),
        body=body,
        base=base,
        caller=caller,
    )


async def _body(request: Request) -> bytes:
    """Read a body of limited length in limited time; one that is there must be JSON."""
    too_large = HttpProblem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, headers={"Connection": "close"})
    with suppress(ValueError):
        if int(request.headers.get("content-length", "0")) > _DISCARDED_BYTES_MAX:
            raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_S_MAX):
            async for part in request.stream():
                size += len(part)
                if size <= BYTES_MAX:
                    parts.append(part)
                elif size > _DISCARDED_BYTES_MAX:
                    raise too_large
    except TimeoutError as error:
        close = {"Connection": "close"}
        raise HttpProblem(HTTPStatus.REQUEST_TIMEOUT, headers=close) from error
    except ClientDisconnect as error:
        raise HttpProblem(HTTPStatus.BAD_REQUEST, "the body is not whole") from error
    if size > BYTES_MAX:
        raise too_large
    if size and _media_type(request.headers.get("content-type", "")) != JSON:
        raise HttpProblem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    return b"".join(parts)


def _media_type(text: str) -> str:
    return text.partition(";")[0].strip().lower()


def _takes_json(accept: list[str]) -> bool:
    """Tell whether a caller takes what is answered; who does not say takes all."""
    wanted = [_media_type(part) for line in accept for part in line.split(",") if part.strip()]
    return not wanted or bool({"*/*", "application/*", JSON} & {*wanted})

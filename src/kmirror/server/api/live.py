"""The stream of live values: server-sent events, one when something has changed."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from http import HTTPMethod, HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from kmirror.api.codec import to_plain
from kmirror.api.flows import FlowView
from kmirror.connect.model import JsonValue
from kmirror.console.console import Console
from kmirror.control.caller import Caller, Role
from kmirror.server.answers import HttpProblem

PATH = "/api/v1/live"
LIVE: JsonValue = {
    "get": {
        "summary": "All flows now, and again when one has changed, as server-sent events",
        "description": "Events named `flows`, whose data are a `FlowList`, and `events`, with how "
        "many there are. It ends after an hour: ask again. Needs the role viewer.",
        "operationId": "get_api_v1_live",
        "parameters": [
            {
                "name": "figures",
                "in": "query",
                "description": "`false`: only say that a flow has changed; the data are `{}`.",
                "schema": {"type": "boolean"},
            }
        ],
        "responses": {
            "200": {
                "description": "A stream",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            "4XX": {"description": "The caller's mistake"},
            "503": {"description": "Too many follow already"},
        },
    }
}
"""What OpenAPI says of the stream."""
_LOOK_S = 1.0
_QUIET_S_MAX = 15.0
# Then the client comes again, and is asked again who it is.
_STREAM_S_MAX = 3600.0
STREAMS_MAX = 100
"""At a time: however many follow, there are connections left for pages and orders."""


class Live:
    """
    Streams all flows to whoever asks.

    Args:
        console: Knows them.
        has_ended: Tells whether the server ends: no stream keeps it waiting.
    """

    def __init__(self, console: Console, has_ended: Callable[[], bool]) -> None:
        self._console = console
        self._has_ended = has_ended
        self._streams = 0
        self._lock = threading.Lock()
        self._flows: tuple[FlowView, ...] | None = None
        self._text = ""

    async def answer(self, request: Request) -> StreamingResponse:
        """Answer a request."""
        caller: Caller = request.state.caller
        caller.require(Role.VIEWER, "follow flows")
        # Nothing would ever end a stream that only asks for its headers.
        is_head = request.method == HTTPMethod.HEAD
        # With 15 minutes of each flow a stream is much, and pages ask for what they show.
        has_figures = request.query_params.get("figures", "true") != "false"
        if self._streams >= STREAMS_MAX:
            raise HttpProblem(
                HTTPStatus.SERVICE_UNAVAILABLE, "too many follow already", {"Retry-After": "5"}
            )
        return StreamingResponse(
            () if is_head else self._counted(self._events(has_figures=has_figures)),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _counted(self, events: AsyncGenerator[str, None]) -> AsyncIterator[str]:
        self._streams += 1
        try:
            async with aclosing(events):
                async for each in events:
                    yield each
        finally:
            self._streams -= 1

    async def _events(self, *, has_figures: bool) -> AsyncGenerator[str, None]:
        told: tuple[FlowView, ...] | None = None
        told_count, quiet_s = -1, 0.0
        clock = self._console.clock
        until_s = clock.monotonic_s() + _STREAM_S_MAX
        # After a server has gone, a browser asks again after so many milliseconds.
        yield "retry: 2000\n\n"
        while not self._has_ended() and clock.monotonic_s() < until_s:
            news = await run_in_threadpool(self._news, told, has_figures=has_figures)
            log = self._console.event_log
            count = 0 if log is None else log.count
            if news is not None:
                (told, text), quiet_s = news, 0.0
                yield f"event: flows\ndata: {text}\n\n"
            if count != told_count:
                told_count, quiet_s = count, 0.0
                yield f'event: events\ndata: {{"count": {count}}}\n\n'
            if quiet_s >= _QUIET_S_MAX:
                quiet_s = 0.0
                yield ": still here\n\n"
            quiet_s += _LOOK_S
            await asyncio.sleep(_LOOK_S)

    def _news(
        self, told: tuple[FlowView, ...] | None, *, has_figures: bool
    ) -> tuple[tuple[FlowView, ...], str] | None:
        """Return the flows and their text, written once for all streams; `None` for no change."""
        found = self._console.flows()
        # That time has passed is no news.
        if found.flows == told:
            return None
        if not has_figures:
            return found.flows, "{}"
        with self._lock:
            if found.flows is not self._flows:
                self._flows, self._text = found.flows, json.dumps(to_plain(found))
            return found.flows, self._text

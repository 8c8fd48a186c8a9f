"""Serves the page, in a thread of its own; paths as the guides of MirrorMaker 1 have them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from http import HTTPMethod, HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from kmirror.clock import Clock
from kmirror.config.server import Listener, ServerConfig
from kmirror.errors import BadRequest, MirrorError
from kmirror.policy.principal_names import PrincipalRules
from kmirror.server.answers import HttpProblem, status_of
from kmirror.server.app import guarded
from kmirror.server.console.routes import static_route
from kmirror.server.console.templates import (
    PAGE_CSP,
    STATIC_FILES,
    Templates,
    static_files,
)
from kmirror.server.dispatch import call_of
from kmirror.server.endpoint import Call
from kmirror.server.gate import is_of_others
from kmirror.server.login import login_of
from kmirror.server.served_thread import ServedThread
from kmirror_lab.web.sender import Sending
from kmirror_lab.web.tryout import TOPIC, TryOut

_PACKAGE = "kmirror_lab.web"
_FILES = {**STATIC_FILES, **static_files(_PACKAGE)}
_TEMPLATES = Templates(_PACKAGE, _FILES)
_CONNECTIONS_MAX = 100
_RECORDS_MAX = 100_000
_RATE_MAX = 100_000
_SECONDS_MAX = 86_400
_MINUTES = 3
_LOOK_S = 0.2
_WRITES = [HTTPMethod.GET, HTTPMethod.POST]

_Act = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """
    What the page says besides what it counts.

    Args:
        console: Where the console is, as a URL.
        file: An `mm2.properties` for the two clusters.
        consumer_file, producer_file: MirrorMaker 1's two files.
        is_driven: Whether the flow of *file* runs in this process.
    """

    console: str
    file: str
    consumer_file: str
    producer_file: str
    is_driven: bool


class TryOutServer:
    """
    It listens as soon as it is made, and answers from `start` to `stop`.

    Args:
        tryout: What is shown and done.
        listener: Where.
        clock: Where time comes from.

    Raises:
        EnvironmentProblem: It cannot listen there.
    """

    def __init__(self, tryout: TryOut, listener: Listener, clock: Clock) -> None:
        self._tryout = tryout
        self._guide: Guide | None = None
        routes = [
            Route("/", self._answering(self._page)),
            Route("/count", self._answering(self._count)),
            Route("/send", self._answering(self._send), methods=_WRITES),
            Route("/send-message-by-time", self._answering(self._send_by_time), methods=_WRITES),
            Route("/stop", self._answering(self._stop), methods=[HTTPMethod.POST]),
            Route("/reset", self._answering(self._reset), methods=[HTTPMethod.POST]),
            static_route(_FILES),
        ]
        app = guarded(
            routes,
            ServerConfig(listeners=(listener,), connections_max=_CONNECTIONS_MAX),
            login_of(None, "operator", PrincipalRules(), clock),
            clock,
        )
        self._served = ServedThread(
            app, listener, connections_max=_CONNECTIONS_MAX, name="tryout", clock=clock
        )

    @property
    def address(self) -> str:
        """Where it is, as a URL with the port that was free."""
        return str(self._served.listener)

    def start(self, guide: Guide) -> None:
        """
        Begin to answer.

        Args:
            guide: What the page says besides.

        Raises:
            EnvironmentProblem: It does not begin.
        """
        self._guide = guide
        self._served.start()

    def stop(self) -> None:
        """End; what is being sent is stopped first, and whoever waits for it is answered."""
        self._tryout.stop()
        self._served.stop()

    def _answering(self, act: _Act) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            # A page of somebody else's may have a browser follow any link, with GET, too.
            if request.url.path != "/" and is_of_others(request.headers):
                raise HttpProblem(
                    HTTPStatus.FORBIDDEN, "pages of other origins may not send anything here"
                )
            try:
                return await act(call_of(request))
            except MirrorError as error:
                raise HttpProblem(status_of(error), str(error)) from error

        return answer

    async def _page(self, call: Call) -> Response:
        assert self._guide is not None, "it answers from `start` on"
        view = await run_in_threadpool(self._tryout.look, _topic(call))
        context = {
            "view": view,
            "topics": self._tryout.topics,
            "source": self._tryout.source,
            "target": self._tryout.target,
            "guide": self._guide,
            "minutes": _MINUTES,
        }
        text = _TEMPLATES.render("tryout.html", context)
        return Response(
            text,
            media_type="text/html; charset=utf-8",
            headers={"Content-Security-Policy": PAGE_CSP},
        )

    async def _count(self, call: Call) -> Response:
        return JSONResponse(asdict(await run_in_threadpool(self._tryout.look, _topic(call))))

    async def _send(self, call: Call) -> Response:
        records = call.number("records", default=1, low=1, high=_RECORDS_MAX)
        sent = await run_in_threadpool(self._tryout.send, _topic(call), records)
        last = f"message:{sent[-1]}"
        return PlainTextResponse(last if records == 1 else f"message:{sent[0]} to {last}")

    async def _send_by_time(self, call: Call) -> Response:
        minutes = call.number("minutes", default=_MINUTES, low=1, high=_SECONDS_MAX // 60)
        seconds = call.number("seconds", default=60 * minutes, low=1, high=_SECONDS_MAX)
        rate = call.number("rate", default=0, high=_RATE_MAX)
        sending = await run_in_threadpool(self._begin, _topic(call), seconds, rate)
        if not call.flag("wait", default=True):
            return PlainTextResponse(sending.text, status_code=HTTPStatus.ACCEPTED)
        while not sending.ended.is_set():
            await asyncio.sleep(_LOOK_S)
        status = HTTPStatus.SERVICE_UNAVAILABLE if sending.trouble else HTTPStatus.OK
        return PlainTextResponse(sending.text, status_code=status)

    def _begin(self, topic: str, seconds: int, rate: int) -> Sending:
        return self._tryout.begin(topic, seconds=seconds, rate=rate)

    async def _stop(self, _call: Call) -> Response:
        await run_in_threadpool(self._tryout.stop)
        return PlainTextResponse("nothing is being sent")

    async def _reset(self, call: Call) -> Response:
        topic = _topic(call)
        if topic not in self._tryout.topics:
            raise BadRequest(f"nothing was sent to {topic} yet")
        await run_in_threadpool(self._tryout.reset, topic)
        return PlainTextResponse(f"{topic}: counted anew")


def _topic(call: Call) -> str:
    return call.text("topic") or TOPIC

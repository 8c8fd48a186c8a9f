"""Serves `/metrics` beside the flows of a driver, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from kmirror.clock import Clock
from kmirror.config.metrics import MetricsConfig
from kmirror.config.server import ServerConfig
from kmirror.events.emit import emit
from kmirror.events.metrics import METRICS_LISTENING, METRICS_OPEN
from kmirror.inspect.driver import FLOWS_PATH, RUN_PATH
from kmirror.model import Flow
from kmirror.server.answers import HttpProblem
from kmirror.server.app import guarded
from kmirror.server.login import readers_login
from kmirror.server.served_thread import ServedThread
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.health import canaries_of, status_json, troubles
from kmirror.state.metrics.collector import Exposition
from kmirror.state.observed import ObservedFlow
from kmirror.state.run_record import RunRecord
from kmirror.state.run_record import to_json as to_run_json
from kmirror.state.told import to_json, told

_CONNECTIONS_MAX = 20
# A kubelet has no password.
_LIVENESS, _READINESS = "/liveness", "/readiness"


class MetricsServer:
    """
    Answers scrapes. It listens as soon as it is made, and answers from `start` to `stop`.

    Args:
        config: Where, and for whom; it says where.
        clock: Where time comes from.

    Raises:
        ConfigError: The file of users cannot be used.
        EnvironmentProblem: It cannot listen there.
    """

    def __init__(self, config: MetricsConfig, clock: Clock) -> None:
        assert config.listener is not None, "somebody wants metrics"
        self._listener = config.listener
        self._clock = clock
        self._is_open = config.users_file is None
        login = readers_login(config.users_file, clock)
        served = ServerConfig(listeners=(config.listener,), connections_max=_CONNECTIONS_MAX)
        routes = [
            Route("/metrics", self._metrics),
            Route(FLOWS_PATH, self._tell),
            Route(RUN_PATH, self._tell_run),
            Route("/status", self._status),
            Route(_LIVENESS, self._live),
            Route(_READINESS, self._ready),
        ]
        app = guarded(routes, served, login, clock, public=(_LIVENESS, _READINESS))
        self._served = ServedThread(
            app, config.listener, connections_max=_CONNECTIONS_MAX, name="metrics", clock=clock
        )

    @property
    def address(self) -> str:
        """Where they are, as a URL with the port that was free."""
        return f"{self._served.listener}/metrics"

    def start(
        self,
        exposition: Exposition,
        flows: Callable[[], Sequence[ObservedFlow]],
        canaries: Callable[[], Mapping[Flow, CanaryFigures]] | None = None,
        run: Callable[[], RunRecord] | None = None,
    ) -> None:
        """
        Begin to answer.

        Args:
            exposition: Makes the answers to scrapes.
            flows: Gives the flows, for `kmirror status`.
            canaries: Gives the canaries; by default those of the flows.
            run: Tells what the process has done, for `kmirror report`; `None` if it does not.

        Raises:
            EnvironmentProblem: It does not begin.
        """
        self._exposition, self._flows = exposition, flows
        self._run_record = run
        self._canaries = canaries or (lambda: canaries_of(flows()))
        self._served.start()
        emit(METRICS_LISTENING, address=self.address)
        if self._is_open and not self._listener.is_local:
            emit(METRICS_OPEN, address=self.address)

    def stop(self) -> None:
        """End."""
        self._served.stop()

    async def _metrics(self, request: Request) -> Response:
        accept = request.headers.get("accept", "")
        content_type, body = await run_in_threadpool(self._exposition.answer, accept)
        return Response(body, headers={"Content-Type": content_type})

    async def _tell(self, _: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._told))

    def _told(self) -> list[dict[str, Any]]:
        now_ms = self._clock.wall_ms()
        return to_json([told(each, now_ms) for each in self._flows()])

    async def _tell_run(self, _: Request) -> Response:
        if self._run_record is None:
            raise HttpProblem(HTTPStatus.NOT_FOUND)
        return JSONResponse(to_run_json(await run_in_threadpool(self._run_record)))

    async def _status(self, _: Request) -> Response:
        """Answer as strimzi-canary does."""
        return JSONResponse(status_json(self._canaries(), self._clock.wall_ms()))

    async def _live(self, _: Request) -> Response:
        """Answer: that is all that is asked."""
        return PlainTextResponse("OK\n")

    async def _ready(self, _: Request) -> Response:
        found = troubles(self._flows(), self._canaries(), self._clock.wall_ms())
        if not found:
            return PlainTextResponse("OK\n")
        # Names of clusters and topics are for those who may read metrics.
        words = found if self._is_open else ("not ready: see /status, /flows and the log",)
        return PlainTextResponse(
            "".join(f"{each}\n" for each in words), HTTPStatus.SERVICE_UNAVAILABLE
        )

"""Serves where applications work: answers, and streams of changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPMethod, HTTPStatus
from pathlib import Path
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from kmirror.apps.home_watch import HomeWatch, SeenHome
from kmirror.clock import Clock
from kmirror.config.server import Listener, ServerConfig
from kmirror.control.caller import Role
from kmirror.errors import BadRequest
from kmirror.events.emit import emit
from kmirror.events.resolver import RESOLVER_LISTENING, RESOLVER_OPEN
from kmirror.server.answers import Answer, HttpProblem
from kmirror.server.app import guarded, routes_of
from kmirror.server.endpoint import Call, Endpoint
from kmirror.server.login import readers_login
from kmirror.server.openapi import openapi_document, openapi_endpoint
from kmirror.server.resolver.changes import Changes, Views
from kmirror.server.resolver.views import SHAPES, STREAM, health_view, place_view, region_view
from kmirror.server.served_thread import ServedThread

# Each application that listens has a connection.
_CONNECTIONS_MAX = 1000
_TOPICS_MAX = 100
_STREAM_PATH = "/regions/{region}/events"
_TITLE = "Where applications work: kmirror's resolver"
_REGION, _TOPIC = "/regions/{region}", "/regions/{region}/topics/{topic}"
_STREAM_HEADERS: Mapping[str, str] = {"X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolverOptions:
    """
    Where the resolver is, and for whom.

    Args:
        listener: Where.
        users_file: Who may ask; `None` for everybody who reaches the address.
    """

    listener: Listener
    users_file: Path | None = None


class ResolverServer:
    """
    Answers where applications work. It listens as soon as it is made, and answers from `start` to
    `stop`.

    Args:
        options: Where, and for whom.
        clock: Where time comes from.

    Raises:
        ConfigError: The file of users cannot be used.
        EnvironmentProblem: It cannot listen there.
    """

    def __init__(self, options: ResolverOptions, clock: Clock) -> None:
        self._options = options
        self._watches: dict[str, HomeWatch] = {}
        self._changes = Changes(clock)
        endpoints = self._endpoints()
        document = openapi_document(endpoints, SHAPES, _TITLE, {_STREAM_PATH: STREAM})
        routes = routes_of((*endpoints, openapi_endpoint(document)))
        self._served = ServedThread(
            guarded(
                [*routes, Route(_STREAM_PATH, self._stream, methods=["GET"])],
                ServerConfig(listeners=(options.listener,)),
                readers_login(options.users_file, clock),
                clock,
            ),
            options.listener,
            connections_max=_CONNECTIONS_MAX,
            name="resolver",
            clock=clock,
        )

    @property
    def address(self) -> str:
        """Where it is, as a URL with the port that was free."""
        return str(self._served.listener)

    def start(self, watches: Sequence[HomeWatch]) -> None:
        """
        Begin to answer.

        Args:
            watches: One for each region; each of their changes has to come to `tell`.

        Raises:
            EnvironmentProblem: It does not begin.
        """
        self._watches = {each.region: each for each in watches}
        self._served.start()
        emit(RESOLVER_LISTENING, address=self.address)
        if self._options.users_file is None and not self._options.listener.is_local:
            emit(RESOLVER_OPEN, address=self.address)

    def tell(self) -> None:
        """Tell those who listen that something has changed; in whatever thread."""
        self._served.call_soon(self._changes.wake)

    def stop(self) -> None:
        """End; those who listen are sent away."""
        self._changes.end()
        self.tell()
        self._served.stop()

    def _endpoints(self) -> tuple[Endpoint, ...]:
        get = partial(Endpoint, method=HTTPMethod.GET, role=Role.VIEWER)
        return (
            get(
                path="/regions",
                handle=self._regions,
                summary="Where the applications of every region work",
                answers={200: "Regions"},
            ),
            get(
                path=_REGION,
                handle=lambda call: Answer(content=region_view(self._seen(call.path["region"]))),
                summary="Where the applications of a region work",
                answers={200: "Region", 503: "Error"},
            ),
            get(
                path=_TOPIC,
                handle=self._place,
                summary="Where a topic is for the applications of a region",
                answers={200: "Place", 503: "Error"},
            ),
            get(
                path="/health",
                handle=self._health,
                summary="Whether it can answer for every region",
                answers={200: "Health", 503: "Health"},
            ),
        )

    def _regions(self, _: Call) -> Answer:
        found = [each.seen for each in self._watches.values()]
        return Answer(content=[region_view(seen) for seen in found if seen is not None])

    def _place(self, call: Call) -> Answer:
        return Answer(content=place_view(self._seen(call.path["region"]), call.path["topic"]))

    def _health(self, _: Call) -> Answer:
        waiting = [region for region, each in self._watches.items() if each.seen is None]
        status, content = health_view(waiting)
        return Answer(status=status, content=content)

    async def _stream(self, request: Request) -> Response:
        region = unquote(request.path_params["region"])
        topics = tuple(dict.fromkeys(request.query_params.getlist("topic")))
        if len(topics) > _TOPICS_MAX:
            raise HttpProblem(HTTPStatus.BAD_REQUEST, f"at most {_TOPICS_MAX} topics")
        try:
            self._views(region, topics)
        except BadRequest as error:
            raise HttpProblem(HTTPStatus.BAD_REQUEST, str(error)) from error
        views = partial(self._views, region, topics)
        # Nothing would ever end a stream that only asks for its headers.
        lines = () if request.method == HTTPMethod.HEAD else self._changes.stream(views)
        return StreamingResponse(lines, media_type="text/event-stream", headers=_STREAM_HEADERS)

    def _views(self, region: str, topics: Sequence[str]) -> Views:
        """Return what is so now; nothing before the first look."""
        seen = self._watch(region).seen
        if seen is None:
            return {}
        if not topics:
            return {("region", region): region_view(seen)}
        return {("place", topic): place_view(seen, topic) for topic in topics}

    def _seen(self, region: str) -> SeenHome:
        watch = self._watch(region)
        seen = watch.seen
        if seen is None:
            why = f": {watch.trouble}" if watch.trouble else ""
            raise HttpProblem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{region} has not been looked at yet{why}",
                {"Retry-After": "1"},
            )
        return seen

    def _watch(self, region: str) -> HomeWatch:
        if region not in self._watches:
            known = ", ".join(self._watches)
            raise HttpProblem(HTTPStatus.NOT_FOUND, f"no region {region}; there are: {known}")
        return self._watches[region]

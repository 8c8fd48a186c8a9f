"""The paths of the pages, and what every page has in common."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from urllib.parse import unquote

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import kmirror
from kmirror.console.console import Console
from kmirror.control.caller import Caller, Role
from kmirror.errors import ClusterError, EnvironmentProblem, MirrorError, NotAllowed
from kmirror.server.answers import HttpProblem, status_of
from kmirror.server.app import ASKS_MAX
from kmirror.server.console.audit_pages import AuditPages
from kmirror.server.console.clusters_page import ClustersPage
from kmirror.server.console.config_page import ConfigPage
from kmirror.server.console.left_out_pages import LeftOutPages
from kmirror.server.console.move_pages import MovePages
from kmirror.server.console.page import Asks, Page, Show, asks, looks
from kmirror.server.console.pages import Pages
from kmirror.server.console.plot_pages import PlotPages
from kmirror.server.console.templates import (
    PAGE_CSP,
    STATIC_FILES,
    STATIC_PATH,
    TEMPLATES,
    StaticFile,
)
from kmirror.server.console.topic_pages import TopicPages
from kmirror.server.dispatch import REQUEST_S_MAX, call_of
from kmirror.server.endpoint import Call

PART_HEADER = "x-kmirror-part"
_HTML = "text/html; charset=utf-8"
_THEMES = frozenset({"light", "dark"})


_Handler = Callable[[Request], Awaitable[Response]]


def page_routes(console: Console) -> Sequence[BaseRoute]:
    """
    Return the pages.

    Args:
        console: Knows what is shown.
    """
    pages, audits, plots = Pages(console), AuditPages(console), PlotPages(console)
    shown: dict[str, Show] = {
        "/": pages.overview,
        "/flows/{flow}": pages.partitions,
        "/flows/{flow}/topics": pages.topics,
        "/flows/{flow}/slots": pages.slots,
        "/flows/{flow}/plots": plots.show,
        "/flows/{flow}/topics/{topic}": pages.topic,
        "/events": pages.events,
        "/canary": audits.canaries,
        "/api": pages.api,
        "/clusters": ClustersPage(console).show,
    }
    asked: dict[str, Show] = {
        "/groups": pages.groups,
        "/groups/{flow}/{group}": pages.group,
        "/plan": pages.plan,
        "/offsets": pages.offsets,
        "/config": ConfigPage(console).show,
        "/audit": audits.audits,
        "/audit/{flow}": audits.audit,
        "/audit/{flow}/topics/{topic}": audits.audit,
    }
    of_topics = TopicPages(console)
    asked |= {
        "/flows/{flow}/explain": of_topics.explain,
        "/flows/{flow}/records": of_topics.records,
        "/flows/{flow}/topics/{topic}/settings": of_topics.settings,
    }
    left_out = LeftOutPages(console)
    found = _Served(console)
    return [
        *(Route(path, found.page(show)) for path, show in shown.items()),
        *(Route(path, found.asked_page(show)) for path, show in asked.items()),
        Route("/flows/{flow}/left-out", found.asked_page(left_out.left_out, looks)),
        Route("/flows/{flow}/dead-letters/{number}", found.asked_page(left_out.letter)),
        Route("/move", found.asked_page(MovePages(console).move, looks)),
        Route("/flows/{flow}/partitions.csv", found.file(pages.partitions_csv)),
        Route("/events.csv", found.file(pages.events_csv)),
        Route("/flows/{flow}/topics.csv", found.file(pages.topics_csv)),
        Route("/flows/{flow}/plots.csv", found.file(plots.csv)),
        Route("/audit/{flow}/windows.csv", found.asked_file(audits.windows_csv)),
        Route("/audit/{flow}/report.html", found.asked_file(audits.report)),
        static_route(STATIC_FILES),
    ]


class _Served:
    """
    Answers requests for pages.

    Args:
        console: Knows what is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._asks = CapacityLimiter(ASKS_MAX)

    def page(self, show: Show) -> _Handler:
        """Return what answers requests for a page."""

        async def answer(request: Request) -> Response:
            return await run_in_threadpool(self._answer, request, show)

        return answer

    def asked_page(self, show: Show, asks: Asks = asks) -> _Handler:
        """
        Return the same for a page that asks clusters: no other page waits for their answers.

        Args:
            show: Makes the page.
            asks: Tells whether it does so for a call.
        """

        async def answer(request: Request) -> Response:
            call = call_of(request)
            if not asks(call, _is_part(request, call)):
                return await run_in_threadpool(self._answer, request, show)
            return await self._asked(self._answer, request, show)

        return answer

    def file(self, give: Callable[[Call], Response]) -> _Handler:
        """Return what answers requests for a file to keep."""

        async def answer(request: Request) -> Response:
            return await run_in_threadpool(self._file, request, give)

        return answer

    def asked_file(self, give: Callable[[Call], Response]) -> _Handler:
        """Return the same for a file that asks clusters."""

        async def answer(request: Request) -> Response:
            return await self._asked(self._file, request, give)

        return answer

    async def _asked(self, answer: Callable[..., Response], *given: object) -> Response:
        try:
            async with asyncio.timeout(REQUEST_S_MAX):
                return await to_thread.run_sync(
                    answer, *given, abandon_on_cancel=True, limiter=self._asks
                )
        except TimeoutError as error:
            raise HttpProblem(
                HTTPStatus.SERVICE_UNAVAILABLE, "the clusters take too long to answer"
            ) from error

    def _answer(self, request: Request, show: Show) -> Response:
        call = call_of(request)
        call.caller.require(Role.VIEWER, "look at the console")
        is_part = _is_part(request, call)
        status = HTTPStatus.OK
        try:
            page = show(call, is_part)
        except HttpProblem as problem:
            page, status = _problem(str(problem)), problem.status
        except MirrorError as error:
            page, status = _problem(str(error)), status_of(error)
        theme = request.cookies.get("theme", "")
        context = {
            "page": page,
            "version": kmirror.__version__,
            "caller": call.caller,
            "has_driver": self._console.figures.has_driver,
            "of_connectors": self._console.file.of_connectors,
            "can_order": not self._console.is_read_only and call.caller.role >= Role.OPERATOR,
            "can_look": _can_look(self._console, call.caller),
            "can_seek": not self._console.is_read_only and call.caller.role >= Role.ADMIN,
            "now_ms": self._console.clock.wall_ms(),
            "theme": theme if theme in _THEMES else "",
            "file": self._console.config().path.name,
            "section": "",
            **page.context,
        }
        headers = {"Content-Security-Policy": PAGE_CSP}
        text = TEMPLATES.render(page.template, context)
        return Response(text, status_code=status, media_type=_HTML, headers=headers)

    def _file(self, request: Request, give: Callable[[Call], Response]) -> Response:
        call = call_of(request)
        call.caller.require(Role.VIEWER, "look at the console")
        try:
            return give(call)
        except (ClusterError, EnvironmentProblem) as error:
            raise HttpProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from error
        except MirrorError as error:
            raise HttpProblem(status_of(error), str(error)) from error


def _can_look(console: Console, caller: Caller) -> bool:
    """Whether somebody may see records."""
    try:
        console.topic_questions.require_records(caller)
    except NotAllowed:
        return False
    return True


def _problem(words: str) -> Page:
    return Page(template="problem.html", context={"words": words})


def _is_part(request: Request, call: Call) -> bool:
    return PART_HEADER in request.headers or call.flag("now")


def static_route(files: Mapping[str, StaticFile]) -> BaseRoute:
    """
    Return what gives browsers their files.

    Args:
        files: They, by their names.
    """

    async def answer(request: Request) -> Response:
        found = files.get(unquote(request.path_params["name"]))
        if found is None:
            raise HttpProblem(HTTPStatus.NOT_FOUND)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(found.content, media_type=found.media_type, headers=headers)

    return Route(f"{STATIC_PATH}/{{name}}", answer)

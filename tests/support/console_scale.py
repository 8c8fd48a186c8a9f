"""What pages of 10 flows with 1,000 partitions each cost, as a browser has it."""

from __future__ import annotations

import http.client
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from kmirror.model import Flow
from tests.support.chromium import Watched
from tests.support.console_pages import wait_loaded
from tests.support.console_server import serving_console
from tests.support.rest_server import RestClient
from tests.support.synthetic_flow import running_flow

FLOWS, TOPICS, PARTITIONS_OF_TOPIC = 10, 100, 10
PATHS = ("/", "/flows/S0-%3ET", "/flows/S0-%3ET/topics", "/flows/S0-%3ET?q=topic-0042")
# News, for which a page asks for itself again, is no part of a first visit.
_PAINTED = """() => new Promise((resolve) => new PerformanceObserver((list) => resolve([
    list.getEntries().at(-1).startTime,
    performance.getEntriesByName("first-contentful-paint")[0].startTime,
    [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource")
        .filter((each) => each.name !== location.href)]
        .reduce((sum, each) => sum + each.transferSize, 0),
])).observe({type: "largest-contentful-paint", buffered: true}))"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCost:
    """
    What a page costs.

    Args:
        path: Its address.
        first_byte_ms: How long a request waits for the first byte; the median.
        first_paint_ms: When the browser shows the first of it.
        useful_ms: When it shows the largest part.
        page_bytes: Of the page itself.
        first_visit_bytes: With everything that a browser fetches which was never here.
    """

    path: str
    first_byte_ms: float
    first_paint_ms: float
    useful_ms: float
    page_bytes: int
    first_visit_bytes: int


@contextmanager
def large_console(folder: Path) -> Iterator[RestClient]:
    """
    Serve the flows, and give a client.

    Args:
        folder: For the file.
    """
    names = [f"S{number}" for number in range(FLOWS)]
    lines = [f"clusters = {', '.join([*names, 'T'])}", "T.bootstrap.servers = 127.0.0.1:1"]
    for name in names:
        lines += [f"{name}.bootstrap.servers = 127.0.0.1:1", f"{name}->T.enabled = true"]
    now_ms = time.time_ns() // 1_000_000
    flows = [
        running_flow(
            Flow(name, "T"),
            topics=TOPICS,
            partitions=PARTITIONS_OF_TOPIC,
            lag=1 + number,
            now_ms=now_ms,
        )
        for number, name in enumerate(names)
    ]
    with serving_console(folder, flows, file="\n".join(lines) + "\n") as client:
        yield client


def page_cost(browser: Browser, client: RestClient, path: str, *, asked: int = 10) -> PageCost:
    """
    Ask for a page as a program, then as a browser that was never here.

    Args:
        browser: It.
        client: Of the console.
        path: The page's address.
        asked: How often the program asks.
    """
    waits_ms, size = zip(*(_asked(client, path) for _ in range(asked)), strict=True)
    context = browser.new_context(base_url=client.base, viewport={"width": 1280, "height": 740})
    watched = Watched(context.new_page())
    watched.page.goto(path, wait_until="load")
    wait_loaded(watched.page)
    useful_ms, first_paint_ms, fetched = watched.page.evaluate(_PAINTED)
    context.close()
    assert not watched.troubles
    return PageCost(
        path=path,
        first_byte_ms=statistics.median(waits_ms),
        first_paint_ms=first_paint_ms,
        useful_ms=useful_ms,
        page_bytes=size[-1],
        first_visit_bytes=fetched,
    )


def _asked(client: RestClient, path: str) -> tuple[float, int]:
    url = urlsplit(client.base)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)
    began_s = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    waited_ms = (time.perf_counter() - began_s) * 1000
    size = len(answer.read())
    connection.close()
    assert answer.status == 200
    return waited_ms, size

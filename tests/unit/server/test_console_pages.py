"""The console's pages as a browser gets them, of flows that never ran."""

from __future__ import annotations

import csv
import io
import re
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn, cast
from urllib.parse import unquote, urlsplit

import pytest
from starlette.routing import Match, Route

from kmirror.config.flows import FlowConfig
from kmirror.console.console import Console
from kmirror.console.questions import Questions
from kmirror.errors import ClusterUnavailable
from kmirror.events.emit import emit
from kmirror.events.table import FLOW_INCOMPLETE
from kmirror.model import Flow
from kmirror.server.app import ASKS_MAX
from kmirror.server.console.routes import page_routes
from kmirror.server.console.templates import STATIC_PATH
from tests.support.console_pages import every_page
from tests.support.console_server import AB, serving_console
from tests.support.rest_server import RestClient
from tests.support.synthetic_flow import running_flow

EVIL = "<img src=x onerror=alert(1)>"
PATHS = [
    *("/", "/flows/A-%3EB", "/flows/A-%3EB/topics", "/flows/A-%3EB/slots"),
    "/flows/A-%3EB/topics/topic-0000/settings",
    *("/flows/A-%3EB/plots", "/flows/B-%3EA/plots?range=24h"),
    *("/flows/A-%3EB/topics/topic-0000", "/groups", "/groups/A-%3EB/x%2Fy", "/events", "/plan"),
    *("/config", "/config?show=all&q=topics", "/config?show=lost&flow=B-%3EA"),
    "/clusters",
    *("/audit", "/audit/A-%3EB", "/audit/A-%3EB/topics/x%2Fy", "/canary"),
    *("/offsets", "/api", "/flows/B-%3EA?state=parked", "/flows/A-%3EB?q=none+like+that"),
    *("/flows/A-%3EB/explain", "/flows/A-%3EB/explain?topic=x", "/flows/A-%3EB/records"),
    *("/flows/A-%3EB/records?topic=topic-0000", "/flows/A-%3EB/topics?q=none+like+that"),
    *("/move", "/move?flow=A-%3EB&kind=promote&groups=x.*"),
    *("/flows/A-%3EB/left-out?topic=x", "/flows/A-%3EB/dead-letters/7"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console."""
    with serving_console(tmp_path_factory.mktemp("console")) as client:
        yield client


@pytest.mark.parametrize("path", PATHS)
def test_a_page(served: RestClient, path: str) -> None:
    """No script and no style lies in it, whatever it shows, and no other host is asked."""
    reply = served.get(path)
    assert reply.status == 200
    policy = reply.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script>", reply.text)
    assert not re.findall(r"(?:href|src)=\"(?:https?:)?//", reply.text)
    assert reply.text.count("<h1") == 1


def test_no_page_is_forgotten() -> None:
    """Those that the tests in a browser go through are all there are."""
    paths = [unquote(urlsplit(each).path) for each in every_page("topic-0000", "billing")]
    shown = [{"type": "http", "method": "GET", "path": path} for path in paths]
    for route in page_routes(cast(Console, None)):
        assert isinstance(route, Route)
        is_file = "." in route.path or route.path.startswith(STATIC_PATH)
        assert is_file or Match.FULL in {route.matches(each)[0] for each in shown}, route.path


def test_what_is_wrong_comes_first(served: RestClient) -> None:
    text = served.get("/").text
    assert "1 of 2 flows is broken" in text
    assert text.index("cluster B (b:9092): no answer") < text.index("in sync")
    page = served.get("/flows/B-%3EA").text
    assert page.index("parked") < page.index("stopped")
    assert "not authorized" in page


def test_a_view_has_an_address(served: RestClient) -> None:
    """What is filtered is in the link, and in the table for programs."""
    found = served.get("/flows/A-%3EB?q=topic-0001&state=mirroring")
    assert "3 partitions" in found.text
    link = re.search(r'href="(/flows/[^"]*partitions\.csv[^"]*)"', found.text)
    assert link is not None
    reply = served.get(link[1].replace("&amp;", "&"))
    assert reply.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(reply.text)))
    assert [row["topic"] for row in rows] == ["topic-0001"] * 3
    assert served.get("/flows/A-%3EB/partitions.csv").text.count("\n") == 7
    assert served.get("/flows/X/partitions.csv").status == 404


def test_hostile_words_are_words(served: RestClient) -> None:
    """Of events, of filters, and in addresses."""
    emit(FLOW_INCOMPLETE, flow=Flow("A", "B"), reason=EVIL)
    for path in ("/events", "/", f"/events?q={EVIL}", "/offsets?topic=%3Cimg%20src%3Dx"):
        assert "<img" not in served.get(path.replace(" ", "%20")).text
    assert "&lt;img src=x onerror" in served.get("/events").text
    assert served.get("/flows/%3Cimg%3E").status == 404
    assert "<img" not in served.get("/flows/%3Cimg%20src=x%3E").text


def test_who_has_a_partition(served: RestClient) -> None:
    """Slot, executor and its host on a Spark cluster, and else the process; who leads is asked."""
    page = served.get("/flows/A-%3EB").text
    assert '0<span class="less"> @ 7 @ worker-3</span>' in page
    assert '1<span class="less"> @ driver-host:7</span>' in page
    assert 'title="the source has not told it"' in page


def test_what_the_clusters_say_comes_later(served: RestClient) -> None:
    """The page is there at once, and asks for its parts; what did not answer is said there."""
    asks = served.with_headers(X_Kmirror_Part="1")
    for path in ("/groups", "/plan", "/groups/A-%3EB/billing"):
        assert 'aria-busy="true"' in served.get(path).text
    assert "cluster B (127.0.0.1:1)" in asks.get("/groups").text
    assert "No answer." in asks.get("/plan").text
    assert "No answer." in asks.get("/groups/A-%3EB/billing").text
    assert "No answer." in asks.get("/flows/A-%3EB/topics/topic-0000/settings").text
    assert "does not copy" in asks.get("/flows/A-%3EB/topics/other/settings").text
    asked = "flow=A-%3EB&side=source&topic=topic-0000&partition=0&offset=5"
    assert "No answer." in served.get(f"/offsets?{asked}").text
    assert "expected earliest, latest, an offset" in served.get(f"/offsets?{asked}x").text
    mistyped = served.get(f"/offsets?{asked.replace('topic=', 'topic=%20')}")
    assert (mistyped.status, "no topic can be called" in mistyped.text) == (200, True)
    assert "No answer." in served.get(f"/offsets?{asked.replace('=5', '=2026-05-01')}").text


_SLOW = """\
clusters = A, B
A.bootstrap.servers = 127.0.0.1:1
B.bootstrap.servers = 127.0.0.1:1
A->B.enabled = true
A->B.topics = topic-.*
B->A.enabled = true
B->A.topics = topic-.*
admin.timeout.ms = 10000
default.api.timeout.ms = 10000
request.timeout.ms = 10000
"""


def test_no_other_page_waits_for_clusters(tmp_path: Path) -> None:
    """More questions than there are threads, and no cluster answers: the overview does."""
    with serving_console(tmp_path, file=_SLOW) as client, ExitStack() as opened:
        at = urlsplit(client.base)
        asks = [
            opened.enter_context(socket.create_connection((at.hostname, at.port), timeout=10))
            for _ in range(45)
        ]
        for offset, ask in enumerate(asks):
            path = f"/offsets?flow=A-%3EB&topic=topic-0&partition=0&offset={offset}"
            ask.sendall(f"GET {path} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
        assert client.get("/").status == 200
        answered, _, _ = select.select(asks, [], [], 0)
        assert len(answered) <= 2 * ASKS_MAX


def test_no_flow_waits_for_anothers_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are asked at a time: each waits here until the other is asked, too."""
    both = threading.Barrier(2, timeout=10)

    def groups(_: Questions, config: FlowConfig) -> NoReturn:
        both.wait()
        raise ClusterUnavailable(f"{config.flow.source} is silent")

    monkeypatch.setattr(Questions, "groups", groups)
    with serving_console(tmp_path) as client:
        page = client.with_headers(X_Kmirror_Part="1").get("/groups")
        assert page.status == 200
        assert {"A is silent", "B is silent"} <= {*re.findall(r"[AB] is silent", page.text)}


@pytest.mark.parametrize("path", every_page("topic-0000", "billing"))
def test_an_answer_has_the_parts_of_its_page(served: RestClient, path: str) -> None:
    """Or the page would be another one with each answer."""
    found = [
        re.findall(r' data-part[^>]*? id="([^"]*)"', client.get(path).text)
        for client in (served, served.with_headers(X_Kmirror_Part="1"))
    ]
    assert found[0] == found[1]


def test_methods_that_no_page_has(served: RestClient) -> None:
    """In JSON, as everywhere."""
    refused = served.post("/events", {})
    assert (refused.status, refused.json["error_code"]) == (405, 405)
    assert refused.headers["allow"] == "GET, HEAD"
    assert served.post("/nope", {}).json == {"error_code": 404, "message": "HTTP 404 Not Found"}


def test_files_for_browsers_are_kept(served: RestClient) -> None:
    """Each has its content in its address."""
    page = served.get("/").text
    for name in ("console.css", "console.js", "icon.svg"):
        found = re.search(rf'"(/static/{name}\?v=\w+)"', page)
        assert found is not None
        assert "immutable" in served.get(found[1]).headers["cache-control"]
    assert served.get("/static/..%2Fpages.py").status == 404
    assert served.get("/static/none.js").status == 404


def test_the_theme_is_remembered(served: RestClient) -> None:
    assert 'data-theme="dark"' in served.with_headers(Cookie="theme=dark").get("/").text
    assert "data-theme" not in served.with_headers(Cookie='theme="><b>').get("/").text


def test_no_flow(tmp_path: Path) -> None:
    """It says what makes one."""
    with serving_console(tmp_path, ()) as client:
        assert "A-&gt;B.enabled = true" in client.get("/").text


def test_many_partitions(tmp_path: Path) -> None:
    """Ten flows of a thousand partitions: what is shown is small, and there soon."""
    now_ms = time.time_ns() // 1_000_000
    names = [Flow(f"S{number}", "T") for number in range(10)]
    file = f"clusters = T, {', '.join(each.source for each in names)}\n"
    file += "".join(
        f"{each}.enabled = true\n{each}.topics = .*\n{each.source}.bootstrap.servers = a:1\n"
        for each in names
    )
    flows = [running_flow(each, topics=100, partitions=10, now_ms=now_ms) for each in names]
    with serving_console(tmp_path, flows, file=file + "T.bootstrap.servers = b:1\n") as client:
        overview = client.get("/").text
        assert len(overview) + sum(map(len, _files(client, overview))) < 300_000
        page = client.get("/flows/S0-%3ET").text
        assert "1 to 200 of 1,000" in page
        assert len(page) < 300_000
        assert client.get("/flows/S0-%3ET?offset=900").text.count("mirroring</span>") == 100
        assert client.get("/flows/S0-%3ET/partitions.csv").text.count("\n") == 1001


def _files(client: RestClient, page: str) -> list[str]:
    names = re.findall(r'"(/static/[^"]+)"', page)
    assert names
    return [client.get(name).text for name in names]


def test_the_flow_that_is_not_there_yet(tmp_path: Path) -> None:
    """A flow of the file that the driver has not begun."""
    flow = running_flow(AB, topics=1, partitions=1)
    with serving_console(tmp_path, [flow]) as client:
        assert client.get("/flows/B-%3EA").status == 404
        assert "not known yet" in client.get("/flows/B-%3EA").text
        assert "Not driven here, or not yet: B-&gt;A." in client.get("/").text

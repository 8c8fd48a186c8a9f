"""What HTTP itself asks for: methods, media types, sizes, times, headers, and no traces."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from kmirror.config.response_headers import read_response_headers
from kmirror.connect.model import ConnectorOffset, TargetState, WorkerInfo
from kmirror.control.caller import Caller
from kmirror.errors import (
    AlreadyExists,
    BadRequest,
    ClusterUnavailable,
    MirrorError,
    NotAllowed,
    NotFound,
    RebalanceNeeded,
)
from kmirror.server import dispatch, guarded, protocol
from kmirror.server.app import ASKS_MAX
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient, serving

JSON = {"Content-Type": "application/json"}


def test_methods(client: RestClient) -> None:
    """HEAD is a GET without a body; OPTIONS and 405 say what there is."""
    assert client.call("HEAD", "/connectors").status == 200
    options = client.call("OPTIONS", "/connectors/x/config")
    assert options.status == 200
    assert {*options.headers["allow"].split(", ")} == {"GET", "HEAD", "OPTIONS", "PATCH", "PUT"}
    for method, path in (("DELETE", "/connectors"), ("POST", "/connectors/x"), ("TRACE", "/")):
        refused = client.call(method, path)
        assert (refused.status, refused.json) == (
            405,
            {"error_code": 405, "message": "HTTP 405 Method Not Allowed"},
        )
        assert "OPTIONS" in refused.headers["allow"]


@pytest.mark.parametrize(
    "path", ["/nope", "/connectors/x/y", "/connectors//", "/connectors/x/tasks-config"]
)
def test_paths_that_lead_nowhere(client: RestClient, path: str) -> None:
    """In Connect's words."""
    for method in ("GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"):
        answer = client.call(method, path)
        expected = {"error_code": 404, "message": "HTTP 404 Not Found"}
        assert (answer.status, answer.json) == (404, expected), method


def test_media_types(client: RestClient, config: dict[str, str]) -> None:
    """Bodies are JSON, and so are answers; what has no body may call itself anything."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/vnd.k+json", ""):
        headers = {"Content-Type": kind} if kind else {}
        refused = client.call("PUT", "/connectors/c/config", "{}", headers)
        assert (refused.status, refused.json["message"]) == (
            415,
            "HTTP 415 Unsupported Media Type",
        )
        assert client.call("PUT", "/connectors/c/pause", "{}", headers).status == 415
        assert client.call("PUT", "/connectors/c/pause", None, headers).status == 404
    client.put("/connectors/c/config", config)
    assert client.call("PUT", "/connectors/c/stop", "garbage", JSON).status == 204
    charset = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert client.call("PATCH", "/connectors/c/config", "{}", charset).status == 200
    for accept, status in (
        ("text/html", 406),
        ("application/xml", 406),
        ("text/html,*/*;q=0.1", 200),
        ("application/json", 200),
    ):
        assert client.with_headers(Accept=accept).get("/connectors").status == status


def test_large_bodies(client: RestClient) -> None:
    """They are not kept, and those that are far too large are not read to their end."""
    large = client.put("/connectors/c/config", "x" * ((1 << 20) + 1))
    assert (large.status, large.json["error_code"]) == (413, 413)
    head = b"PUT /connectors/c/config HTTP/1.1\r\nHost: localhost\r\n"
    assert _said_to(client, head + b"Content-Length: 9999999\r\n\r\n").startswith(b"HTTP/1.1 413 ")


def test_slow_headers_and_bodies(monkeypatch: pytest.MonkeyPatch, herder: MemoryHerder) -> None:
    """A caller that trickles does not keep a connection (slow loris)."""
    monkeypatch.setattr(protocol, "HEADERS_S_MAX", 0.2)
    monkeypatch.setattr(dispatch, "BODY_S_MAX", 0.2)
    monkeypatch.setattr(guarded, "IDLE_S_MAX", 1)
    with serving(herder) as client:
        assert _said_to(client, b"GET / HTTP/1.1\r\nHost: localhost\r\n") == b""
        begun = (
            b"PUT /connectors/c/config HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
        )
        assert _said_to(client, begun).startswith(b"HTTP/1.1 408 ")
        second = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\n"
        assert _said_to(client, second).count(b"HTTP/1.1") == 1


def test_what_is_no_http(client: RestClient, caplog: pytest.LogCaptureFixture) -> None:
    """It is refused, and fills no log."""
    for said in (b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n\r\n"):
        assert _said_to(client, said + b"\r\n" * 2).startswith(b"HTTP/1.1 400 ")
    assert caplog.records == []


def test_large_headers(client: RestClient) -> None:
    """They are refused before anybody has logged in."""
    said = (
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "
        + b"x" * (1 << 15)
        + b"\r\nConnection: close\r\n\r\n"
    )
    assert _said_to(client, said).startswith(b"HTTP/1.1 431 ")


def _said_to(client: RestClient, said: bytes) -> bytes:
    """Say something, and read until the server closes."""
    url = urlsplit(client.base)
    found = b""
    with socket.create_connection((url.hostname or "", url.port or 0), timeout=10) as connection:
        connection.sendall(said)
        try:
            while part := connection.recv(1 << 16):
                found += part
        except ConnectionResetError:
            pass
    return found


def test_connections_are_limited(herder: MemoryHerder) -> None:
    """Those above the limit are told so."""
    with serving(herder, replace(HERE, connections_max=3)) as client:
        url = urlsplit(client.base)
        address = (url.hostname or "", url.port or 0)
        waiting = [socket.create_connection(address, timeout=10) for _ in range(3)]
        try:
            assert client.with_headers(Accept="*/*").call("GET", "/").status == 503
        finally:
            for each in waiting:
                each.close()


def test_headers_of_every_answer(herder: MemoryHerder) -> None:
    """Those that protect pages, and those of the file; nothing names the server's version."""
    more = read_response_headers(
        'set X-Mine: a, "add Vary: b,c", set Cache-Control: private, setDate Expires: 31540000000'
    )
    with serving(herder, replace(HERE, headers=more)) as client:
        for path in ("/", "/nope"):
            headers = client.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-mine"] == "a"
            assert headers["vary"] == "b,c"
            assert headers["cache-control"] == "private"
            assert headers["expires"].endswith(" GMT")
            assert "server" not in headers
            assert "strict-transport-security" not in headers


class _Hanging(MemoryHerder):
    """Its changes do not end."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def set_state(self, name: str, state: TargetState, by: Caller) -> None:
        self.go_on.wait(10)
        super().set_state(name, state, by)


def test_a_worker_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller is told so; whoever only reads does not wait."""
    monkeypatch.setattr(dispatch, "REQUEST_S_MAX", 0.5)
    herder = _Hanging()
    with serving(herder) as client:
        with ThreadPoolExecutor(50) as pool:
            late = [pool.submit(client.put, "/connectors/c/stop") for _ in range(50)]
            assert client.get("/connectors").status == 200
            assert {each.result().status for each in late} == {500}
            assert late[0].result().json["message"] == "Request timed out"
        herder.go_on.set()


class _Asking(MemoryHerder):
    """A cluster does not answer who asks for offsets."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self.begun = threading.Semaphore(0)

    def offsets(self, name: str) -> tuple[ConnectorOffset, ...]:
        self.begun.release()
        self.go_on.wait(10)
        return super().offsets(name)


def test_nobody_waits_for_offsets_of_a_cluster_that_is_down() -> None:
    """More ask for them than there are threads; who asks for what is known has an answer."""
    herder = _Asking()
    with serving(herder) as client, ThreadPoolExecutor(50) as pool:
        late = [pool.submit(client.get, "/connectors/c/offsets") for _ in range(50)]
        for _ in range(ASKS_MAX):
            assert herder.begun.acquire(timeout=10)
        begun_s = time.monotonic()
        assert client.get("/health").status == 200
        assert time.monotonic() - begun_s < 5
        assert not any(each.done() for each in late)
        herder.go_on.set()
        assert {each.result().status for each in late} == {404}


class _Refusing(MemoryHerder):
    """Refuses everything with one error."""

    def __init__(self, error: MirrorError) -> None:
        super().__init__()
        self._error = error

    def connectors(self) -> tuple[str, ...]:
        raise self._error


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (NotFound("Connector c not found"), 404, "Connector c not found"),
        (AlreadyExists("Connector c already exists"), 409, "Connector c already exists"),
        (RebalanceNeeded("not now"), 409, "not now"),
        (BadRequest("wrong", hint="write x"), 400, "wrong (write x)"),
        (NotAllowed("a may not"), 403, "a may not"),
        (ClusterUnavailable("B does not answer"), 500, "B does not answer"),
    ],
)
def test_errors_of_the_worker(error: MirrorError, status: int, message: str) -> None:
    """Each has its status, and Connect's body."""
    with serving(_Refusing(error)) as client:
        found = client.get("/connectors")
    assert (found.status, found.json) == (status, {"error_code": status, "message": message})


class _Broken(MemoryHerder):
    def info(self) -> WorkerInfo:
        raise RuntimeError("S3CR3T in /etc/passwd")


def test_what_nobody_foresaw(capsys: pytest.CaptureFixture[str]) -> None:
    """The answer has a number by which the log has the trace."""
    with serving(_Broken()) as client:
        crashed = client.get("/")
    assert crashed.status == 500
    assert crashed.json["message"].startswith("unexpected; the log has it as ")
    assert "S3CR3T" not in crashed.text

"""Where applications work, over HTTP; the clusters are in memory."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.apps.home_watch import HomeWatch
from kmirror.clock import SystemClock
from kmirror.config.metrics import listener_at
from kmirror.errors import NotAuthorized
from kmirror.server.resolver.service import ResolverOptions, ResolverServer
from kmirror.server.users import token_digest
from tests.support.regions import DRIVER, FAILED_OVER, Away, create, own, region_a
from tests.support.rest_server import RestClient

HOME = {
    "region": "A",
    "cluster": "A",
    "bootstrap_servers": "a:1",
    "why": "",
    "trouble": "",
    "topic": "t",
    "pattern": r"^((B)\.){0,1}t$",
    "topics": ["t"],
    "write": "t",
    "sources": ["B"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """A server, whose looks happen when a test says so."""

    client: RestClient
    watch: HomeWatch
    admins: dict[str, Away]

    def look(self) -> None:
        """Ask the clusters."""
        self.watch.look_for_home()
        self.watch.look_for_names()


@pytest.fixture
def users(tmp_path: Path) -> Path | None:
    """Everybody; a test may say otherwise."""
    return None


@pytest.fixture
def resolver(tmp_path: Path, users: Path | None) -> Iterator[Resolver]:
    """Serve region A."""
    clock = SystemClock()
    topics, admins = region_a(tmp_path)
    server = ResolverServer(
        ResolverOptions(listener=listener_at("127.0.0.1:0"), users_file=users), clock
    )
    watch = HomeWatch(topics, "A", clock, server.tell)
    server.start([watch])
    try:
        yield Resolver(client=RestClient(base=server.address), watch=watch, admins=admins)
    finally:
        server.stop()


class Listener:
    """Reads a stream's events one by one."""

    def __init__(self, client: RestClient, path: str) -> None:
        self._connection = http.client.HTTPConnection(
            client.base.removeprefix("http://"), timeout=30
        )
        self._connection.request("GET", path, headers={"Accept": "text/event-stream"})
        self.answer = self._connection.getresponse()
        assert self._line() == "retry: 1000"
        assert not self._line()

    def next(self) -> tuple[str, Any]:
        """Wait for an event; give its name and its data."""
        name, data, end = self._line(), self._line(), self._line()
        assert not end
        return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))

    def has_ended(self) -> bool:
        """Wait for what comes next; tell whether that is the end."""
        return self.answer.readline() == b""

    def close(self) -> None:
        """Go away."""
        self._connection.close()

    def _line(self) -> str:
        return self.answer.readline().decode().removesuffix("\n")


def test_home_away_and_back(resolver: Resolver) -> None:
    """The library's answer, for every region and for one."""
    client = resolver.client
    path = "/regions/A/topics/t"
    assert client.get(path).status == 503
    assert client.get("/health").status == 503
    assert client.get("/regions").json == []
    resolver.look()
    assert client.get(path).json == HOME
    assert client.get("/health").json["status"] == "healthy"
    own(resolver.admins["B"], FAILED_OVER)
    resolver.look()
    found = client.get(path).json
    assert (found["cluster"], found["bootstrap_servers"]) == ("B", "b:1")
    assert (found["topics"], found["write"]) == (["A.t", "t"], "t")
    assert found["pattern"] == r"^((A)\.){0,1}t$"
    assert "kmirror failover" in found["why"]
    (region,) = client.get("/regions").json
    assert region == client.get("/regions/A").json
    assert region["cluster"] == "B"
    own(resolver.admins["B"], DRIVER)
    resolver.look()
    assert client.get(path).json == HOME


def test_a_failover_is_told_before_the_topics_are_known(resolver: Resolver) -> None:
    """A cluster that does not answer hides its topics, and not where to work."""
    resolver.admins["A"].is_away = True
    resolver.look()
    found = resolver.client.get("/regions/A/topics/t").json
    assert found == HOME | {"topics": None, "trouble": "away"}
    own(resolver.admins["B"], FAILED_OVER)
    resolver.watch.look_for_home()
    found = resolver.client.get("/regions/A/topics/t").json
    assert (found["cluster"], found["topics"]) == ("B", None)
    resolver.watch.look_for_names()
    found = resolver.client.get("/regions/A/topics/t").json
    assert (found["topics"], found["trouble"]) == (["A.t", "t"], "")
    # What the target said last counts.
    resolver.admins["B"].is_away = True
    resolver.look()
    found = resolver.client.get("/regions/A/topics/t").json
    assert (found["cluster"], found["topics"], found["trouble"]) == ("B", ["A.t", "t"], "away")


def test_a_target_that_forgets_sends_nobody_home(resolver: Resolver) -> None:
    """A restarted coordinator answers as if nobody held the flow: what it said last counts."""
    own(resolver.admins["B"], FAILED_OVER)
    resolver.look()
    resolver.admins["B"].is_blank = True
    resolver.look()
    found = resolver.client.get("/regions/A/topics/t").json
    assert (found["cluster"], found["trouble"]) == ("B", "B does not tell any more who has A->B")
    resolver.admins["B"].is_blank = False
    resolver.look()
    assert resolver.client.get("/regions/A").json["trouble"] == ""
    own(resolver.admins["B"], DRIVER)
    resolver.look()
    assert resolver.client.get("/regions/A/topics/t").json == HOME


def test_a_right_that_is_missing_is_said(
    resolver: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it nobody knows where to work, and whoever asks is told why."""

    def refuse(*_: object) -> NoReturn:
        raise NotAuthorized("B: Describe on group __kmirror-A-B is missing")

    monkeypatch.setattr(resolver.admins["B"], "group_positions", refuse)
    resolver.look()
    answer = resolver.client.get("/regions/A")
    assert answer.status == 503
    assert "Describe on group __kmirror-A-B" in answer.json["message"]


def test_who_listens_is_told_at_once(resolver: Resolver) -> None:
    """What is so now, then each change, and nothing that is no change."""
    resolver.look()
    listener = Listener(resolver.client, "/regions/A/events?topic=t&topic=u")
    assert listener.answer.getheader("Content-Type", "").startswith("text/event-stream")
    assert listener.next() == ("place", HOME)
    assert listener.next()[1]["topics"] == []
    resolver.look()
    create(resolver.admins["A"], "u")
    resolver.look()
    assert listener.next()[1]["topics"] == ["u"]
    own(resolver.admins["B"], FAILED_OVER)
    resolver.watch.look_for_home()
    moved = [listener.next()[1] for _ in range(2)]
    assert {(each["topic"], each["cluster"]) for each in moved} == {("t", "B"), ("u", "B")}
    listener.close()


def test_a_region_can_be_listened_to(resolver: Resolver) -> None:
    """Before it was looked at, too; the end of the server is the end of the stream."""
    listener = Listener(resolver.client, "/regions/A/events")
    resolver.look()
    name, region = listener.next()
    assert (name, region["cluster"]) == ("region", "A")
    listener.close()


def test_the_server_s_end_sends_everybody_away(tmp_path: Path) -> None:
    clock = SystemClock()
    topics, _ = region_a(tmp_path)
    server = ResolverServer(ResolverOptions(listener=listener_at("127.0.0.1:0")), clock)
    watch = HomeWatch(topics, "A", clock, server.tell)
    server.start([watch])
    listener = Listener(RestClient(base=server.address), "/regions/A/events")
    server.stop()
    assert listener.has_ended()


def test_it_looks_by_itself(resolver: Resolver) -> None:
    """In threads, until it is closed."""
    resolver.watch.start()
    path = "/regions/A/topics/t"
    wait_until(
        lambda: resolver.client.get(path).text == json.dumps(HOME, separators=(",", ":")),
        "home and topics",
        timeout_s=30,
    )
    own(resolver.admins["B"], FAILED_OVER)
    wait_until(
        lambda: resolver.client.get(path).json["topics"] == ["A.t", "t"], "away", timeout_s=30
    )
    resolver.watch.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/regions/C", 404),
        ("/regions/C/topics/t", 404),
        ("/regions/C/events", 404),
        ("/regions/A/topics/a%20b", 400),
        ("/regions/A/events?topic=a%20b", 400),
        ("/regions/A/events?" + "&".join(f"topic=t{at}" for at in range(101)), 400),
        ("/topics/t", 404),
    ],
)
def test_what_is_not_there(resolver: Resolver, path: str, status: int) -> None:
    """An error of its own, with words."""
    resolver.look()
    answer = resolver.client.get(path)
    assert (answer.status, answer.json["error_code"]) == (status, status)


def test_changes_and_headers_alone(resolver: Resolver) -> None:
    """Nothing can be changed, and a question for headers ends."""
    resolver.look()
    assert resolver.client.put("/regions/A", {}).status == 405
    assert resolver.client.post("/regions/A/events", {}).status == 405
    assert resolver.client.call("HEAD", "/regions/A/events").status == 200
    assert resolver.client.with_headers(Host="evil.example").get("/regions").status == 421


def test_its_document(resolver: Resolver) -> None:
    """Whoever makes clients from it finds all that can be asked for."""
    document = resolver.client.get("/openapi.json").json
    assert document["info"]["title"] == "Where applications work: kmirror's resolver"
    assert set(HOME) == set(document["components"]["schemas"]["Place"]["properties"])
    assert "/regions/{region}/events" in document["paths"]


class TestUsers:
    """With a file of users those may ask, and nobody else."""

    SECRET = "Oa7vX0hWm3Jq9cT5rLz1yBd8"

    @pytest.fixture
    def users(self, tmp_path: Path) -> Path:
        """Give a file with one of them."""
        file = tmp_path / "users"
        file.write_text(f"billing:viewer:{token_digest(self.SECRET)}\n", encoding="utf-8")
        file.chmod(0o600)
        return file

    def test_who_may_ask(self, resolver: Resolver) -> None:
        resolver.look()
        for path in ("/regions", "/regions/A/events"):
            assert resolver.client.get(path).status == 401
        client = resolver.client.with_headers(Authorization=f"Bearer {self.SECRET}")
        assert client.get("/regions/A/topics/t").json == HOME

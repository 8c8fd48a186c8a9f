"""Who gets as far as a login: names of the server, pages of others, and how often."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.clock import ManualClock
from kmirror.server.gate import Origins
from kmirror.server.throttle import AddressThrottle
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient, serving

EVIL = "http://evil.example"
PAUSE = "/connectors/c/pause"


def host(client: RestClient, name: str) -> int:
    """Ask under a name, and give the status."""
    return client.with_headers(Host=name).get("/connectors").status


def test_the_name_of_the_server_is_checked(herder: MemoryHerder) -> None:
    """A page whose name leads to 127.0.0.1 is told that this is not its server."""
    advertised = replace(HERE, advertised_host="Worker.example", hosts=("connect.example",))
    with serving(herder) as client:
        for name in ("127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:8083", "localhost."):
            assert host(client, name) == 200, name
        for name in ("evil.example", "127.0.0.1.evil.example", "localhost.evil", "", "[x"):
            assert host(client, name) == 421, name
        assert host(client, "connect.example") == 421
    with serving(herder, advertised) as client:
        for name in ("connect.example:8083", "worker.example", "127.0.0.1"):
            assert host(client, name) == 200, name
        refused = client.with_headers(Host="evil.example").get("/")
        assert refused.json["error_code"] == 421
        assert "kmirror.rest.hosts" in refused.json["message"]


def test_pages_of_others_change_nothing(client: RestClient) -> None:
    """Browsers say whose page asks; who says nothing is no browser."""
    own = client.base
    assert client.put(PAUSE).status == 404
    assert client.with_headers(Origin=own, Sec_Fetch_Site="same-origin").put(PAUSE).status == 404
    assert client.with_headers(Sec_Fetch_Site="none").put(PAUSE).status == 404
    for headers in (
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Origin": own.replace("http:", "https:")},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ):
        page = client.with_headers(**headers)
        for method, path in (("PUT", PAUSE), ("POST", "/connectors"), ("DELETE", "/connectors/c")):
            refused = page.call(method, path)
            assert (refused.status, refused.json["error_code"]) == (403, 403), headers
        read = page.get("/connectors")
        assert read.status == 200
        assert "access-control-allow-origin" not in read.headers


def test_its_own_page_behind_a_proxy_with_tls(herder: MemoryHerder) -> None:
    """The browser says https, the proxy http: so for names that the file gives, and no others."""
    proxied = replace(HERE, hosts=("Connect.example",))
    with serving(herder, proxied) as client:
        for host, origin, status in (
            ("connect.example", "https://connect.example", 404),
            ("connect.example:8443", "https://connect.example:8443", 404),
            ("connect.example", "http://connect.example", 404),
            ("connect.example", "https://evil.example", 403),
            ("connect.example", "https://connect.example:8443", 403),
            ("127.0.0.1", "https://127.0.0.1", 403),
        ):
            page = client.with_headers(Host=host, Origin=origin, Sec_Fetch_Site="same-origin")
            assert page.put(PAUSE).status == status, (host, origin)


def test_pages_that_the_file_allows(herder: MemoryHerder) -> None:
    """As Connect's CORS: with logins for named origins, without them for any."""
    cors = replace(
        HERE, cors_origins=("https://*.example.com",), cors_methods=("GET", "PUT", "DELETE")
    )
    with serving(herder, cors) as client:
        page = client.with_headers(Origin="https://a.example.com", Sec_Fetch_Site="cross-site")
        answer = page.put(PAUSE)
        assert answer.status == 404
        assert answer.headers["access-control-allow-origin"] == "https://a.example.com"
        assert answer.headers["access-control-allow-credentials"] == "true"
        assert answer.headers["vary"] == "Origin"
        asked = page.with_headers(Access_Control_Request_Method="PUT").call("OPTIONS", PAUSE)
        assert asked.status == 200
        assert asked.headers["access-control-allow-methods"] == "GET,PUT,DELETE"
        assert "Content-Type" in asked.headers["access-control-allow-headers"]
        for other in (EVIL, "https://example.com", "https://a.example.com.evil"):
            page = client.with_headers(Origin=other)
            assert page.put(PAUSE).status == 403
            assert "access-control-allow-origin" not in page.get("/").headers
    with serving(herder, replace(HERE, cors_origins=("*",))) as client:
        answer = client.with_headers(Origin=EVIL).put(PAUSE)
        assert answer.status == 404
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("allowed", "origin", "is_allowed"),
    [
        ("https://a.b", "https://a.b", True),
        ("https://a.b", "https://aXb", False),
        ("https://*.b", "https://a.b", True),
        ("https://*.b", "https://b", False),
        ("*", "null", True),
    ],
)
def test_origins(allowed: str, origin: str, is_allowed: bool) -> None:
    """A star is anything, and a dot is a dot."""
    assert Origins([allowed]).allows(origin) is is_allowed


def test_how_often_an_address_asks() -> None:
    """Tokens come back with time; others have their own; the oldest addresses are forgotten."""
    clock = ManualClock()
    throttle = AddressThrottle(burst=2, per_s=0.5, clock=clock)
    assert [throttle.take("a") for _ in range(3)] == [0, 0, 2]
    assert throttle.take("b") == 0
    clock.advance(2.0)
    assert [throttle.take("a") for _ in range(2)] == [0, 2]
    for number in range(20_000):
        throttle.take(str(number))
    assert throttle.take("a") == 0


def test_too_many_requests_are_told_so(herder: MemoryHerder) -> None:
    """With 429 and when to come again."""
    with serving(herder, replace(HERE, requests_per_s=1)) as client:
        found = [client.get("/health") for _ in range(8)]
    statuses = [each.status for each in found]
    assert statuses[:4] == [200] * 4
    assert statuses[-1] == 429
    assert found[-1].headers["retry-after"] == "1"
    assert found[-1].json["error_code"] == 429

"""Names that mean something to files, pages, logs and paths mean nothing here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

import pytest

from kmirror.events.emit import Occurrence, subscribed
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient, serving

HOSTILE = (
    *("../../../../etc/passwd", "..\\..\\x", "/etc/passwd", "C:\\x", ".", "..", "...", "~root"),
    *(
        "\x00",
        "a\x00.json",
        "a\nb",
        "a\r\nSet-Cookie: x=y",
        "\x1b[2J",
        "\u202e",
        "\ud800",
        "\uffff",
    ),
    *("<img src=x onerror=alert(1)>", '"><script>alert(1)</script>', "${jndi:ldap://x}", "{{7*7}}"),
    *("${env:PATH}", "${file:/etc/passwd:root}", "'; DROP TABLE x; --", "$(id)", "`id`", "%s%n"),
    *(
        "a" * 5000,
        "é" * 500,
        "a?b=c",
        "a#b",
        "a;b",
        "a%2Fb",
        " ",
        "-",
        "%",
        "%zz",
        "__proto__",
        "\uffff",
    ),
)


@pytest.fixture(scope="module")
def client() -> Iterator[RestClient]:
    """Serve one worker to all of them."""
    with serving(MemoryHerder(), replace(HERE, requests_per_s=100_000)) as client:
        yield client


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: quote(name[:20], errors="replace"))
def test_a_name_is_a_name(client: RestClient, config: dict[str, str], name: str) -> None:
    """It is made or refused, read, told and deleted like any other, as JSON that is no page."""
    told: list[Occurrence] = []
    escaped = quote(name, safe="", errors="surrogatepass")
    with subscribed(told.append):
        answers = [
            client.post("/connectors", {"name": name, "config": config}),
            client.put(f"/connectors/{escaped}/config", config),
            client.get(f"/connectors/{escaped}"),
            client.get("/connectors?expand=info&expand=status"),
            client.put(f"/connectors/{escaped}/pause"),
            client.get(f"/connector-plugins/{escaped}/config"),
            client.get(f"/admin/loggers/{escaped}"),
            client.get(f"/{escaped}"),
            client.delete(f"/connectors/{escaped}"),
        ]
    for answer in answers:
        assert answer.status < 500, answer.text
        assert "root:x:0:0" not in answer.text
        assert "set-cookie" not in answer.headers
        if answer.text:
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.json is not None
    for line in map(str, told):
        assert line.isprintable(), line


@pytest.mark.parametrize(
    "path",
    [
        *("/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/connectors/../admin/loggers", "//etc"),
        *("/connectors/%00", "/connectors/%ff%fe", "/connectors/a%0d%0aX:%20y", "/openapi.json/.."),
        *("/%c0%ae%c0%ae/x", "/connectors;a=b", "/CONNECTORS", "/connectors%2f"),
    ],
)
def test_a_path_is_what_it_says(client: RestClient, path: str) -> None:
    """No part of it is a way up, and nothing is found by another spelling."""
    answer = client.get(path)
    assert answer.status == 404, answer.text
    assert answer.json["error_code"] == 404

"""What a worker says of its health: while there is none yet, and when others can reach it."""

from __future__ import annotations

import pytest

from kmirror.clock import SystemClock
from kmirror.config.server import Listener, ServerConfig
from kmirror.server.service import RestServer
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient

EVERYWHERE = ServerConfig(listeners=(Listener(scheme="http", host="0.0.0.0", port=0),))


def test_it_answers_before_there_is_a_worker() -> None:
    """As Connect does: 503, and not a connection that nobody takes."""
    server = RestServer(HERE, SystemClock())
    try:
        server.begin()
        client = RestClient(base=server.addresses[0])
        health = client.get("/health")
        assert (health.status, health.json["status"]) == (503, "starting")
        others = (
            client.get("/"),
            client.get("/connectors"),
            client.post("/connectors", {"name": "c", "config": {}}),
        )
        for reply in others:
            assert reply.status == 503
            assert reply.headers["retry-after"] == "1"
            assert reply.json == {"error_code": 503, "message": "Worker is still starting up."}
        herder = MemoryHerder()
        server.serve(herder)
        assert client.get("/health").status == 200
        assert client.get("/connectors").json == []
        assert herder.done == [], "what was refused is not done later"
    finally:
        server.stop()


@pytest.mark.parametrize(("config", "warned"), [(HERE, False), (EVERYWHERE, True)])
def test_who_watches_its_health_learns_that_it_is_open(
    config: ServerConfig,
    warned: bool,
) -> None:
    server = RestServer(config, SystemClock())
    try:
        server.start(MemoryHerder())
        port = server.addresses[0].rpartition(":")[2]
        health = RestClient(base=f"http://127.0.0.1:{port}").get("/health")
        assert (health.status, health.json["status"]) == (200, "healthy")
        assert ("Warning: http://0.0.0.0:" in health.json["message"]) is warned
    finally:
        server.stop()

"""`/metrics` over HTTP, of flows that never ran."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kmirror.clock import SystemClock
from kmirror.config.metrics import MetricsConfig, listener_at
from kmirror.errors import EnvironmentProblem
from kmirror.inspect.driver import ask_driver
from kmirror.model import Flow
from kmirror.server.metrics import MetricsServer
from kmirror.server.users import token_digest
from kmirror.state.metrics.collector import EventCounts, Exposition, FlowsCollector
from tests.support.synthetic_flow import JVM, running_flow

AB = Flow("A", "B")
Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Give a function that serves a flow, and says where."""
    with ExitStack() as running:

        def serve_at(address: str = "127.0.0.1:0", users: Path | None = None) -> str:
            config = MetricsConfig(listener=listener_at(address), users_file=users)
            server = MetricsServer(config, SystemClock())
            flows = (running_flow(AB, topics=1, partitions=1),)
            collector = FlowsCollector(lambda: flows, lambda: JVM, EventCounts(), SystemClock())
            running.callback(server.stop)
            server.start(Exposition(collector), lambda: flows)
            return server.address

        yield serve_at


def get(url: str, **headers: str) -> tuple[int, str]:
    """Return the status and the body."""
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_scrape(serve: Serve) -> None:
    status, body = get(serve())
    assert status == 200
    assert 'kmirror_flow_state{flow="A->B",state="running"} 1.0' in body


def test_who_may_read(serve: Serve, tmp_path: Path) -> None:
    """With a file of users those, and nobody else."""
    users = tmp_path / "users"
    secret = "Oa7vX0hWm3Jq9cT5rLz1yBd8"
    users.write_text(f"prometheus:viewer:{token_digest(secret)}\n", encoding="utf-8")
    users.chmod(0o600)
    url = serve(users=users)
    assert get(url)[0] == 401
    assert get(url, Authorization=f"Bearer {secret}")[0] == 200
    wrong = base64.b64encode(b"prometheus:wrong").decode()
    assert get(url, Authorization=f"Basic {wrong}")[0] == 401


def test_names_of_others_and_other_paths_are_refused(serve: Serve) -> None:
    url = serve()
    assert get(url, Host="evil.example")[0] == 421
    assert get(url.replace("/metrics", "/connectors"))[0] == 404


def test_a_port_that_is_taken(serve: Serve) -> None:
    """It is said before Spark starts."""
    address = serve().removeprefix("http://").removesuffix("/metrics")
    with pytest.raises(EnvironmentProblem, match="cannot listen"):
        serve(address)


def test_kmirror_status_asks_there(serve: Serve) -> None:
    """What it finds is the driver's own judgement; nothing where nobody listens."""
    address = serve().removeprefix("http://").removesuffix("/metrics")
    told = ask_driver(MetricsConfig(listener=listener_at(address)))
    assert told.keys() == {AB}
    assert json.loads(json.dumps(told[AB].state)) == "running"
    assert ask_driver(MetricsConfig(listener=listener_at("127.0.0.1:1"))) == {}
    assert ask_driver(MetricsConfig()) == {}

"""`kmirror connect` as a real process, asked by `requests` as anybody would ask it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.ports import LOOPBACK, free_ports

from tests.support.connect_files import EXAMPLES
from tests.support.driver import Driver, start_driver

_START_S_MAX = 120.0
_ANSWER_S_MAX = 30.0


class ConnectWorker:
    """
    A worker.

    Args:
        driver: Its process.
        port: Where it listens.
    """

    def __init__(self, driver: Driver, port: int) -> None:
        self.driver = driver
        self.id = f"{LOOPBACK}:{port}"
        self.base = f"http://{self.id}"

    def call(self, method: str, path: str, body: object = None) -> requests.Response:
        """Ask; a body that is no text is sent as JSON."""
        data = body if body is None or isinstance(body, str) else json.dumps(body)
        headers = {"Content-Type": "application/json"}
        return requests.request(
            method, f"{self.base}{path}", data=data, headers=headers, timeout=_ANSWER_S_MAX
        )

    def get(self, path: str) -> Any:
        """Give what is answered with 200."""
        answer = self.call("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def do(self, method: str, path: str, code: int, body: object = None) -> Any:
        """Ask for something that is answered with *code*; give the body, if there is one."""
        answer = self.call(method, path, body)
        assert answer.status_code == code, f"{answer.status_code}: {answer.text}"
        return answer.json() if answer.text else None

    def wait(self, condition: Any, what: str, timeout_s: float = 60.0) -> None:
        """Wait until something holds; fails at once when the process ends before."""
        self.driver.wait_until(condition, what, timeout_s)

    def wait_until_ready(self) -> None:
        """Wait until it is healthy."""

        def healthy() -> bool:
            try:
                return self.call("GET", "/health").status_code == 200
            except requests.ConnectionError:
                return False

        self.wait(healthy, f"{self.base} is healthy", _START_S_MAX)

    def states(self, connector: str) -> list[str]:
        """Give the state of a connector, and those of its tasks behind it."""
        answer = self.call("GET", f"/connectors/{quote(connector, safe='')}/status")
        if answer.status_code != 200:
            return []
        status = answer.json()
        return [each["state"] for each in (status["connector"], *status["tasks"])]

    def wait_for_states(self, connector: str, *states: str) -> None:
        """Wait until a connector and its tasks are in these states."""
        self.wait(lambda: self.states(connector) == list(states), f"{connector} is {states}")


def start_worker(folder: Path, lines: Iterable[str], *arguments: str | Path) -> ConnectWorker:
    """
    Start `kmirror connect`.

    Args:
        folder: For its file, its log and its temporary files.
        lines: Of its file; where it listens is added.
        arguments: Behind the file.
    """
    (port,) = free_ports(1)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "worker.properties"
    own = [f"listeners = http://{LOOPBACK}:{port}", f"rest.advertised.host.name = {LOOPBACK}"]
    file.write_text("".join(f"{line}\n" for line in (*lines, *own)), encoding="utf-8")
    driver = start_driver(file, *map(str, arguments), verb="connect")
    return ConnectWorker(driver, port)


def example_worker(cluster: Cluster, *more: str) -> list[str]:
    """Give the lines of the example's worker, for a lab cluster of one broker."""
    text = (EXAMPLES / "connect-distributed.properties").read_text(encoding="utf-8")
    kept = [
        line
        for line in text.splitlines()
        if line and not line.startswith(("bootstrap.servers", "rest.port"))
    ]
    single = [line.replace("factor=3", "factor=1") for line in kept]
    return [f"bootstrap.servers={cluster.bootstrap}", *single, *more]


def example(name: str, clusters: Mapping[str, Cluster]) -> str:
    """
    Give an example as it is posted, with the addresses of lab clusters.

    Args:
        name: Of the file.
        clusters: By what the example names before the port, such as `A`.
    """
    body = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
    config = body["config"]
    for key, value in config.items():
        if key.endswith("bootstrap.servers"):
            config[key] = next(
                cluster.bootstrap
                for alias, cluster in clusters.items()
                if str(value).startswith(alias)
            )
    if str(config["connector.class"]).endswith("MirrorSourceConnector"):
        # What the lab's clusters have brokers for.
        config["replication.factor"] = "1"
    return json.dumps(body)


def source_body(
    pair: ClusterPair, alias: str, topics: str, **more: str
) -> tuple[str, dict[str, Any]]:
    """Give the name and the body of a source connector from an alias of cluster A to B."""
    name = f"{alias}->B {secrets.token_hex(2)}"
    config = {
        "connector.class": "MirrorSourceConnector",
        "source.cluster.alias": alias,
        "target.cluster.alias": "B",
        "source.cluster.bootstrap.servers": pair.a.bootstrap,
        "target.cluster.bootstrap.servers": pair.b.bootstrap,
        "topics": topics,
        "replication.factor": "1",
        "offset-syncs.topic.replication.factor": "1",
        "refresh.topics.interval.seconds": "1",
    }
    return name, {"name": name, "config": config | more}

"""Clients that are not ours: one as it is, and what others ask, one request after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from kafka_connect import KafkaConnect
from requests.exceptions import HTTPError

from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient, serving

EXAMPLES = Path(__file__).parents[2] / "data" / "connect"
NAME = "A->B.MirrorSourceConnector"
PATH = "/connectors/A-%3EB.MirrorSourceConnector"
JSON = {"Content-Type": "application/json", "Accept": "application/json"}
Config = dict[str, str]


def test_kafka_connect_py(client: RestClient, config: Config) -> None:
    """`kafka-connect-py` 1.0.0, every method."""
    connect = KafkaConnect(url=client.base)
    assert connect.get_cluster_info()["version"] == "4.3.1"
    assert connect.list_connectors() == []
    made = connect.create_connector({"name": NAME, "config": config})
    assert made["name"] == NAME
    connect.create_connector({"name": "other", "config": config})
    assert connect.list_connectors(pattern="A") == [NAME]
    assert connect.list_connectors(state="running") == [NAME, "other"]
    assert connect.list_connectors(expand="info")[NAME]["info"]["type"] == "source"
    assert connect.update_connector(NAME, config | {"topics": "u"})["config"]["topics"] == "u"
    assert connect.get_connector(NAME)["tasks"][1] == {"connector": NAME, "task": 1}
    assert connect.get_connector_config(NAME)["topics"] == "u"
    connect.pause_all_connectors(pattern="A")
    assert connect.get_connector_status(NAME)["connector"]["state"] == "PAUSED"
    connect.resume_all_connectors(state="paused")
    assert connect.get_connector_status(NAME)["connector"]["state"] == "RUNNING"
    assert connect.restart_connector(NAME) is None
    assert connect.restart_connector(NAME, include_tasks=True)["tasks"][0]["state"] == "RESTARTING"
    connect.restart_all_connectors(include_tasks=True, only_failed=True)
    assert [each["id"]["task"] for each in connect.list_connector_tasks(NAME)] == [0, 1]
    assert connect.get_connector_task_status(NAME, 0)["state"] == "RUNNING"
    connect.restart_connector_task(NAME, 0)
    assert connect.list_connector_topics(NAME) == {NAME: {"topics": []}}
    connect.reset_connector_topics(NAME)
    assert len(connect.list_connector_plugins()) == 3
    checked = connect.validate_connector_config("MirrorSourceConnector", config | {"name": "x"})
    assert checked["error_count"] == 0
    connect.stop_all_connectors()
    assert connect.get_connector_status(NAME)["tasks"] == []
    connect.delete_connector(NAME)
    with pytest.raises(HTTPError, match="404"):
        connect.get_connector(NAME)
    connect.delete_all_connectors()
    assert connect.list_connectors() == []


def test_posted_with_curl(client: RestClient) -> None:
    """The files that people post, as `curl -d @FILE` sends them; numbers are values there."""
    curl = client.with_headers(Accept="*/*", User_Agent="curl/8.5.0")
    for name in ("source", "checkpoint", "heartbeats"):
        text = (EXAMPLES / f"connect-{name}.json").read_text()
        made = curl.call("POST", "/connectors", text, {"Content-Type": "application/json"})
        assert made.status == 201, made.text
        sent = json.loads(text)["config"]
        for key, value in sent.items():
            assert made.json["config"][key] == str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    A request of a client.

    Args:
        method, path: As it sends them.
        status: What it expects.
        body: What it sends.
        fields: What it reads of the answer, by a path of keys.
        headers: What it says besides.
    """

    method: str
    path: str
    status: int = 200
    body: object = None
    fields: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=lambda: dict(JSON))


def has(body: Any, path: str) -> bool:
    """Tell whether an answer has what a client reads."""
    for key in path.split("/"):
        if isinstance(body, list):
            if not body:
                return False
            body = body[0]
        if not isinstance(body, dict) or key not in body:
            return False
        body = body[key]
    return True


BODY = {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector", "topics": "t"}
VALIDATE = "/connector-plugins/MirrorSourceConnector/config/validate"
CHECKED = (
    *("name", "error_count", "groups", "configs/definition/name", "configs/definition/type"),
    *("configs/definition/required", "configs/definition/default_value"),
    *("configs/definition/importance", "configs/definition/documentation"),
    *("configs/definition/group", "configs/definition/width", "configs/definition/display_name"),
    *("configs/definition/dependents", "configs/value/name", "configs/value/value"),
    *("configs/value/recommended_values", "configs/value/errors", "configs/value/visible"),
)
STATUS = ("name", "type", "connector/state", "connector/worker_id", "tasks/id", "tasks/state")
INFO = ("name", "type", "config/connector.class", "tasks/connector", "tasks/task")

KCCTL = (
    Step(method="GET", path="/", fields=("version", "commit", "kafka_cluster_id")),
    Step(method="GET", path="/connector-plugins", fields=("class", "type", "version")),
    Step(method="GET", path="/connectors"),
    Step(method="PUT", path=VALIDATE, body=BODY | {"name": NAME}, fields=CHECKED),
    Step(method="POST", path="/connectors", body={"name": NAME, "config": BODY}, status=201),
    Step(
        method="GET",
        path="/connectors?expand=info&expand=status",
        fields=(f"{NAME}/info/config", f"{NAME}/status/connector/state"),
    ),
    Step(method="GET", path=PATH, fields=INFO),
    Step(method="GET", path=f"{PATH}/status", fields=STATUS),
    Step(method="GET", path=f"{PATH}/topics", fields=(f"{NAME}/topics",)),
    Step(method="PUT", path=f"{PATH}/config", body=BODY | {"topics": "u"}, fields=INFO),
    Step(method="PUT", path=f"{PATH}/pause", status=202),
    Step(method="PUT", path=f"{PATH}/resume", status=202),
    Step(method="POST", path=f"{PATH}/restart", status=204),
    Step(method="POST", path=f"{PATH}/tasks/0/restart", status=204),
    Step(method="GET", path="/admin/loggers", fields=("root/level",)),
    Step(method="GET", path="/admin/loggers/root", fields=("level",)),
    Step(method="PUT", path="/admin/loggers/root", body={"level": "DEBUG"}),
    Step(method="PUT", path=f"{PATH}/stop", status=204),
    Step(method="GET", path=f"{PATH}/offsets", fields=("offsets",)),
    Step(method="DELETE", path=f"{PATH}/offsets", fields=("message",)),
    Step(method="DELETE", path=PATH, status=204),
)
# AKHQ's library for Connect sends empty bodies with `Content-Type: application/json`.
AKHQ = (
    Step(method="GET", path="/connector-plugins", fields=("class", "type", "version")),
    Step(method="PUT", path=VALIDATE, body=BODY | {"name": NAME}, fields=CHECKED),
    Step(
        method="POST",
        path="/connectors",
        body={"name": NAME, "config": BODY},
        status=201,
        fields=("name", "config", "tasks"),
    ),
    Step(
        method="GET",
        path="/connectors?expand=info&expand=status",
        fields=(f"{NAME}/info/tasks/task", f"{NAME}/status/tasks/worker_id"),
    ),
    Step(method="GET", path=f"{PATH}/tasks", fields=("id/connector", "id/task", "config")),
    Step(method="GET", path=f"{PATH}/tasks/0/status", fields=("id", "state", "worker_id")),
    Step(method="PUT", path=f"{PATH}/pause", body="", status=202),
    Step(method="PUT", path=f"{PATH}/resume", body="", status=202),
    Step(method="POST", path=f"{PATH}/restart", body="", status=204),
    Step(method="POST", path=f"{PATH}/tasks/0/restart", body="", status=204),
    Step(method="DELETE", path=PATH, status=204),
)
KAFBAT = (
    Step(method="GET", path="/", fields=("version", "commit", "kafka_cluster_id")),
    Step(method="GET", path="/connectors?expand=status&expand=info"),
    Step(method="GET", path="/connector-plugins", fields=("class",)),
    Step(method="PUT", path=VALIDATE, body=BODY | {"name": ""}, fields=CHECKED),
    Step(method="POST", path="/connectors", body={"name": NAME, "config": BODY}, status=201),
    Step(method="GET", path="/connectors", fields=()),
    Step(method="GET", path=PATH, fields=INFO),
    Step(method="GET", path=f"{PATH}/config", fields=("connector.class", "name")),
    Step(method="GET", path=f"{PATH}/status", fields=STATUS),
    Step(method="GET", path=f"{PATH}/tasks", fields=("id/connector", "id/task", "config")),
    Step(method="GET", path=f"{PATH}/tasks/0/status", fields=("id", "state", "worker_id")),
    Step(method="GET", path=f"{PATH}/topics", fields=(f"{NAME}/topics",)),
    Step(method="POST", path=f"{PATH}/restart?includeTasks=true&onlyFailed=false", status=202),
    Step(method="POST", path=f"{PATH}/restart?includeTasks=true&onlyFailed=true", status=202),
    Step(method="POST", path=f"{PATH}/restart?includeTasks=false&onlyFailed=false", status=204),
    Step(method="PUT", path=f"{PATH}/stop", status=204),
    Step(method="DELETE", path=f"{PATH}/offsets", fields=("message",)),
    Step(method="PUT", path=f"{PATH}/resume", status=202),
    Step(method="PUT", path=f"{PATH}/config", body=BODY, fields=INFO),
    Step(method="DELETE", path=PATH, status=204),
    Step(method="GET", path=PATH, status=404, fields=("error_code", "message")),
)
CONSOLE = (
    Step(method="GET", path="/", fields=("version",)),
    Step(method="GET", path="/connectors?expand=info&expand=status"),
    Step(method="GET", path="/connector-plugins", fields=("class",)),
    Step(method="PUT", path=VALIDATE, body=BODY | {"name": NAME}, fields=CHECKED),
    Step(method="PUT", path=f"{PATH}/config", body=BODY, status=201, fields=("name", "config")),
    Step(
        method="GET",
        path="/connectors?expand=info&expand=status",
        fields=(f"{NAME}/info/type", f"{NAME}/status/connector/worker_id"),
    ),
    Step(method="GET", path=f"{PATH}/topics", fields=(f"{NAME}/topics",)),
    Step(method="PUT", path=f"{PATH}/pause", status=202),
    Step(method="PUT", path=f"{PATH}/resume", status=202),
    Step(method="POST", path=f"{PATH}/restart?includeTasks=true&onlyFailed=true", status=202),
    Step(method="POST", path=f"{PATH}/tasks/0/restart", status=204),
    Step(method="PUT", path=f"{PATH}/stop", status=204),
    Step(method="GET", path=f"{PATH}/offsets", fields=("offsets",)),
    Step(method="DELETE", path=PATH, status=204),
)


@pytest.fixture(params=["everybody", "reached as connect.example"])
def reached(request: pytest.FixtureRequest, herder: MemoryHerder) -> Iterator[RestClient]:
    """Serve as the file says nothing, and under a name behind a proxy."""
    with serving(herder, replace(HERE, hosts=("connect.example",))) as client:
        is_named = request.param != "everybody"
        yield client.with_headers(Host="connect.example:8083") if is_named else client


@pytest.mark.parametrize(
    "steps",
    [KCCTL, AKHQ, KAFBAT, CONSOLE],
    ids=["kcctl", "AKHQ", "Kafbat UI", "Redpanda Console"],
)
def test_what_clients_ask(reached: RestClient, steps: tuple[Step, ...]) -> None:
    """In their order, with the headers that they send; they find what they read."""
    for step in steps:
        answer = reached.call(step.method, step.path, step.body, step.headers)
        assert answer.status == step.status, (step, answer.text)
        for path in step.fields:
            # Names have dots and slashes of their own.
            assert has(answer.json, path), (step, path, answer.text)

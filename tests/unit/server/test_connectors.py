"""`/connectors` over HTTP, as Connect answers it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kmirror.clock import SystemClock
from kmirror.connect.model import WorkerState
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import RestClient, serving
from tests.support.standing_worker import Standing, running

Config = dict[str, str]


def test_a_connector_is_made_read_changed_and_deleted(client: RestClient, config: Config) -> None:
    """The whole life of one."""
    assert client.get("/connectors").json == []
    made = client.post("/connectors", {"name": " c ", "config": config})
    assert made.status == 201
    assert made.headers["location"] == f"{client.base}/connectors/c"
    tasks = [{"connector": "c", "task": 0}, {"connector": "c", "task": 1}]
    info = {"name": "c", "config": {**config, "name": "c"}, "tasks": tasks, "type": "source"}
    assert made.json == info | {"tasks": []}
    assert client.get("/connectors").json == ["c"]
    assert client.get("/connectors/c").json == info
    assert client.get("/connectors/c/").json == info
    assert client.get("/connectors/c/config").json == info["config"]
    again = client.post("/connectors", {"name": "c", "config": config})
    assert (again.status, again.json) == (
        409,
        {"error_code": 409, "message": "Connector c already exists"},
    )
    put = client.put("/connectors/c/config", {**config, "topics": "u"})
    assert (put.status, put.json["config"]["topics"]) == (200, "u")
    assert "location" not in put.headers
    patched = client.patch("/connectors/c/config", {"topics": None, "tasks.max": 1})
    assert patched.status == 200
    assert "topics" not in patched.json["config"]
    assert patched.json["config"]["tasks.max"] == "1"
    deleted = client.delete("/connectors/c")
    assert (deleted.status, deleted.text) == (204, "")
    gone = client.get("/connectors/c")
    assert (gone.status, gone.json["message"]) == (404, "Connector c not found")


def test_put_makes_what_is_not_there(client: RestClient, config: Config) -> None:
    """With 201 and a place, as POST does."""
    made = client.put("/connectors/p/config", config)
    assert (made.status, made.headers["location"]) == (201, f"{client.base}/connectors/p")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("A->B.Mirror", "A-%3EB.Mirror"),
        ("a/b c", "a%2Fb%20c"),
        ("%41+b", "%2541+b"),
        ("üñ", "%C3%BC%C3%B1"),
        ("..", "%2E%2E"),
        ("a;b?c#d", "a;b%3Fc%23d"),
    ],
)
def test_names_are_escaped_in_paths(
    client: RestClient, config: Config, name: str, path: str
) -> None:
    """Any name can be asked for, also where `Location` says."""
    made = client.post("/connectors", {"name": name, "config": config})
    assert made.status == 201
    assert client.get(f"/connectors/{path}").json["name"] == name
    assert client.get(made.headers["location"].removeprefix(client.base)).json["name"] == name
    assert client.put(f"/connectors/{path}/pause").status == 202
    assert client.get(f"/connectors/{path}/status").json["connector"]["state"] == "PAUSED"


def test_settings_are_texts(client: RestClient, config: Config) -> None:
    """Numbers and booleans become what was written; nothing else is taken."""
    text = (
        f'{{"name": 5, "config": {{"connector.class": "{config["connector.class"]}", '
        '"a": 60, "b": true, "c": 1.50, "d": 1e3, "e": 12345678901234567890123}}'
    )
    made = client.call("POST", "/connectors", text)
    assert made.json["name"] == "5"
    found = made.json["config"]
    assert [found[key] for key in "abcde"] == [
        "60",
        "true",
        "1.50",
        "1e3",
        "12345678901234567890123",
    ]
    for value in (["x"], {"x": 1}):
        refused = client.put("/connectors/q/config", {**config, "x": value})
        assert refused.status == 400
        assert refused.json["message"].startswith("x: a text is expected")
    null = client.put("/connectors/q/config", {**config, "x": None})
    assert null.status == 400
    assert "Null value can not be supplied as the configuration value." in null.json["message"]


def test_bodies_that_are_none(client: RestClient, config: Config) -> None:
    """They are the caller's mistake, where Connect's own answer is often 500."""
    deep = f'{{"name": "d", "config": {"[" * 40}{"]" * 40}}}'
    for body in ('{"name":', "", "[]", '"x"', "5", "null", "nonsense", '{"a": NaN}', deep):
        for method, path in (
            ("POST", "/connectors"),
            ("PUT", "/connectors/c/config"),
            ("PATCH", "/connectors/c/offsets"),
            ("PUT", "/admin/loggers/x"),
        ):
            refused = client.call(method, path, body)
            assert (refused.status, refused.json["error_code"]) == (400, 400), (body, path)
    unknown = client.post("/connectors", {"name": "c", "config": config, "foo": 1})
    assert unknown.json["message"].startswith('Unrecognized field "foo" (class org.apache.kafka.')
    state = client.post("/connectors", {"name": "c", "config": config, "initial_state": "GONE"})
    assert state.json["message"] == "initial_state: expected one of RUNNING, PAUSED, STOPPED"
    for sent in ({"name": "c"}, {"name": "c", "config": None}):
        assert client.post("/connectors", sent).status == 400
    other = client.post("/connectors", {"name": "c", "config": {**config, "name": "d"}})
    assert other.json["message"] == (
        "Connector name configuration (d) doesn't match connector name in the URL (c)"
    )
    assert client.get("/connectors").json == []


def test_the_list_expands(client: RestClient, config: Config) -> None:
    """By repeated parameters; what is unknown is nothing."""
    client.post("/connectors", {"name": "c", "config": config, "initial_state": "stopped"})
    both = client.get("/connectors?expand=status&expand=info").json
    assert both == {
        "c": {
            "status": {
                "name": "c",
                "connector": {
                    "state": "STOPPED",
                    "worker_id": "127.0.0.1:8083",
                    "version": "4.3.1",
                },
                "tasks": [],
                "type": "source",
            },
            "info": client.get("/connectors/c").json,
        }
    }
    assert client.get("/connectors?expand=info").json == {"c": {"info": both["c"]["info"]}}
    for nothing in ("expand=bogus", "expand", "expand=", "expand=status,info"):
        assert client.get(f"/connectors?{nothing}").json == {"c": {}}, nothing


def test_what_a_failed_task_says(client: RestClient, herder: MemoryHerder, config: Config) -> None:
    """Its trace is in the status, and a secret in it is not."""
    secret = {"source.cluster.sasl.jaas.config": "S3CR3T-CANARY"}
    client.post("/connectors", {"name": "c", "config": config | secret})
    herder.fail_task("c", 1, "no login with S3CR3T-CANARY: mend it")
    status = client.get("/connectors/c/status").json
    assert "trace" not in status["tasks"][0]
    assert status["tasks"][1] == {
        "id": 1,
        "state": str(WorkerState.FAILED),
        "worker_id": "127.0.0.1:8083",
        "trace": "no login with [hidden]: mend it",
        "version": "4.3.1",
    }
    assert client.get("/connectors/c/tasks/1/status").json == status["tasks"][1]
    tasks = client.get("/connectors/c/tasks").json
    assert [each["id"]["task"] for each in tasks] == [0, 1]
    assert tasks[0]["config"]["task.index"] == "0"
    assert "S3CR3T" not in client.get("/connectors/c/tasks").text
    for number in ("2", "-1"):
        missing = client.get(f"/connectors/c/tasks/{number}/status")
        assert missing.json["message"] == f"No status found for task c-{number}"
    for number in ("x", "99999999999", "%201", "1.0"):
        assert client.get(f"/connectors/c/tasks/{number}/status").json == {
            "error_code": 404,
            "message": "HTTP 404 Not Found",
        }


def test_500_tasks_are_one_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With how long a worker took for it, the best of five: it should be below 200 ms."""
    worker, clock, took_ms = Standing(tmp_path), SystemClock(), []
    with running(worker.herder), serving(worker.herder) as client:
        for number in range(50):
            worker.create(f"c{number}", **{"source.cluster.alias": f"S{number}", "tasks.max": "10"})
        worker.wait(lambda: all(worker.state(f"c{number}") == "RUNNING" for number in range(50)))
        for _ in range(5):
            begun_s = clock.monotonic_s()
            found = client.get("/connectors?expand=status&expand=info").json
            took_ms.append((clock.monotonic_s() - begun_s) * 1000)
    assert sum(len(each["status"]["tasks"]) for each in found.values()) == 500
    assert sum(len(each["info"]["tasks"]) for each in found.values()) == 500
    with capsys.disabled():
        sys.stdout.write(f"\nthe list with 500 tasks: {min(took_ms):.0f} ms\n")

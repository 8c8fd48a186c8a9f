"""Connectors are told what to do: states, restarts, topics, offsets, loggers, plugins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.connect.model import Health
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient, serving

Config = dict[str, str]
NOTHING = "HTTP 404 Not Found"


@pytest.fixture
def made(client: RestClient, config: Config) -> RestClient:
    """Make a connector."""
    assert client.post("/connectors", {"name": "c", "config": config}).status == 201
    return client


@pytest.mark.parametrize(
    ("verb", "status", "state"),
    [("pause", 202, "PAUSED"), ("resume", 202, "RUNNING"), ("stop", 204, "STOPPED")],
)
def test_states(made: RestClient, verb: str, status: int, state: str) -> None:
    """Each twice: they are idempotent, and have no bodies."""
    for _ in range(2):
        answer = made.put(f"/connectors/c/{verb}")
        assert (answer.status, answer.text) == (status, "")
        assert made.get("/connectors/c/status").json["connector"]["state"] == state
    unknown = made.put(f"/connectors/nope/{verb}")
    assert (unknown.status, unknown.json["message"]) == (404, "Unknown connector nope")


@pytest.mark.parametrize(
    ("query", "status", "asked"),
    [
        ("", 204, "False False"),
        ("?includeTasks=false&onlyFailed=false", 204, "False False"),
        ("?includeTasks=garbage&onlyFailed=", 204, "False False"),
        ("?includeTasks=TRUE", 202, "True False"),
        ("?onlyFailed=true", 202, "False True"),
        ("?includeTasks=true&onlyFailed=true", 202, "True True"),
    ],
)
def test_restarts(
    made: RestClient, herder: MemoryHerder, query: str, status: int, asked: str
) -> None:
    """With a flag there is a status (KIP-745)."""
    answer = made.post(f"/connectors/c/restart{query}")
    assert answer.status == status
    assert herder.done[-1] == (f"restart {asked}", "anonymous")
    if status == 204:
        assert answer.text == ""
    else:
        state = "RUNNING" if "onlyFailed=true" in query else "RESTARTING"
        assert answer.json["connector"]["state"] == state
        assert answer.json["type"] == "source"


def test_tasks_restart(made: RestClient, herder: MemoryHerder) -> None:
    """One by one, and only those that there are."""
    herder.fail_task("c", 1, "gone")
    assert made.post("/connectors/c/tasks/1/restart").status == 204
    assert made.get("/connectors/c/tasks/1/status").json["state"] == "RUNNING"
    assert made.post("/connectors/c/tasks/7/restart").json["message"] == "Unknown task: c-7"
    missing = made.post("/connectors/nope/tasks/0/restart")
    assert missing.json["message"] == "Unknown connector: nope"
    assert made.post("/connectors/c/tasks/x/restart").json["message"] == NOTHING


def test_topics(made: RestClient, herder: MemoryHerder) -> None:
    """An unknown connector has none, as in Connect."""
    herder.write_topics("c", "A.t", "A.u")
    assert made.get("/connectors/c/topics").json == {"c": {"topics": ["A.t", "A.u"]}}
    assert made.get("/connectors/nope/topics").json == {"nope": {"topics": []}}
    assert made.put("/connectors/c/topics/reset").status == 202
    assert made.get("/connectors/c/topics").json == {"c": {"topics": []}}


def test_topics_that_are_not_tracked(herder: MemoryHerder) -> None:
    """The file may forbid it."""
    with serving(herder, replace(HERE, topic_tracking=False)) as client:
        refused = client.get("/connectors/c/topics")
        assert (refused.status, refused.json["message"]) == (403, "Topic tracking is disabled.")
    with serving(herder, replace(HERE, topic_tracking_reset=False)) as client:
        assert client.get("/connectors/c/topics").status == 200
        refused = client.put("/connectors/c/topics/reset")
        assert refused.json["message"] == "Topic tracking reset is disabled."


def test_offsets(made: RestClient) -> None:
    """Of a stopped connector they are moved and forgotten (KIP-875)."""
    path = "/connectors/c/offsets"
    partition = {"cluster": "A", "topic": "t", "partition": 0}
    sent = {"offsets": [{"partition": partition, "offset": {"offset": 7}}]}
    running = made.patch(path, sent)
    assert running.status == 400
    assert running.json["message"].startswith("Connectors must be in the STOPPED state before")
    made.put("/connectors/c/stop")
    altered = "The offsets for this connector have been altered successfully"
    assert made.patch(path, sent).json == {"message": altered}
    assert made.get(path).json == sent
    forget = {"offsets": [{"partition": partition, "offset": None}]}
    assert made.patch(path, forget).json == {"message": altered}
    assert made.get(path).json == {"offsets": []}
    reset = "The offsets for this connector have been reset successfully"
    assert made.delete(path).json == {"message": reset}
    needed = "Partitions / offsets need to be provided for an alter offsets request"
    for empty in ({"offsets": []}, {"offsets": None}, {}):
        assert made.patch(path, empty).json["message"] == needed
    for wrong in ([5], [None], "x", [{"partition": None, "offset": {}}], [{"partition": 1}]):
        assert made.patch(path, {"offsets": wrong}).status == 400, wrong
    unknown = made.patch(path, {"offsets": [{"partition": {}, "offset": {}, "q": 1}]})
    assert '(2 known properties: "partition", "offset")' in unknown.json["message"]


def test_the_worker(client: RestClient, herder: MemoryHerder) -> None:
    """What it is, and whether it is well."""
    assert client.get("/").json.keys() == {"version", "commit", "kafka_cluster_id"}
    assert client.get("/health").json["status"] == "healthy"
    for status, code in (("starting", 503), ("unhealthy", 500)):
        herder.health_now = Health(status=status, message="Worker is …")
        health = client.get("/health")
        assert (health.status, health.json) == (code, {"status": status, "message": "Worker is …"})


def test_plugins(client: RestClient, config: Config) -> None:
    """Those that settings may name, their settings, and a check of some."""
    assert len(client.get("/connector-plugins").json) == 3
    assert len(client.get("/connector-plugins?connectorsOnly=").json) == 3
    assert len(client.get("/connector-plugins?connectorsOnly=false").json) == 4
    defined = client.get("/connector-plugins/MirrorSource/config").json
    names = "name type required default_value importance documentation group order_in_group width"
    assert " ".join(defined[0]) == f"{names} display_name dependents"
    unknown = client.get("/connector-plugins/Nope/config")
    assert (unknown.status, unknown.json["message"]) == (404, "Unknown plugin Nope.")
    path = "/connector-plugins/MirrorSourceConnector/config/validate"
    canary = {"source.cluster.ssl.key.password": "S3CR3T-CANARY", "tasks.max": "S3CR3T-CANARY"}
    checked = client.put(path, config | canary)
    assert checked.status == 200
    assert checked.json["error_count"] == 2
    assert "S3CR3T" not in checked.json["configs"][-1]["value"]["value"]
    assert "S3CR3T" not in str(checked.json["configs"][1]["value"]["errors"])
    other = client.put(path, {"connector.class": "MirrorCheckpointConnector"})
    assert other.json["message"] == (
        "Included connector type MirrorCheckpointConnector does not match request type "
        "MirrorSourceConnector"
    )
    assert client.put(path, {"a": "S3CR3T"}).json["message"] == (
        "Connector config {a} contains no connector type"
    )


def test_loggers(client: RestClient, herder: MemoryHerder) -> None:
    """Levels are Log4j's, in any case; a scope that nobody knows is this worker."""
    path = "/admin/loggers"
    assert client.get(path).json == {"root": {"level": "INFO", "last_modified": None}}
    unknown = client.get(f"{path}/nope")
    assert (unknown.status, unknown.json["message"]) == (404, "Logger nope not found.")
    for scope in ("", "?scope=worker", "?scope=bogus"):
        assert client.put(f"{path}/a.b{scope}", {"level": "warn"}).json == ["a.b"]
        assert herder.done[-1] == ("set_logger a.b WARN False", "anonymous")
    cluster = client.put(f"{path}/a.b?scope=CLUSTER", {"level": "DEBUG"})
    assert (cluster.status, cluster.text) == (204, "")
    assert client.get(f"{path}/a.b").json == {"level": "DEBUG", "last_modified": 1}
    wrong = client.put(f"{path}/a.b", {"level": "BOGUS"})
    assert (wrong.status, wrong.json["message"]) == (404, "invalid log level 'BOGUS'.")
    for missing in ({}, {"level": None}):
        refused = client.put(f"{path}/a.b", missing)
        assert (refused.status, refused.json["message"]) == (
            400,
            "Desired 'level' parameter was not specified in request.",
        )

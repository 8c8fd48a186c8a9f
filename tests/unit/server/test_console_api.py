"""The console's REST API, of flows that never ran."""

from __future__ import annotations

import copy
import json
import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from kmirror_lab.process.waiting import wait_until
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from kmirror.api.audits import Audited
from kmirror.api.client import ApiClient
from kmirror.api.flows import Origin
from kmirror.api.orders import SeekRequest
from kmirror.console.console import Console
from kmirror.errors import ApiRefused
from kmirror.server.api.endpoints import DOCUMENT_PATH, api_document, api_endpoints
from kmirror.server.api.live import STREAMS_MAX
from kmirror.server.users import token_digest
from kmirror.state.observed import ObservedFlow
from tests.support.console_server import AB, serving_console
from tests.support.fake_flow import unused
from tests.support.rest_server import RestClient

CHECKS = [
    *(status_code_conformance, content_type_conformance),
    *(response_schema_conformance, unsupported_method),
]
DOCUMENT = api_document(api_endpoints(unused(Console))[:-1])
_few = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
# What asks the clusters, which are not there.
_ASKS = (
    "live|groups|audit|offsets|plan|logical|pause|park|resume|seek|skip|reload|apply|explanation|"
    "records|move|left-out|letters|settings"
)
KNOWN = {"flow": ["A->B", "B->A"], "topic": ["topic-0000"], "partition": [0, 1, 99]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestClient]:
    """Serve a console."""
    with serving_console(tmp_path_factory.mktemp("console")) as client:
        yield client


@pytest.fixture(scope="module")
def api(served: RestClient) -> ApiClient:
    """Give a client of it."""
    return ApiClient(served.base)


def _known() -> dict[str, Any]:
    """Return the document of a console whose things have these names, and no others."""
    document: dict[str, Any] = copy.deepcopy(DOCUMENT)
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation["parameters"]:
                if parameter["in"] == "path":
                    parameter["schema"] = {"enum": KNOWN.get(parameter["name"], ["A"])}
    return document


any_schema = schemathesis.openapi.from_dict(DOCUMENT)
known_schema = schemathesis.openapi.from_dict(_known())
for each in (any_schema, known_schema):
    each.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@any_schema.exclude(path_regex="live|config/reload").parametrize()
@_few
def test_no_answer_is_outside_of_the_document(case: Case[Any], served: RestClient) -> None:
    """Whatever is asked: what comes back has the shape that the document says, and no 500."""
    case.call_and_validate(base_url=served.base, checks=[*CHECKS, not_a_server_error])


@known_schema.exclude(path_regex=_ASKS).parametrize()
@_few
def test_nor_one_about_what_is_there(case: Case[Any], served: RestClient) -> None:
    """The same for flows, topics and partitions that exist."""
    case.call_and_validate(base_url=served.base, checks=[*CHECKS, not_a_server_error])


def test_flows(tmp_path: Path) -> None:
    """The first glance: which flow is ill, since when, and what it says."""
    with serving_console(tmp_path) as client:
        api = ApiClient(client.base)
        wait_until(lambda: api.flow("B->A").verdict_since_ms, "seen", timeout_s=20)
        good, ill = api.flows()
        assert api.flow("B->A").name == "B->A"
    assert (good.name, good.origin, good.state) == ("A->B", Origin.DRIVER, "running")
    assert (good.verdict, good.audited) == ("IN_SYNC", Audited.DIFFERENT)
    assert good.lag.records == 6 * 120
    assert good.worst is not None
    assert good.worst.lag_records == 120
    assert good.driver == "driver-host:7"
    assert [each.slot for each in good.slots] == [0, 1]
    assert sum(
        (good.slots[0].source_share, good.slots[0].convert_share, good.slots[0].target_share)
    ) == pytest.approx(1)
    assert (ill.verdict, ill.verdict_words) == ("BROKEN", "cluster B (b:9092): no answer")
    assert ill.parked == 1


def test_topics_and_partitions(api: ApiClient) -> None:
    """The worst first, and as few as were asked for."""
    topics = api.topics("A->B").topics
    assert [each.topic for each in topics] == ["topic-0000", "topic-0001"]
    assert topics[0].copy == "A.topic-0000"
    assert topics[0].whole_share == pytest.approx(0.5)
    found = api.partitions("A->B")
    assert found.total == 6
    assert {each.state for each in found.partitions} == {"mirroring"}
    assert found.partitions[0].target_end == 1100
    few = api.partitions("A->B", topic="topic-0001", offset=1, limit=1)
    assert (few.total, [each.partition for each in few.partitions]) == (3, [1])
    ill = api.partitions("B->A").partitions
    assert [each.state for each in ill] == ["parked", "stopped"]
    assert "not authorized" in ill[0].reason
    assert api.partitions("B->A", state="parked").total == 1
    assert api.partitions("A->B", text="TOPIC-0001-2").total == 1


def test_lags_as_confluent_cloud_shapes_them(api: ApiClient, served: RestClient) -> None:
    """The same names of fields, so that tools for it read ours."""
    summary = api.lag_summary("A->B")
    assert (summary.max_lag, summary.total_lag) == (120, 720)
    assert (summary.max_lag_topic_name, summary.max_lag_partition_id) == ("topic-0000", 0)
    assert summary.consumer_group_id == "__kmirror-A-B"
    path = "/api/v1/flows/A-%3EB/lags/topic-0001/partitions/2"
    one = served.get(path).json
    assert one["log_end_offset"] - one["current_offset"] == one["lag"] == 120
    assert len(api.lags("A->B")) == 6
    assert served.get(path.replace("/2", "/77")).status == 404


def test_a_lag_that_nobody_knows_is_not_zero(tmp_path: Path) -> None:
    """Of a flow that begins, Confluent's shape has no field for it: so there is no answer."""
    with serving_console(tmp_path, [ObservedFlow.of(AB, slots=1)]) as client:
        assert ApiClient(client.base).flow("A->B").lag.records is None
        reply = client.get("/api/v1/flows/A-%3EB/lag-summary")
    assert reply.status == 404
    assert reply.json["message"] == "the lag of A->B is not known yet"


def test_events(tmp_path: Path) -> None:
    """What has happened since the console is there, the newest first."""
    with serving_console(tmp_path) as client:
        api = ApiClient(client.base)
        found = api.events()
        assert api.events(after=found.events[0].number).events == ()
        assert api.events(flow="none").events == ()
    assert found.since_ms is not None
    listening = next(each for each in found.events if each.name == "console.listening")
    assert listening.level == "INFO"
    assert listening.meaning


def test_what_is_not_there(api: ApiClient) -> None:
    with pytest.raises(ApiRefused, match="there is no flow X->Y; there are: A->B, B->A") as refused:
        api.flow("X->Y")
    assert refused.value.status == 404


def test_clusters_that_do_not_answer(api: ApiClient) -> None:
    """That is said, and no empty list."""
    with pytest.raises(ApiRefused, match="cluster B") as refused:
        api.groups("A->B")
    assert refused.value.status == 503
    with pytest.raises(ApiRefused) as refused:
        api.plan("A->B")
    assert refused.value.status == 503


def test_roles(tmp_path: Path) -> None:
    """A viewer's order is refused where it becomes one, and so is an operator's seek."""
    users, secret = tmp_path / "users", "Oa7vX0hWm3Jq9cT5rLz1yBd8"
    users.write_text(f"ops:operator:{token_digest(secret)}\n", encoding="utf-8")
    users.chmod(0o600)
    seek = SeekRequest(reason="x", flow="A->B", topic="topic-0000", partition=0, to="latest")
    with serving_console(tmp_path, role="viewer", users=users) as client:
        viewer, operator = ApiClient(client.base), ApiClient(client.base, token=secret)
        assert viewer.server().role == "viewer"
        # Where files lie on the machine is nobody's business who may only look.
        assert viewer.server().file == "mm2.properties"
        assert operator.server().role == "operator"
        with pytest.raises(ApiRefused, match="needs the role operator") as refused:
            viewer.pause("A->B", reason="x")
        assert refused.value.status == 403
        with pytest.raises(ApiRefused, match="needs the role admin"):
            operator.seek(seek)
        with pytest.raises(ApiRefused) as refused:
            operator.pause("A->B", reason="x")
        assert refused.value.status == 503
    with serving_console(tmp_path, role="none", users=users) as client:
        assert client.get("/api/v1/flows").status == 401
        assert client.get("/").status == 401


@pytest.mark.parametrize(
    ("verb", "body", "words"),
    [
        ("pause", {"reason": " "}, "say why"),
        ("pause", {"reason": "x", "partition": 1}, "a partition is of a topic"),
        ("resume", {"reason": "x", "for_s": 5}, "a resume has no end"),
        ("seek", {"reason": "x", "flow": "B->A", "topic": "t", "to": "1"}, "name is A->B"),
        ("seek", {"reason": "x", "flow": "A->B", "topic": "t"}, "say where to go on"),
        ("skip", {"reason": "x", "flow": "A->B", "topic": "t"}, "a skip is of one partition"),
        ("apply", {"reason": "x", "flow": "B->A"}, "name is A->B"),
        ("apply", {"reason": " ", "flow": "A->B"}, "say why"),
        ("pause", {}, "reason: is missing"),
        ("pause", {"reason": "x", "until": 1}, "until: there is no such field"),
    ],
)
def test_orders_that_cannot_be(
    served: RestClient, verb: str, body: dict[str, Any], words: str
) -> None:
    reply = served.post(f"/api/v1/flows/A-%3EB/{verb}", body)
    assert reply.status == 400
    assert words in reply.json["message"]


def test_pages_of_others_may_not_order(served: RestClient) -> None:
    """Neither over a page of another origin, nor under another name."""
    path, body = "/api/v1/flows/A-%3EB/pause", {"reason": "x"}
    foreign = served.with_headers(Origin="https://evil.example")
    assert foreign.post(path, body).status == 403
    assert served.with_headers(Host="evil.example").get("/").status == 421
    text = {"Content-Type": "text/plain"}
    assert served.call("POST", path, '{"reason": "x"}', text).status == 415


def test_the_stream(served: RestClient, api: ApiClient) -> None:
    """It begins with all flows; more comes when something has changed."""
    with urllib.request.urlopen(f"{served.base}/api/v1/live", timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        lines = [answer.readline().decode() for _ in range(7)]
    assert lines[2] == "event: flows\n"
    assert [each["name"] for each in json.loads(lines[3][6:])["flows"]] == ["A->B", "B->A"]
    assert lines[5] == "event: events\n"
    with urllib.request.urlopen(f"{served.base}/api/v1/live?figures=false", timeout=10) as answer:
        lines = [answer.readline().decode() for _ in range(4)]
    assert lines[2:] == ["event: flows\n", "data: {}\n"]
    # Other news is on the stream as well: who follows is given flows, and goes on.
    followed = api.follow()
    assert [next(followed).flows[0].name for _ in range(2)] == ["A->B"] * 2
    followed.close()


def test_who_follows_keeps_nobody_out(tmp_path: Path) -> None:
    """However many follow, pages are answered; and whoever goes makes room."""
    path = "/api/v1/live?figures=false"
    with serving_console(tmp_path) as client, ExitStack() as opened:
        followed = [
            opened.enter_context(urllib.request.urlopen(client.base + path, timeout=30))
            for _ in range(STREAMS_MAX)
        ]
        for each in followed:
            assert each.readline().startswith(b"retry")
        assert client.get(path).status == 503
        assert client.get("/").status == 200
        followed[0].close()
        wait_until(
            lambda: client.call("HEAD", path).status == 200, "room", timeout_s=60, pause_s=0.2
        )


def test_an_answer_that_is_not_whole() -> None:
    """A console that ends while it answers is one that does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as listens:
        api = ApiClient(f"http://127.0.0.1:{listens.getsockname()[1]}", timeout_s=10)

        def answer() -> None:
            caller, _ = listens.accept()
            with caller:
                caller.recv(65_536)
                caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(OSError, match="not whole"):
            api.flows()
        thread.join(timeout=10)


def test_the_document_is_all_that_can_be_called(served: RestClient) -> None:
    document = served.get(DOCUMENT_PATH).json
    assert document == DOCUMENT
    assert document["info"]["title"] == "kmirror's REST API"
    paths = {**document["paths"]}
    assert "get" in paths.pop("/api/v1/live")
    assert served.call("HEAD", "/api/v1/live").status == 200
    for path, methods in paths.items():
        here = path.replace("{partition}", "0").replace("{", "").replace("}", "")
        allowed = {*served.call("OPTIONS", here).headers["allow"].lower().split(", ")}
        assert allowed - {"head", "options"} == {*methods}

"""The console of a Connect worker: flows come from connectors, and other workers have some."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.api.client import ApiClient
from kmirror.api.config import FileState, SettingView
from kmirror.connect.model import TargetState
from kmirror.connect.standalone import StandaloneHerder
from kmirror.errors import ApiRefused
from kmirror.model import Flow
from tests.support.connect_files import CHECKPOINT, HEARTBEAT, connector
from tests.support.console_server import serving_workers_console
from tests.support.rest_server import RestClient
from tests.support.standing_worker import ADMIN, Standing
from tests.support.synthetic_flow import running_flow

AB = "A->B"
JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required password=geheim;"
ADMINS = "kmirror.console = 127.0.0.1:0\nkmirror.console.anonymous.role = admin\n"


class OneOfTwo(StandaloneHerder):
    """A worker beside another one, which has what goes to C."""

    def owner(self, flow: Flow) -> str:
        return "other:8083" if flow.target == "C" else ""


@contextmanager
def served(folder: Path, more: str = ADMINS) -> Iterator[tuple[Standing, RestClient]]:
    """Give a worker that runs A->B, and a client of its console."""
    standing = Standing(folder, OneOfTwo, more)
    now_ms = time.time_ns() // 1_000_000
    flows = (running_flow(Flow("A", "B"), topics=2, partitions=3, now_ms=now_ms),)
    with serving_workers_console(standing.config, standing.herder, flows) as client:
        yield standing, client


def settings_of(api: ApiClient, flow: str = AB) -> dict[str, SettingView]:
    """Give the settings of a flow by name; of those that clients have, the last."""
    return {each.name: each for each in api.settings(flow).settings}


def test_flows_are_those_of_connectors(tmp_path: Path) -> None:
    """They come while the console is open; what another worker runs is named with that."""
    with served(tmp_path) as (standing, client):
        api = ApiClient(client.base)
        page = client.get("/").text
        assert api.flows() == ()
        assert "POST /connectors" in page
        assert "served by a worker of Kafka Connect" in page
        standing.create("ours")
        standing.create("theirs", target__cluster__alias="C")
        assert api.server().has_driver
        wait_until(lambda: [each.name for each in api.flows()] == [AB], "seen", timeout_s=20)
        assert {each.topic for each in api.topics(AB).topics}
        page = client.get("/").text
        assert "Not driven here, or not yet: A-&gt;C (worker other:8083 has it)." in page
        with pytest.raises(ApiRefused, match="A->C is not driven here: worker other:8083 has it"):
            api.flow("A->C")
        assert api.settings("A->C").settings, "what it shall do is known here, too"
        assert [each.alias for each in api.clusters().clusters] == ["A", "B", "C"]


def test_a_flow_that_is_stopped(tmp_path: Path) -> None:
    """It is there, with the request that starts it; nothing is known of what it copied."""
    with served(tmp_path) as (standing, client):
        api = ApiClient(client.base)
        standing.create("ours")
        standing.create("a b", TargetState.STOPPED, target__cluster__alias="D")
        wait_until(lambda: len(api.flows()) == 2, "seen", timeout_s=20)
        stopped = api.flow("A->D")
        assert (stopped.verdict, stopped.state, stopped.lag.records) == ("STOPPED", "stopped", None)
        assert "PUT /connectors/a%20b/resume" in stopped.words
        assert (api.topics("A->D").topics, api.partitions("A->D").partitions) == ((), ())
        with pytest.raises(ApiRefused, match="connector a b is STOPPED"):
            api.plan("A->D")
        page = client.get("/").text
        assert "1 of 2 flows is stopped" in page
        assert "PUT /connectors/a%20b/resume" in client.get("/flows/A-%3ED").text
        assert "is STOPPED" in client.get("/flows/A-%3ED/plots").text
        standing.herder.set_state("a b", TargetState.RUNNING, ADMIN)
        wait_until(lambda: [each.name for each in api.flows()] == [AB], "gone", timeout_s=20)
        # Whose groups alone are not followed, it copies.
        standing.herder.create("g", connector(CHECKPOINT), TargetState.STOPPED, ADMIN)
        assert [each.verdict for each in api.flows()] == ["IN_SYNC"]


def test_a_setting_has_its_connector(tmp_path: Path) -> None:
    """Or the worker's line; secrets are hidden, and what does not count is told."""
    with served(tmp_path, f"{ADMINS}kmirror.slots = 3\nproducer.linger.ms = 7\n") as (
        standing,
        client,
    ):
        api = ApiClient(client.base)
        standing.create(
            "src/1",
            topics="a, <img src=x>",
            groups="ignored",
            source__cluster__sasl__jaas__config=JAAS,
        )
        found = settings_of(api)
        topics = found["topics"]
        assert topics.line is not None
        assert (topics.set_by, topics.line.where, topics.line.key) == (
            "connector",
            "connector src/1",
            "topics",
        )
        slots = found["kmirror.slots"]
        assert slots.line is not None
        assert (slots.set_by, slots.value) == ("worker", "3")
        assert slots.line.where.startswith("worker.properties:")
        assert [each.value for each in found["groups"].lost] == ["ignored"]
        for name, kind in (
            ("emit.checkpoints.enabled", "MirrorCheckpointConnector"),
            ("emit.heartbeats.enabled", "MirrorHeartbeatConnector"),
        ):
            assert (found[name].value, found[name].line) == ("false", None)
            assert kind in found[name].why
        servers = [e for e in api.settings(AB).settings if e.name == "bootstrap.servers"]
        keys = {each.line.key for each in servers if each.line is not None}
        assert keys >= {"source.cluster.bootstrap.servers", "target.cluster.bootstrap.servers"}
        linger = found["linger.ms"]
        assert linger.line is not None
        assert (linger.value, linger.line.key) == ("7", "producer.linger.ms")
        texts = [client.get(path).text for path in ("/config?show=all", "/api/v1/config")]
        texts.append(client.get("/api/v1/flows/A-%3EB/config").text)
    assert "&lt;img src=x&gt;" in texts[0]
    for text in texts:
        assert "geheim" not in text
        assert str(tmp_path) not in text


def test_three_connectors_say_what_a_flow_is(tmp_path: Path) -> None:
    with served(tmp_path) as (standing, client):
        standing.create("source", topics="a")
        for name, config in (
            ("groups", connector(CHECKPOINT, groups="billing", topics="b")),
            ("beats", connector(HEARTBEAT, emit__heartbeats__interval__seconds="9")),
        ):
            standing.herder.create(name, config, TargetState.RUNNING, ADMIN)
        found = settings_of(ApiClient(client.base))
    beats, groups = found["emit.heartbeats.interval.seconds"], found["groups"]
    assert beats.line is not None
    assert groups.line is not None
    assert (beats.value, beats.line.where) == ("9", "connector beats")
    assert (groups.value, groups.line.where) == ("billing", "connector groups")
    assert [(each.where, each.value) for each in found["topics"].lost] == [
        ("connector groups", "b")
    ]
    assert found["emit.checkpoints.enabled"].value == "true"


def test_what_is_wrong_or_doubtful_is_told(tmp_path: Path) -> None:
    """A connector that is refused, and two clusters of one name."""
    with served(tmp_path) as (standing, client):
        standing.create("a-b")
        standing.create(
            "a-c",
            target__cluster__alias="C",
            source__cluster__bootstrap__servers="another:9092",
            target__cluster__bootstrap__servers="c:9092",
        )
        findings = ApiClient(client.base).file().findings
    twice = next(each for each in findings if "calls" in each.words)
    assert (twice.where, twice.is_wrong) == ("connector a-c", False)
    assert (twice.key, twice.value) == ("source.cluster.bootstrap.servers", "another:9092")
    assert "another connector calls a:9092 A, too" in twice.words


def test_the_workers_file_on_disk(tmp_path: Path) -> None:
    """It counts from the next start on; names are told, and no values."""
    with served(tmp_path) as (standing, client):
        api, path = ApiClient(client.base), standing.config.path
        asks = client.with_headers(X_Kmirror_Part="1")
        assert api.file_changes().state is FileState.SAME
        assert "a restart would change nothing" in asks.get("/config?disk=true").text
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}ssl.key.password = geheim\n", encoding="utf-8")
        found, page = api.file_changes(), asks.get("/config?disk=true").text
        assert found.refused == (
            "the worker reads its file once: ssl.key.password counts at its next start",
        )
        path.write_text(f"{text}kmirror.connect.slots = many\n", encoding="utf-8")
        wrong = api.file_changes()
        assert "The worker could not start with it" in asks.get("/config?disk=true").text
    assert "It differs from the worker&#39;s file" in page
    assert "geheim" not in page
    assert (wrong.state, wrong.findings[0].key) == (FileState.REFUSED, "kmirror.connect.slots")


def test_a_reload_is_connects(tmp_path: Path) -> None:
    """The role comes first; an admin is told what to call instead."""
    with served(tmp_path) as (standing, client):
        standing.create("c")
        with pytest.raises(ApiRefused, match=r"PUT /connectors/NAME/config of Connect"):
            ApiClient(client.base).reload("a new topic")
        page = client.get("/config?flow=A-%3EB").text
        assert 'data-act="reload"' not in page
        assert 'data-act="apply"' in page
        assert "PUT /connectors/NAME/config" in page
    with served(tmp_path, "kmirror.console = 127.0.0.1:0\n") as (standing, client):
        standing.create("c")
        api = ApiClient(client.base)
        orders: tuple[Callable[[], object], ...] = (
            lambda: api.reload("x"),
            lambda: api.pause(AB, reason="x"),
            lambda: api.apply(AB, "x"),
        )
        for order in orders:
            with pytest.raises(ApiRefused, match="needs the role") as refused:
                order()
            assert refused.value.status == 403

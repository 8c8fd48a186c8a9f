"""`kmirror connect`: MirrorMaker 2's connectors, posted and watched over REST."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.cluster.connect_worker import connect_settings, connect_worker
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.ports import free_ports
from kmirror_lab.process.waiting import wait_until

from kmirror.api.client import ApiClient
from kmirror.clock import SystemClock
from kmirror.errors import ApiRefused
from kmirror.model import TopicPartition
from tests.support.connect_cluster import ConnectCluster
from tests.support.connect_process import (
    ConnectWorker,
    example,
    example_worker,
    source_body,
    start_worker,
)
from tests.support.groups import commit, committed
from tests.support.records import numbered, read, topics_of, write
from tests.support.standstill import Standstill

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_log = logging.getLogger(__name__)
_SOURCE, _GROUPS, _BEATS = "public-test", "public-test-checkpoint", "public-test-heartbeats"
_TOPIC, _COPY = "mirror-test-1", "A_mirror-test-1"
_END_S_MAX = 10.0
_CONSOLE = ("kmirror.console = 127.0.0.1:0", "kmirror.console.anonymous.role = admin")


class Started:
    """Workers that live at most as long as the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running = ExitStack()
        self._count = 0

    def start(self, lines: list[str], *arguments: str | Path) -> ConnectWorker:
        """Start one."""
        self._count += 1
        worker = start_worker(self._folder / f"worker-{self._count}", lines, *arguments)
        self._running.callback(worker.driver.kill)
        return worker

    def close(self) -> None:
        """Kill those that still run."""
        self._running.close()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Give what starts workers."""
    found = Started(tmp_path)
    try:
        yield found
    finally:
        found.close()


def holds(cluster: Cluster, topic: str, count: int) -> bool:
    """Tell whether a topic is there with so many records."""
    return topic in topics_of(cluster) and len(read(cluster, topic)) == count


def test_the_examples_work_as_they_are_posted(own_pair: ClusterPair, started: Started) -> None:
    """Records arrive; they are paused, stopped, moved; a restart of the process finds all again."""
    a, b = own_pair
    a.create_topic(_TOPIC)
    write(a, _TOPIC, numbered("r", range(10)))
    worker = started.start(example_worker(b, *_CONSOLE))
    worker.wait_until_ready()
    assert worker.get("/")["kafka_cluster_id"]
    for name in ("source", "checkpoint", "heartbeats"):
        body = example(f"connect-{name}.json", {"A": a, "B": b})
        answer = worker.call("POST", "/connectors", body)
        assert answer.status_code == 201, answer.text
        assert answer.headers["Location"].endswith(answer.json()["name"])
    again = worker.call("POST", "/connectors", example("connect-source.json", {"A": a, "B": b}))
    assert (again.status_code, again.json()["message"]) == (
        409,
        f"Connector {_SOURCE} already exists",
    )
    assert set(worker.get("/connectors")) == {_SOURCE, _GROUPS, _BEATS}
    worker.wait(lambda: holds(b, _COPY, 10), "ten records")
    for name in (_SOURCE, _GROUPS, _BEATS):
        worker.wait_for_states(name, "RUNNING", "RUNNING")
    assert read(b, "heartbeats")
    listed = worker.get("/connectors?expand=status&expand=info")
    assert listed[_SOURCE]["status"]["connector"]["worker_id"] == worker.id
    assert listed[_SOURCE]["info"]["type"] == "source"
    worker.wait(lambda: worker.get(f"/connectors/{_SOURCE}/topics")[_SOURCE]["topics"], "topics")

    _order_on_the_console(worker)
    _pause_and_resume(worker, own_pair)
    _stop_and_move(worker, own_pair)
    _restart_the_process(worker, own_pair, started)


def console_of(worker: ConnectWorker) -> ApiClient:
    """Give a client of a worker's console."""
    return ApiClient(worker.driver.wait_for_address("the console is at"))


def _order_on_the_console(worker: ConnectWorker) -> None:
    """See what the connectors do; an order is obeyed, but for what is Connect's."""
    api = console_of(worker)
    (flow,) = api.flows()
    worker.wait(lambda: api.flow(flow.name).lag.records == 0, "the console says so")
    (partition,) = api.partitions(flow.name).partitions
    assert (partition.topic, partition.position) == (_TOPIC, 10)
    topics = next(each for each in api.settings(flow.name).settings if each.name == "topics")
    assert topics.line is not None
    assert (topics.set_by, topics.line.where) == ("connector", f"connector {_SOURCE}")
    assert api.explain(flow.name, _TOPIC).verdict == "mirrored"
    assert api.pause(flow.name, reason="a test").is_in_effect
    worker.wait_for_states(_SOURCE, "RUNNING", "PAUSED")
    worker.do("PUT", f"/connectors/{_SOURCE}/pause", 202)
    worker.wait_for_states(_SOURCE, "PAUSED", "PAUSED")
    resumed = api.resume(flow.name, reason="a test")
    assert not resumed.is_in_effect
    assert f"it stays paused by connector {_SOURCE}" in resumed.words
    worker.do("PUT", f"/connectors/{_SOURCE}/resume", 202)
    worker.wait_for_states(_SOURCE, "RUNNING", "RUNNING")


def _pause_and_resume(worker: ConnectWorker, pair: ClusterPair) -> None:
    """Nothing is copied meanwhile, and nothing is lost."""
    a, b = pair
    worker.do("PUT", f"/connectors/{_SOURCE}/pause", 202)
    worker.wait_for_states(_SOURCE, "PAUSED", "PAUSED")
    write(a, _TOPIC, numbered("r", range(10, 12)))
    assert worker.states(_GROUPS) == ["RUNNING", "RUNNING"]
    assert holds(b, _COPY, 10)
    worker.do("PUT", f"/connectors/{_SOURCE}/resume", 202)
    worker.wait(lambda: holds(b, _COPY, 12), "what was written meanwhile")
    worker.wait_for_states(_SOURCE, "RUNNING", "RUNNING")
    status = worker.do(
        "POST", f"/connectors/{_SOURCE}/restart?includeTasks=true&onlyFailed=false", 202
    )
    assert status["tasks"][0]["state"] == "RESTARTING"
    worker.wait_for_states(_SOURCE, "RUNNING", "RUNNING")
    logger = "org.apache.kafka.clients"
    found = worker.do("PUT", f"/admin/loggers/{logger}", 200, {"level": "ERROR"})
    assert found == [logger], "one of the JVM's"


def _stop_and_move(worker: ConnectWorker, pair: ClusterPair) -> None:
    """Offsets are those of the last record; what they are set to is where it goes on."""
    _, b = pair
    offsets = f"/connectors/{_SOURCE}/offsets"
    refused = worker.do("DELETE", offsets, 400)
    assert refused["message"].startswith("Connectors must be in the STOPPED state")
    worker.do("PUT", f"/connectors/{_SOURCE}/stop", 204)
    assert worker.states(_SOURCE) == ["STOPPED"]
    worker.wait_for_states(_GROUPS, "UNASSIGNED", "UNASSIGNED")
    worker.wait(lambda: _shown(worker) == ["STOPPED"], "the console shows it")
    partition = {"cluster": "A", "partition": 0, "topic": _TOPIC}
    worker.wait(lambda: _offsets(worker) == [(partition, 11)], "the last offset")
    moved = {"offsets": [{"partition": partition, "offset": {"offset": 9}}]}
    worker.do("PATCH", offsets, 200, moved)
    assert _offsets(worker) == [(partition, 9)]
    worker.do("PUT", f"/connectors/{_SOURCE}/resume", 202)
    worker.wait(lambda: holds(b, _COPY, 14), "two of them again")
    worker.do("PUT", f"/connectors/{_SOURCE}/stop", 204)
    done = worker.do("DELETE", offsets, 200)
    assert done["message"] == "The offsets for this connector have been reset successfully"
    assert _offsets(worker) == []
    worker.do("PUT", f"/connectors/{_SOURCE}/resume", 202)
    worker.wait(lambda: holds(b, _COPY, 26), "all of them again")


def _shown(worker: ConnectWorker) -> list[str]:
    """Give the verdicts of flows; of one that is stopped, it is said what starts it."""
    flows = console_of(worker).flows()
    starts = f"PUT /connectors/{_SOURCE}/resume"
    assert all(starts in each.words for each in flows if each.verdict == "STOPPED")
    return [each.verdict for each in flows]


def _offsets(worker: ConnectWorker) -> list[tuple[Any, int]]:
    found = worker.get(f"/connectors/{_SOURCE}/offsets")["offsets"]
    return [(each["partition"], each["offset"]["offset"]) for each in found]


def _restart_the_process(worker: ConnectWorker, pair: ClusterPair, started: Started) -> None:
    """All is in the worker's topics."""
    a, b = pair
    clock = SystemClock()
    began_s = clock.monotonic_s()
    assert worker.driver.stop() == 0, worker.driver.text
    assert clock.monotonic_s() - began_s < _END_S_MAX
    worker.driver.check_log()
    write(a, _TOPIC, numbered("r", range(12, 14)))
    worker = started.start(example_worker(b))
    worker.wait_until_ready()
    assert set(worker.get("/connectors")) == {_SOURCE, _GROUPS, _BEATS}
    worker.wait(lambda: holds(b, _COPY, 28), "what was written meanwhile")
    worker.wait_for_states(_SOURCE, "RUNNING", "RUNNING")
    worker.do("DELETE", f"/connectors/{_SOURCE}", 204)
    gone = worker.do("GET", f"/connectors/{_SOURCE}", 404)
    assert gone["message"] == f"Connector {_SOURCE} not found"
    worker.wait_for_states(_GROUPS, "UNASSIGNED", "UNASSIGNED")
    assert worker.driver.stop() == 0


def test_a_drivers_file_that_is_posted_is_both_flows(
    own_pair: ClusterPair, started: Started, tmp_path: Path
) -> None:
    """To a worker without a group, from a file; MirrorMaker 2 would refuse it."""
    a, b = own_pair
    for cluster in own_pair:
        cluster.create_topic("payment-events")
    write(a, "payment-events", numbered("a", range(3)))
    write(b, "payment-events", numbered("b", range(4)))
    file = tmp_path / "connector.json"
    file.write_text(example("connect-bidirectional.json", {"kafka-a": a, "kafka-b": b}))
    worker = started.start([f"bootstrap.servers = {b.bootstrap}"], "--standalone", file)
    name = "mm2-bidirectional-connector"
    worker.wait(lambda: holds(b, "kafka-a.payment-events", 3), "one way", 120.0)
    worker.wait(lambda: holds(a, "kafka-b.payment-events", 4), "the other way")
    worker.wait(lambda: worker.states(name)[:1] == ["RUNNING"], "it runs")
    tasks = worker.get(f"/connectors/{name}/tasks")
    assigned = ",".join(each["config"]["task.assigned.partitions"] for each in tasks)
    assert assigned.count("payment-events-0") == 2
    assert worker.driver.stop() == 0


def test_a_worker_of_a_third_cluster(
    own_pair: ClusterPair, kafka_pair: ClusterPair, started: Started
) -> None:
    """It has the worker's topics and nothing of the flows; groups and positions are at B."""
    third, (a, b) = own_pair.a, kafka_pair
    topic = a.create_topic(f"third-{secrets.token_hex(4)}")
    write(a, topic, numbered("r", range(5)))
    group = f"{topic}-readers"
    commit(a, group, {TopicPartition(topic, 0): 3})
    lines = example_worker(third, "group.id = third", "config.storage.topic = third-configs")
    lines += ["offset.storage.topic = third-offsets", "status.storage.topic = third-status"]
    worker = started.start(lines)
    worker.wait_until_ready()
    name, body = source_body(kafka_pair, "T", topic)
    follows = body["config"] | {
        "connector.class": "MirrorCheckpointConnector",
        "groups": group,
        "sync.group.offsets.enabled": "true",
        "checkpoints.topic.replication.factor": "1",
    }
    for each in (body, {"name": f"{name} groups", "config": follows}):
        worker.do("POST", "/connectors", 201, each)
    worker.wait(lambda: holds(b, f"T.{topic}", 5), "five records", 120.0)
    worker.wait(lambda: committed(b, group, f"T.{topic}") == 3, "the group is there")
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    worker.wait_for_states(f"{name} groups", "RUNNING", "RUNNING")

    assert worker.driver.stop() == 0, worker.driver.text
    write(a, topic, numbered("r", range(5, 7)))
    again = started.start(lines)
    again.wait_until_ready()
    again.wait(lambda: holds(b, f"T.{topic}", 7), "each of the others once", 120.0)
    found = again.get(f"/connectors/{quote(name, safe='')}/offsets")["offsets"]
    place = {"cluster": "T", "partition": 0, "topic": topic}
    assert [each["partition"] for each in found] == [place]
    assert again.driver.stop() == 0, again.driver.text
    ours = {each for each in topics_of(third) if "third" in each}
    assert ours == {"third-configs", "third-offsets", "third-status", "__kmirror-workers-third"}


def test_workers_share_flows_and_take_them_over(
    own_pair: ClusterPair, started: Started, tmp_path: Path
) -> None:
    """Of a worker that ends, is frozen for a while, is killed; each record is copied once."""
    a, b = own_pair
    lines = example_worker(b, "group.id = shared", "config.storage.topic = shared-configs")
    lines.append(_CONSOLE[0])
    lines += ["offset.storage.topic = shared-offsets", "status.storage.topic = shared-status"]
    workers = {worker.id: worker for worker in (started.start(lines) for _ in range(2))}
    for worker in workers.values():
        worker.wait_until_ready()
    names = {}
    for worker, alias in zip(workers.values(), ("S", "U"), strict=True):
        topic = f"shared-{alias}"
        a.create_topic(topic)
        name, body = source_body(own_pair, alias, topic)
        names[alias] = name
        worker.do("POST", "/connectors", 201, body)
    for worker in workers.values():
        for name in names.values():
            worker.wait_for_states(name, "RUNNING", "RUNNING")
    assert _homes(workers, names) == set(workers), "each has one"
    for worker in workers.values():
        # Each console shows the flow that its worker has, and says who has the other.
        api = console_of(worker)
        (flow,) = api.flows()
        (other,) = set(api.file().flows) - {flow.name}
        (owner,) = set(workers) - {worker.id}
        with pytest.raises(ApiRefused, match=f"{other} is not driven here: worker {owner} has it"):
            api.flow(other)

    for ends, promised_s in ((_stop, 3.0), (_freeze, 5.0), (_kill, 5.0)):
        gone = workers.pop(_home(next(iter(workers.values())), names["S"]))
        (left,) = workers.values()
        with Standstill(a, "shared-S", b, "S.shared-S") as standstill:
            ends(gone)
            left.wait(lambda left=left: _home(left, names["S"]) == left.id, "its new home")
            left.wait_for_states(names["S"], "RUNNING", "RUNNING")
            standstill.settle()
            stood_s = standstill.longest_s
            if ends is _freeze:
                gone.driver.thaw()
                workers[gone.id] = gone
            elif ends is _stop:
                fresh = started.start(lines)
                workers[fresh.id] = fresh
                fresh.wait_until_ready()
            left.wait(lambda: _homes(workers, names) == set(workers), "each has its share")
        whole_s = standstill.longest_s
        _log.warning("%s: it stood still for %.1f s, %.1f s", ends.__name__, stood_s, whole_s)
        assert standstill.is_exact
        # On a machine with other work, which takes three times as long as one without.
        assert stood_s < 3 * promised_s
    _connect_stays_out(b, tmp_path)
    assert left.driver.stop() == 0


def _stop(worker: ConnectWorker) -> None:
    assert worker.driver.stop() == 0, worker.driver.text


def _freeze(worker: ConnectWorker) -> None:
    worker.driver.freeze()


def _kill(worker: ConnectWorker) -> None:
    worker.driver.kill()


def _homes(workers: dict[str, ConnectWorker], names: dict[str, str]) -> set[str]:
    """Give the workers that have something; all of them say the same."""
    found = [{_home(each, name) for name in names.values()} for each in workers.values()]
    return found[0] if all(each == found[0] for each in found) else set()


def test_no_worker_begins_beside_those_of_kafka(
    own_pair: ClusterPair, started: Started, tmp_path: Path
) -> None:
    """Both would copy the same records; it says what to do."""
    kafka = ConnectCluster(own_pair, tmp_path / "kafka")
    lines = [f"{name} = {text}" for name, text in kafka.settings.items()]
    with kafka.running():
        refused = started.start(lines)
        assert refused.driver.wait_exit() == 3
    assert refused.driver.lines("has 1 workers of Kafka Connect .*stop them first")


def _connect_stays_out(cluster: Cluster, folder: Path) -> None:
    """See that a worker of Kafka's does not get into the group: it would copy the same."""
    settings = connect_settings(cluster.bootstrap, group="shared")
    (port,) = free_ports(1)
    with connect_worker(settings, folder / "kafka", port=port) as kafka:
        kafka.start()
        wait_until(
            lambda: "InconsistentGroupProtocol" in kafka.log.read_text(errors="replace"),
            "it is refused",
            timeout_s=60.0,
        )


def _home(worker: ConnectWorker, name: str) -> str:
    status = worker.get(f"/connectors/{quote(name, safe='')}/status")
    return str(status["tasks"][0]["worker_id"]) if status["tasks"] else ""

"""The state of a Connect cluster between kmirror and Kafka's own Connect worker."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import SystemClock
from kmirror.connect.store import ConnectStore
from kmirror.errors import RebalanceNeeded
from kmirror.wire.connect_configs import ConnectorConfig, ConnectorTarget
from kmirror.wire.connect_nouns import TargetState
from kmirror.wire.connect_offsets import ConnectOffset, offset_words, partition_words
from kmirror.wire.source_offsets import SourceOffset
from tests.support.connect_cluster import ConnectCluster
from tests.support.records import numbered, read, topics_of, write

pytestmark = pytest.mark.kafka

RECORDS = 40
_S_MAX = 60.0


@pytest.fixture
def connect(kafka_pair: ClusterPair, tmp_path: Path) -> ConnectCluster:
    """Give a Connect cluster; its worker does not run."""
    return ConnectCluster(kafka_pair, tmp_path)


@pytest.fixture
def store(connect: ConnectCluster) -> Iterator[ConnectStore]:
    """Give its state, not read yet."""
    config = {"bootstrap.servers": connect.pair.b.bootstrap}
    with (
        KafkaAdmin("B", config, timeout_s=30) as admin,
        closing(
            ConnectStore(
                connect.topics(),
                group_id=connect.name,
                admin=admin,
                rdkafka=config,
                clock=SystemClock(),
            )
        ) as store,
    ):
        yield store


def copied(cluster: Cluster, topic: str) -> int:
    """Count what has been copied."""
    return len(read(cluster, topic, 0)) if topic in topics_of(cluster) else 0


def test_connect_and_back(connect: ConnectCluster, store: ConnectStore) -> None:
    """
    The state is the same for both: what Connect has written is read, and the other way round.

    Connectors appear, are gone, stay paused and stopped, and begin where they were put.
    """
    a, b = connect.pair
    topic = a.create_topic(f"state-{secrets.token_hex(4)}", partitions=1)
    copy = f"{connect.name}.{topic}"
    write(a, topic, numbered("state", range(RECORDS)))
    source = "a->b, source"
    path = f"/connectors/{quote(source)}"
    with connect.running():
        kinds = {source: "Source", "beats": "Heartbeat", "gone": "Heartbeat", "idle": "Checkpoint"}
        for name, kind in kinds.items():
            config = connect.connector(kind, **({"topics": topic} if kind == "Source" else {}))
            connect.ask("POST", "/connectors", {"name": name, "config": config})
        wait_until(lambda: copied(b, copy) == RECORDS, "Connect copies", timeout_s=_S_MAX)
        connect.ask("PUT", "/connectors/beats/pause")
        connect.ask("PUT", "/connectors/idle/stop")
        connect.ask("PUT", f"{path}/stop")
        place = {"cluster": connect.name, "partition": 0, "topic": topic}
        body = {"offsets": [{"partition": place, "offset": {"offset": 9}}]}
        connect.ask("PATCH", f"{path}/offsets", body)
        store.start()
        wait_until(lambda: _says_the_same(connect, store), "both say the same", timeout_s=_S_MAX)
        found = connect.ask("GET", f"{path}/offsets")["offsets"]
        assert found == body["offsets"]
        assert [(each.partition, each.offset) for each in store.offsets(source)] == [
            (each["partition"], each["offset"]) for each in found
        ]
    state = store.claim()
    assert {name: each.target.value for name, each in state.connectors.items()} == {
        source: "STOPPED",
        "beats": "PAUSED",
        "gone": "RUNNING",
        "idle": "STOPPED",
    }
    assert state.has_session_key
    ours = connect.connector("Heartbeat", name="ours", note="é😀")
    store.write(
        [
            ConnectorConfig(connector="gone", config=None),
            ConnectorTarget(connector="gone", state=None),
            ConnectorTarget(connector="ours", state=TargetState.PAUSED),
            ConnectorConfig(connector="ours", config=ours),
        ]
    )
    key = ConnectOffset(connector=source, cluster=connect.name, topic=topic, partition=0)
    at = SourceOffset(connector=source, partition=partition_words(key), offset=offset_words(30))
    store.put_offsets([at])
    with connect.running():
        wanted = {source: "STOPPED", "beats": "PAUSED", "ours": "PAUSED", "idle": "STOPPED"}
        wait_until(lambda: _states(connect) == wanted, "all states are kept", timeout_s=_S_MAX)
        assert connect.ask("GET", "/connectors/ours/config") == ours
        assert connect.ask("GET", f"{path}/offsets")["offsets"][0]["offset"] == {"offset": 29}
        # Its leader has claimed, as a worker of ours would.
        with pytest.raises(RebalanceNeeded):
            store.write([ConnectorConfig(connector="ours", config=None)])
        connect.ask("PUT", f"{path}/resume")
        expected = RECORDS + RECORDS - 30
        wait_until(lambda: copied(b, copy) >= expected, "it goes on there", timeout_s=_S_MAX)
        wait_until(lambda: _says_the_same(connect, store), "both say the same", timeout_s=_S_MAX)
        assert copied(b, copy) == expected
    assert not store.trouble


def _states(connect: ConnectCluster) -> dict[str, str]:
    answer = connect.ask("GET", "/connectors?expand=status")
    return {name: each["status"]["connector"]["state"] for name, each in answer.items()}


def _says_the_same(connect: ConnectCluster, store: ConnectStore) -> bool:
    """Whether our reading of the topics is what the worker's REST API tells."""
    answer = connect.ask("GET", "/connectors?expand=info&expand=status")
    state, statuses = store.refresh(), store.statuses()
    told, known = {}, {}
    for name, each in answer.items():
        states = [each["status"]["connector"], *each["status"]["tasks"]]
        told[name] = (
            each["info"]["config"],
            len(each["info"]["tasks"]),
            [(one["state"], one["worker_id"], one.get("version")) for one in states],
        )
    for name, connector in state.connectors.items():
        found = [statuses.connectors.get(name), *statuses.tasks.get(name, {}).values()]
        known[name] = (
            connector.config,
            len(connector.tasks),
            [(one.state.value, one.worker_id, one.version) for one in found if one is not None],
        )
    return told == known

"""MirrorMaker 2's own classes read what kmirror writes beside the records."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.jars import KAFKA
from kmirror_lab.process.jvm_command import kafka_command

from kmirror.apps.client import MirrorClient
from kmirror.jvm import jar_folder
from kmirror.model import TopicPartition
from tests.support.driver import Driver, DriverFactory
from tests.support.groups import commit, next_record
from tests.support.java_program import run_java
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_PROGRAM = Path(__file__).with_name("MirrorClients.java")
_FORMATTERS = "org.apache.kafka.connect.mirror.formatters"
_FOLLOWS_S_MAX = 30.0
_TOOL_S_MAX = 120.0
_AT = 33


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """A flow that has been running for a while."""

    pair: ClusterPair
    driver: Driver


@pytest.fixture(scope="module")
def mirrored(
    own_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mirrored]:
    """Give a flow with one topic and one group."""
    a, b = own_pair
    topic = a.create_topic("orders", partitions=2)
    file = mirror_file(
        tmp_path_factory.mktemp("mirrored"),
        {"A": a, "B": b},
        "heartbeats.replication.enabled = true",
        "emit.heartbeats.enabled = true",
        "heartbeats.topic.replication.factor = 1",
        "refresh.topics.interval.seconds = 1",
        *flow_lines("A->B", topic, "refresh.groups.interval.seconds = 1"),
    )
    write(a, topic, numbered("orders", range(100)), partition=1)
    driver = warm_module_driver(file)
    driver.wait_running()
    driver.wait_until_caught_up(a, b, {topic: f"A.{topic}"})
    commit(a, "billing", {TopicPartition(topic, 1): _AT})
    driver.wait_until(
        lambda: {"A.heartbeats", "A.checkpoints.internal"} <= topics_of(b),
        "heartbeats have crossed",
        _FOLLOWS_S_MAX,
    )
    yield Mirrored(pair=own_pair, driver=driver)
    assert driver.stop() == 0
    assert not driver.lines("unexpected"), driver.text


def answers(cluster: Cluster, alias: str, *groups: str) -> list[str]:
    """Ask `MirrorClient` and `RemoteClusterUtils` on *cluster* about its upstream *alias*."""
    jars = [jar_folder(KAFKA)]
    return run_java(_PROGRAM, cluster.bootstrap, alias, *groups, jars=jars).splitlines()


def test_mirror_client(mirrored: Mirrored) -> None:
    """Hops, upstream clusters, topics, and where a group goes on."""
    a, b = mirrored.pair
    expected = next_record(a, "orders", _AT, 1)

    def translated() -> bool:
        found = [
            line.split() for line in answers(b, "A", "billing") if line.startswith("A.orders-1")
        ]
        return bool(found) and next_record(b, "A.orders", int(found[0][1]), 1) == expected

    mirrored.driver.wait_until(translated, "the checkpoint is exact", _TOOL_S_MAX)
    told = answers(b, "A", "billing")
    assert told[:3] == ["hops 1", "upstream A", "heartbeats A.heartbeats,heartbeats"]
    assert told[3] == "remote A.heartbeats,A.orders"
    assert answers(a, "B")[:2] == ["hops -1", "upstream "]


def test_the_first_plan_has_heartbeats(mirrored: Mirrored) -> None:
    """Their topic is new like everything else; a second plan would be a pause for all."""
    plan = mirrored.driver.wait_for_line("A->B: plan 1: ")
    assert "2 topics, 3 partitions" in plan


def test_the_same_in_python(mirrored: Mirrored) -> None:
    """`kmirror.apps.client` answers as Kafka's own library does."""
    b = mirrored.pair.b
    hops, upstream, heartbeats, remote, *places = answers(b, "A", "billing")
    with MirrorClient({"bootstrap.servers": b.bootstrap}) as client:
        assert hops == f"hops {client.replication_hops('A')}"
        assert upstream == f"upstream {','.join(client.upstream_clusters())}"
        assert heartbeats == f"heartbeats {','.join(client.heartbeats_topics())}"
        assert remote == f"remote {','.join(client.remote_topics())}"
        assert client.remote_topics("A") == client.remote_topics()
        assert client.checkpoints_topics() == ("A.checkpoints.internal",)
        assert client.replication_hops("nobody") is None
        found = client.translate_offsets("billing", "A")
        assert places == [f"{tp} {at.offset} {at.metadata}" for tp, at in sorted(found.items())]
        assert client.translate_all(re.compile("b.*"), "A") == {"billing": found}
        assert not client.translate_offsets("nobody", "A")
        assert not client.translate_offsets("billing", "nowhere")


@pytest.mark.parametrize(
    ("formatter", "topic", "expected"),
    [
        ("HeartbeatFormatter", "heartbeats", "Heartbeat{sourceClusterAlias=A, target"),
        ("CheckpointFormatter", "A.checkpoints.internal", "Checkpoint{consumerGroupId=billing"),
    ],
)
def test_formatters_on_the_target(
    mirrored: Mirrored, formatter: str, topic: str, expected: str, tmp_path: Path
) -> None:
    """What `kafka-console-consumer.sh` prints."""
    text = printed(mirrored.pair.b, topic, formatter, tmp_path, "--max-messages", "1")
    assert expected in text


def test_formatter_of_offset_syncs(mirrored: Mirrored, tmp_path: Path) -> None:
    """They are on the source, where MirrorMaker 2 has them by default."""
    text = printed(mirrored.pair.a, "mm2-offset-syncs.B.internal", "OffsetSyncFormatter", tmp_path)
    assert "OffsetSync{topicPartition=orders-1, upstreamOffset=99, downstreamOffset=99}" in text


def printed(cluster: Cluster, topic: str, formatter: str, folder: Path, *more: str) -> str:
    """Give what Kafka's console consumer prints of a topic, until nothing comes any more."""
    command = kafka_command(
        "org.apache.kafka.tools.consumer.ConsoleConsumer",
        *("--bootstrap-server", cluster.bootstrap, "--topic", topic, "--from-beginning"),
        *("--formatter", f"{_FORMATTERS}.{formatter}", "--timeout-ms", "5000"),
        *more,
        folder=folder,
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TOOL_S_MAX, check=False)
    return done.stdout

"""Clusters come up, go down, and survive what is done to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from kmirror_lab.cluster.clients import producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterFactory, ClusterPair
from kmirror_lab.process import process
from kmirror_lab.process.waiting import wait_until

pytestmark = pytest.mark.kafka


def test_a_cluster_comes_back_with_its_data_at_the_same_address(tmp_path: Path) -> None:
    """Stop and start keep address, id and topics."""
    cluster = Cluster("A", tmp_path)
    with cluster:
        address = cluster.bootstrap
        cluster.create_topic("kept", partitions=2)
    assert not cluster.broker(1).running()
    with cluster:
        assert cluster.bootstrap == address
        assert len(cluster.admin().list_topics(timeout=30).topics["kept"].partitions) == 2
    assert not cluster.broker(1).running()


def test_a_pair_is_two_clusters(kafka_pair: ClusterPair, topic_name: Callable[[str], str]) -> None:
    """A topic of A does not show in B."""
    topic = kafka_pair.a.create_topic(topic_name("only-in-a"))
    assert topic in kafka_pair.a.admin().list_topics(timeout=30).topics
    assert topic not in kafka_pair.b.admin().list_topics(timeout=30).topics
    assert kafka_pair.a.cluster_id != kafka_pair.b.cluster_id


def test_the_leader_is_killed_and_comes_back(
    three_brokers: Cluster, topic_name: Callable[[str], str]
) -> None:
    """Another node leads meanwhile, and nothing acknowledged is lost."""
    topic = three_brokers.create_topic(topic_name("chased"))
    writer = producer(three_brokers.bootstrap, acks="all")
    writer.produce(topic, b"before")
    assert writer.flush(30) == 0
    killed = three_brokers.leader_of(topic)
    killed.kill()
    assert not killed.running()
    wait_until(lambda: three_brokers.leader_of(topic) is not killed, "another leader", timeout_s=60)
    writer.produce(topic, b"meanwhile")
    assert writer.flush(60) == 0
    killed.start()
    three_brokers.heal()
    assert _end(three_brokers.admin(), topic) == 2


def test_a_frozen_broker_goes_on(three_brokers: Cluster) -> None:
    """Freezing is not dying."""
    broker = three_brokers.broker(2)
    broker.pause()
    assert broker.running()
    broker.resume()
    broker.wait_ready()


def test_more_listeners(start_cluster: ClusterFactory) -> None:
    """A listener by another name has an address of its own."""
    cluster = start_cluster("L", listeners={"OTHER": "PLAINTEXT"})
    other = cluster.bootstrap_of("OTHER")
    assert other != cluster.bootstrap
    assert AdminClient({"bootstrap.servers": other}).list_topics(timeout=30).brokers[1].port == int(
        other.rpartition(":")[2]
    )


def test_a_wrong_setting_is_told(tmp_path: Path) -> None:
    """A broker that ends at once is not waited for, and its log is quoted."""
    cluster = Cluster("wrong", tmp_path, config={"num.io.threads": "0"})
    with pytest.raises(Exception, match=r"num\.io\.threads"):
        cluster.start()


def test_brokers_die_with_a_killed_owner(tmp_path: Path) -> None:
    """A test run that is killed leaves no broker behind."""
    script = (
        "import sys; from pathlib import Path; from kmirror_lab.cluster.cluster import Cluster\n"
        "c = Cluster('A', Path(sys.argv[1])).start(); p = c.broker(1).process\n"
        "print(p.pid, p.started, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        pid, started = owner.stdout.readline().split()
        broker = process.ProcessId(pid=int(pid), started=int(started))
        assert process.alive(broker)
        os.kill(owner.pid, signal.SIGKILL)
    assert process.wait_end(broker, timeout_s=10)


def _end(admin: AdminClient, topic: str) -> int:
    place = TopicPartition(topic, 0)
    return int(admin.list_offsets({place: OffsetSpec.latest()})[place].result().offset)

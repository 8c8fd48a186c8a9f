"""`kmirror tune --measure` on real brokers: plausible numbers, and nothing left behind."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition as Place
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.fill import fill

from kmirror.admin.client import KafkaAdmin
from kmirror.model import TopicPartition
from tests.support.commands import tune
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import topics_of

pytestmark = pytest.mark.kafka

RECORDS, SIZE_BYTES, PARTITIONS, BATCH_BYTES = 40_000, 1000, 4, 16_384
DANGEROUS = "B.producer.request.timeout.ms = 500"


def state_of(cluster: Cluster) -> tuple[object, ...]:
    """Give a cluster's topics, the ends of all partitions, and its groups."""
    admin = KafkaAdmin("X", {"bootstrap.servers": cluster.bootstrap})
    try:
        topics = admin.topics().values()
        partitions = [
            TopicPartition(each.name, at) for each in topics for at in range(each.partitions)
        ]
        ends = dict(admin.offsets(partitions))
    finally:
        admin.close()
    # Held until the answer is here: a client that is let go of takes its open requests with it.
    with cluster.admin() as client:
        groups = client.list_consumer_groups(request_timeout=30).result(timeout=90).valid
    return topics_of(cluster), dict(ends), sorted(group.group_id for group in groups)


def commit_something(cluster: Cluster, topic: str) -> None:
    """Be the cluster's first consumer."""
    with closing(consumer(cluster.bootstrap)) as client:
        client.commit(offsets=[Place(topic, 0, 1)], asynchronous=False)


def test_a_source_that_never_had_a_consumer(own_pair: ClusterPair, tmp_path: Path) -> None:
    """Reading would make the topic of groups, so only round trips are measured; later, all is."""
    a, b = own_pair
    topic = a.create_topic("measured", partitions=PARTITIONS)
    fill(
        a.bootstrap,
        topic,
        records=RECORDS,
        size_bytes=SIZE_BYTES,
        partitions=PARTITIONS,
        batch_bytes=BATCH_BYTES,
    )
    file = mirror_file(tmp_path, {"A": a, "B": b}, *flow_lines("A->B", topic), DANGEROUS)
    untouched = state_of(a), state_of(b)
    answer = tune(file, "--measure", "--json", "--for", "both")
    assert answer.code == 1, answer.text
    found = json.loads(answer.text)
    assert "never had a consumer" in found["remarks"][0]
    assert 0 < found["flows"][0]["source"]["rtt_ms"] < 200
    assert found["flows"][0]["source"]["bytes_per_s"] is None
    assert (state_of(a), state_of(b)) == untouched

    commit_something(a, topic)
    before = state_of(a), state_of(b)
    answer = tune(file, "--measure", "--json", "--for", "both")
    assert answer.code == 1, answer.text
    (flow,) = json.loads(answer.text)["flows"]
    assert 0 < flow["source"]["rtt_ms"] < 200
    assert 0 < flow["target"]["rtt_ms"] < 200
    assert flow["source"]["bytes_per_s"] > 1_000_000
    assert flow["partitions"] == PARTITIONS
    # Random bytes: packing them is no use, and nobody tried.
    assert SIZE_BYTES <= flow["record_bytes"] <= 1.15 * SIZE_BYTES
    assert SIZE_BYTES <= flow["record_bytes_max"] <= 1.15 * SIZE_BYTES
    assert 0.95 < flow["packed"] < 1.15
    assert 0.5 * BATCH_BYTES < flow["batch_bytes"] < 1.3 * BATCH_BYTES
    assert 8 <= flow["batch_records"] <= 20
    assert (state_of(a), state_of(b)) == before


def test_mirrormaker_1_and_the_kernel(own_pair: ClusterPair, tmp_path: Path) -> None:
    """Its two files are enough to measure by; the machine's own settings are read, too."""
    a, b = own_pair
    topic = a.create_topic("measured-for-mm1", partitions=2)
    fill(
        a.bootstrap,
        topic,
        records=2000,
        size_bytes=SIZE_BYTES,
        partitions=2,
        batch_bytes=BATCH_BYTES,
    )
    commit_something(a, topic)
    before = state_of(a), state_of(b)
    consumer_file, producer_file = tmp_path / "consumer", tmp_path / "producer"
    consumer_file.write_text(f"bootstrap.servers={a.bootstrap}\ngroup.id=g\n", encoding="utf-8")
    producer_file.write_text(f"bootstrap.servers={b.bootstrap}\nacks=1\n", encoding="utf-8")
    words = ("--producer.config", str(producer_file), "--whitelist", topic, "--num.streams", "9")
    # The helper's first word after the command is a file; here an option stands before it.
    answer = tune(Path("--consumer.config"), str(consumer_file), *words, "--measure", "--json")
    assert answer.code == 1, answer.text
    found = json.loads(answer.text)
    (flow,) = found["flows"]
    assert 0 < flow["source"]["rtt_ms"] < 200
    assert flow["partitions"] == 2
    says = {each["says"] for each in found["findings"]}
    assert "there are 2 partitions: other streams get none" in says
    today = {each["name"]: each["today"] for each in found["kernel"]}
    assert today["net.ipv4.tcp_rmem"].count(" ") == 2
    assert (state_of(a), state_of(b)) == before


def test_without_records_and_without_a_cluster(own_pair: ClusterPair, tmp_path: Path) -> None:
    """What cannot be measured is told; a cluster that is away ends it with 3."""
    a, b = own_pair
    a.create_topic("empty")
    file = mirror_file(tmp_path / "empty", {"A": a, "B": b}, *flow_lines("A->B", "empty"))
    answer = tune(file, "--measure")
    assert answer.code == 0, answer.text
    assert "1 partitions" in answer.text
    lines = ["clusters = A, C", "C.bootstrap.servers = 127.0.0.1:1", "admin.timeout.ms = 2000"]
    away = mirror_file(tmp_path / "away", {"A": a}, *lines, *flow_lines("A->C", "empty"))
    answer = tune(away, "--measure")
    assert answer.code == 3, answer.text
    assert "A->C" in answer.text

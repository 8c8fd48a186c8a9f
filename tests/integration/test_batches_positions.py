"""Copies that begin inside a batch: a position set by hand, records deleted from the front."""

from __future__ import annotations

import secrets
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition as Place
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.model import Flow
from kmirror.wire.flow_names import position_group
from tests.support.batches import shapes, stored, varied, write_batches
from tests.support.bounded import FlowCopier, copy_once
from tests.support.driver import DriverFactory
from tests.support.records import delete_before, read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

# Batches hold 100 records: the first one, inside, before the last, the last, and a border.
BEGINS = (1, 137, 198, 199, 200)
PLACES = [(codec, begin) for codec in ("none", "lz4") for begin in BEGINS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The first run, over."""

    file: Path
    topics: dict[str, str]
    sent: list[list[Content]]


def set_positions(cluster: Cluster, topic: str, flow: Flow, begins: list[int]) -> None:
    """Store a position for each partition, as an operator does with Kafka's tools."""
    with closing(consumer(cluster.bootstrap, group_id=position_group(flow))) as client:
        places = [Place(topic, partition, begin) for partition, begin in enumerate(begins)]
        client.commit(offsets=places, asynchronous=False)


@pytest.fixture(scope="module")
def copied(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> Copied:
    """Copy one topic from positions set by hand, and one from where its log begins."""
    a, b = kafka_pair
    name = f"begins-{secrets.token_hex(4)}"
    topics = {kind: f"{name}-{kind}" for kind in ("set", "deleted")}
    sent = [varied(f"begin-{n}", 500) for n in range(len(PLACES))]
    for topic in topics.values():
        a.create_topic(topic, partitions=len(PLACES))
        for partition, (codec, _) in enumerate(PLACES):
            write_batches(a, topic, sent[partition], 100, partition=partition, codec=codec)
    mirror = b.create_topic(f"HA.{topics['set']}", partitions=len(PLACES))
    begins = [begin for _, begin in PLACES]
    set_positions(b, mirror, Flow("HA", "HB"), begins)
    delete_before(a, topics["deleted"], *begins)
    run = copy_flow(kafka_pair, "HA->HB", f"{name}-.*")
    return Copied(file=run.file, topics=topics, sent=sent)


@pytest.mark.parametrize("partition", range(len(PLACES)), ids=map(str, PLACES))
@pytest.mark.parametrize("kind", ["set", "deleted"])
def test_the_copy_begins_exactly_there(
    copied: Copied, kafka_pair: ClusterPair, kind: str, partition: int
) -> None:
    """No record of that batch before the position, every one from there on."""
    arrived = read(kafka_pair.b, f"HA.{copied.topics[kind]}", partition)
    assert arrived == copied.sent[partition][PLACES[partition][1] :]


@pytest.mark.parametrize("kind", ["set", "deleted"])
def test_later_batches_are_copied_as_they_are(
    copied: Copied, kafka_pair: ClusterPair, kind: str
) -> None:
    """Only the batch with the position inside is unpacked."""
    for partition in range(len(PLACES)):
        sent = shapes(stored(kafka_pair.a, copied.topics[kind], partition))
        arrived = shapes(stored(kafka_pair.b, f"HA.{copied.topics[kind]}", partition))
        assert arrived[-3:] == sent[-3:]


def test_a_second_run_goes_on(
    copied: Copied, kafka_pair: ClusterPair, warm_driver: DriverFactory
) -> None:
    """What was written meanwhile comes behind, nothing twice."""
    more = varied("more", 250)
    for topic in copied.topics.values():
        for partition, (codec, _) in enumerate(PLACES):
            write_batches(kafka_pair.a, topic, more, 100, partition=partition, codec=codec)
    copy_once(warm_driver, copied.file)
    for topic in copied.topics.values():
        for partition, (_, begin) in enumerate(PLACES):
            wanted = [*copied.sent[partition][begin:], *more]
            assert read(kafka_pair.b, f"HA.{topic}", partition) == wanted

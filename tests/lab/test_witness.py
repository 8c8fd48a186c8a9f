"""The witness has seen what is there, and tells when something else is there now."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import TopicPartition as Place
from kmirror_lab.cluster.clients import producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.witness import Witness
from kmirror_lab.process.waiting import wait_until

from kmirror.model import TopicPartition

pytestmark = pytest.mark.kafka


def write(cluster: Cluster, topic: str, *values: str, commit: bool | None = None) -> None:
    """Write to partition 0, in a transaction if it is said how that ends."""
    settings = {} if commit is None else {"transactional_id": f"{topic}-writer"}
    client = producer(cluster.bootstrap, **settings)
    if commit is not None:
        client.init_transactions(30)
        client.begin_transaction()
    for value in values:
        client.produce(topic, value, partition=0)
    assert client.flush(30) == 0
    if commit is not None:
        (client.commit_transaction if commit else client.abort_transaction)(30)


@pytest.fixture
def witness(kafka_pair: ClusterPair, topics: list[str]) -> Iterator[Witness]:
    """Give a witness of both topics; the second one does not exist yet."""
    witness = Witness(kafka_pair.b.bootstrap, topics)
    witness.start()
    yield witness
    witness.stop()


@pytest.fixture
def topics(kafka_pair: ClusterPair, topic_name: Callable[[str], str]) -> list[str]:
    """Give the names of two topics."""
    return [kafka_pair.b.create_topic(topic_name("seen")), topic_name("later")]


def test_it_has_seen_what_is_there(
    kafka_pair: ClusterPair, topics: list[str], witness: Witness
) -> None:
    """Committed records of all topics, no aborted ones, and those of a topic that came later."""
    first, later = topics
    b = kafka_pair.b
    write(b, first, "one", "two", commit=True)
    write(b, first, "never", commit=False)
    b.create_topic(later)
    write(b, later, "three")
    # Two records, a marker, one record and its marker.
    ends = {TopicPartition(first, 0): 5, TopicPartition(later, 0): 1}
    assert witness.disagreements(ends) == []


def test_it_tells_of_records_that_are_gone(
    kafka_pair: ClusterPair, topics: list[str], witness: Witness
) -> None:
    """What it saw at the beginning of the log is not there any more."""
    b, topic = kafka_pair.b, topics[0]
    write(b, topic, *"abcde")
    place = TopicPartition(topic, 0)
    wait_until(lambda: witness.seen(place) == 5, "all are seen", timeout_s=30)
    admin = b.admin()
    (deleted,) = admin.delete_records([Place(topic, 0, 2)]).values()
    deleted.result(30)
    assert witness.disagreements({place: 5}) == [f"{place}: saw offset 0 where 2 is now"]

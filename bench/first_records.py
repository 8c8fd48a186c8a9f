"""Topics that every broker knows, and a first record in each of their partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kmirror_lab.cluster.clients import Refusals, drain, producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.client import KafkaAdmin
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic

_WAIT_S_MAX = 900.0
_LOOK_EVERY_S = 0.5


def create_topics(admin: KafkaAdmin, new: Sequence[NewTopic]) -> None:
    """
    Create topics, and wait until they are known.

    Args:
        admin: The cluster's control plane.
        new: They.
    """
    failed = admin.create_topics(new)
    assert not failed, failed
    wait_until_known(admin, [topic.name for topic in new])


def wait_until_known(admin: KafkaAdmin, topics: Iterable[str]) -> None:
    """
    Wait until the broker knows what its controller has made.

    Args:
        admin: The cluster's control plane.
        topics: What was made.

    Raises:
        ClusterUnavailable: That takes too long.
    """
    names = set(topics)
    wait_until(
        lambda: names <= set(admin.topics()),
        "all topics are known",
        timeout_s=_WAIT_S_MAX,
        pause_s=_LOOK_EVERY_S,
    )


def write_first_records(cluster: Cluster, places: Iterable[TopicPartition]) -> None:
    """
    Write a record to each partition.

    Args:
        cluster: Where they are.
        places: They.

    Raises:
        KafkaException: A record was refused.
        ClusterUnavailable: Not all were taken in time.
    """
    refusals = Refusals()
    client = producer(cluster.bootstrap)
    for place in places:
        client.produce(place.topic, b"one of many", partition=place.partition, on_delivery=refusals)
        client.poll(0)
    drain(client, timeout_s=_WAIT_S_MAX, refused=refusals.errors)

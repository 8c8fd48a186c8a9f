"""Where Connect keeps a flow's positions, on real brokers: the target's, and the workers'."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connect_offsets import read_connect_offsets
from kmirror.admin.internal_topics import create_internal_topic
from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.config.load import load
from kmirror.config.offsets_places import OffsetsPlace
from kmirror.ends.connect_copies import SecondCopy, read_copies, write_copies
from kmirror.errors import ClusterUnavailable
from kmirror.wire.connect_offsets import ConnectOffset
from tests.support.mirror_file import flow_lines, mirror_file

pytestmark = pytest.mark.kafka


class Places:
    """A flow into one cluster, of workers on another one."""

    def __init__(self, pair: ClusterPair, folder: Path, target: KafkaAdmin) -> None:
        self.name = f"places-{secrets.token_hex(4)}"
        self.target = target
        self.rdkafka = {"bootstrap.servers": pair.b.bootstrap}
        self.own = OffsetsPlace(topic=f"{self.name}-own")
        client = ClientProperties({"bootstrap.servers": pair.a.bootstrap})
        self.workers = OffsetsPlace(topic=f"{self.name}-workers", client=client)
        self.main = f"{self.name}-main"
        file = mirror_file(
            folder,
            {"A": pair.a, "B": pair.b},
            *flow_lines("A->B", "t"),
            "A->B.name = c",
            f"B.offset.storage.topic = {self.main}",
            "B.offset.storage.partitions = 3",
        )
        (flow,) = load(file, environ={}).flows
        self.config = replace(flow, other_offsets_places=(self.own, self.workers))
        create_internal_topic(target, self.main, partitions=3, replication_factor=1)

    def key(self, partition: int) -> ConnectOffset:
        """Return the key of a partition's position."""
        return ConnectOffset(connector="c", cluster="A", topic="t", partition=partition)

    def write(self, positions: dict[int, int], *places: OffsetsPlace) -> None:
        """Write positions to the main topic and to *places*."""
        copy = SecondCopy(
            positions=[(self.key(number), at) for number, at in positions.items()],
            generation=7,
            timeout_s=10,
        )
        config = replace(self.config, other_offsets_places=places)
        write_copies(config, self.target, self.rdkafka, copy, partitions=3)

    def read(self, config: FlowConfig | None = None) -> dict[int, int]:
        """Return what Connect would know."""
        found = read_copies(config or self.config, self.target, self.rdkafka).positions
        return {key.partition: each.offset for key, each in found.items()}


@pytest.fixture
def places(kafka_pair: ClusterPair, tmp_path: Path) -> Iterator[Places]:
    """Give a flow with three topics of positions; the workers' own is there."""
    with (
        KafkaAdmin("B", {"bootstrap.servers": kafka_pair.b.bootstrap}, timeout_s=30) as target,
        KafkaAdmin("A", {"bootstrap.servers": kafka_pair.a.bootstrap}, timeout_s=30) as workers,
    ):
        found = Places(kafka_pair, tmp_path, target)
        create_internal_topic(workers, found.workers.topic, partitions=2, replication_factor=1)
        yield found


def test_the_first_that_is_found_counts(places: Places) -> None:
    """The connector's own, then the workers', then kmirror's place on the target."""
    assert places.read() == {}
    places.write({0: 30}, places.own, places.workers)
    places.write({1: 20}, places.workers)
    places.write({0: 99, 1: 99, 2: 10})
    assert places.read() == {0: 30, 1: 20, 2: 10}
    without = replace(places.config, other_offsets_places=())
    assert places.read(without) == {0: 99, 1: 99, 2: 10}


def test_all_places_are_written(places: Places, kafka_pair: ClusterPair) -> None:
    """And what is taken away is found nowhere; a connector's own topic is made."""
    places.write({0: 5, 1: 6}, places.own, places.workers)
    with KafkaAdmin("A", {"bootstrap.servers": kafka_pair.a.bootstrap}, timeout_s=30) as workers:
        found = read_connect_offsets(
            workers, {"bootstrap.servers": kafka_pair.a.bootstrap}, places.workers.topic
        )
    assert {key.partition: each.offset for key, each in found.positions.items()} == {0: 5, 1: 6}
    assert all(each.written_by_us for each in found.positions.values())
    made = places.target.topics()[places.own.topic]
    assert made.partitions == places.config.offset_storage_partitions
    places.write({0: 0}, places.own, places.workers)
    assert places.read() == {1: 6}


def test_one_place_that_is_missing_does_not_hide_the_others(places: Places) -> None:
    """It is said, and the others have their copy."""
    gone = replace(places.workers, topic="nowhere")
    with pytest.raises(ClusterUnavailable, match="there is no topic nowhere"):
        places.write({0: 5}, places.own, gone)
    assert places.read() == {0: 5}

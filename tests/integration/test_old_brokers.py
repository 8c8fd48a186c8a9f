"""
Brokers as old as 2.8: no topic ids in fetches, transactions of the first kind (before KIP-890).

What they lack is worked around by Kafka's own clients; batches travel whole all the same.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.cluster.zookeeper import zookeeper
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.jars import KAFKA_2_8
from kmirror_lab.oracle.record import Content

from kmirror.model import Flow
from tests.support.batches import CODECS, Transactions, shapes, stored, varied, write_batches
from tests.support.bounded import FlowCopier, copy_once
from tests.support.driver import DriverFactory
from tests.support.offset_map import check_offset_map
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a cluster of Kafka 2.8.2."""
    folder = tmp_path_factory.mktemp("old")
    with zookeeper(folder / "zookeeper") as address:
        cluster = Cluster("old", folder, jars=KAFKA_2_8, zookeeper=address)
        with started(cluster):
            yield cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Between which clusters, and how."""

    pair: ClusterPair
    flow: Flow
    granularity: str


@pytest.fixture(
    params=[(side, how) for side in ("from", "to") for how in ("auto", "record")],
    ids="-".join,
)
def way(request: pytest.FixtureRequest, old: Cluster, kafka_pair: ClusterPair) -> Way:
    """Give the old cluster as source, and as target, of both granularities."""
    side, granularity = request.param
    pair = ClusterPair(old, kafka_pair.b) if side == "from" else ClusterPair(kafka_pair.a, old)
    alias = f"O{side[0].upper()}{granularity[0].upper()}"
    return Way(pair=pair, flow=Flow(f"{alias}A", f"{alias}B"), granularity=granularity)


def write_some(cluster: Cluster, topic: str, label: str) -> list[Content]:
    """Write batches of every codec, and transactions of which some are aborted."""
    kept: list[Content] = []
    for codec in CODECS:
        records = varied(f"{label}-{codec}", 300)
        write_batches(cluster, topic, records, 100, codec=codec)
        kept += records
    writer = Transactions(cluster, compression_type="lz4")
    for number in range(4):
        records = varied(f"{label}-transaction-{number}", 60)
        writer.begin()
        writer.write(topic, records)
        writer.end(commit=number % 2 == 0)
        kept += records if number % 2 == 0 else []
    return kept


def test_records_arrive(way: Way, copy_flow: FlowCopier, warm_driver: DriverFactory) -> None:
    """Exactly once over a restart; the exact offset map knows each of them."""
    a, b = way.pair
    topic = a.create_topic(f"old-{secrets.token_hex(4)}")
    mirror = f"{way.flow.source}.{topic}"
    sent = write_some(a, topic, "first")
    copy = copy_flow(way.pair, str(way.flow), topic, f"kmirror.granularity = {way.granularity}")
    assert read(b, mirror) == sent
    sent += write_some(a, topic, "second")
    copy_once(warm_driver, copy.file)
    assert read(b, mirror) == sent
    coverage = check_offset_map(a, b, {topic: mirror}, flow=way.flow)
    assert coverage.mapped == coverage.records == len(sent)
    whole = set(shapes(stored(b, mirror))) & set(shapes(stored(a, topic)))
    # Record by record nothing is compressed; how many records share a batch there is chance.
    compressed = {shape for shape in whole if shape[0] != "none"}
    assert bool(compressed) == (way.granularity == "auto")

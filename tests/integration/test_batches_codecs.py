"""Batches arrive as their producers made them: borders, codec, bytes; and records one by one."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from tests.support.batches import CODECS, shapes, stored, varied, write_batches, written
from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import read, record

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

# For each codec its topic, and what was written into each partition.
Copies = dict[str, tuple[str, list[list[Content]]]]

_ANEW = "zstd"

# Partition 0 has all kinds, many of which have to queue; in the others none has to.
_MIXED = 0
_KINDS = ("large", "medium", "small")
# Small ones without compression share one.
_WHOLE = [case for case in product(CODECS, _KINDS) if case != ("none", "small")]
_BATCHES = 5  # a producer's requests under way

# A larger one is never put together with others: MergedBatch.PART_BYTES_MAX.
_SHARED_BYTES = 128 * 1024


def fill(cluster: Cluster, topic: str, codec: str) -> list[list[Content]]:
    """Write batches of one record to thousands, of up to nearly a megabyte; give what is where."""

    def some(kind: str, count: int, value_bytes: int, per_batch: int) -> tuple[list[Content], int]:
        return varied(f"{codec}-{kind}", count, value_bytes=value_bytes), per_batch

    one_large = ([record(bytes(range(256)) * 3_000, key=b"large")], 1)
    # More than a producer's max.request.size by default.
    nearly_full = some("nearly-full", 1_800, 1_000, 1_800)
    many = some("many", 9_000, 60, 3_000)
    small = [some("single", 2, 200, 1), some("few", 21, 200, 7)]
    mixed = [
        *(some("singles", 20, 200, 1), some("some", 60, 200, 7), many, one_large),
        *(some("again", 20, 200, 1), some("medium", 1_000, 300, 100), nearly_full),
    ]
    places = [mixed, [many, one_large, nearly_full], [some("medium", 500, 300, 100)], small]
    for partition, sizes in enumerate(places):
        for records, per_batch in sizes:
            write_batches(cluster, topic, records, per_batch, partition=partition, codec=codec)
    return [[each for records, _ in sizes for each in records] for sizes in places]


@pytest.fixture(scope="module")
def copied(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Copies:
    """Copy one topic for each codec in four modes; give its name and its records."""
    a, b = kafka_pair
    name = f"codecs-{secrets.token_hex(4)}"

    def filled(codec: str) -> tuple[str, list[list[Content]]]:
        config = {"max.message.bytes": "2000000"}
        topic = a.create_topic(f"{name}-{codec}", partitions=1 + len(_KINDS), config=config)
        return topic, fill(a, topic, codec)

    # Records one by one wait for answers mostly.
    with ThreadPoolExecutor() as pool:
        sent = dict(zip(CODECS, pool.map(filled, CODECS), strict=True))
    folder = tmp_path_factory.mktemp("codecs")
    lines = [
        *flow_lines("BA->BB", f"{name}-.*"),
        *flow_lines("BC->BB", f"{name}-.*", "kmirror.exactly.once = false"),
        *flow_lines("BD->BB", f"{name}-.*", "kmirror.granularity = record"),
        *flow_lines("BE->BB", f"{name}-.*", f"producer.override.compression.type = {_ANEW}"),
    ]
    file = mirror_file(folder, {"BA": a, "BC": a, "BD": a, "BE": a, "BB": b}, *lines)
    copy_once(warm_module_driver, file)
    return sent


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("source", ["BA", "BC", "BD", "BE"])
def test_records_arrive(copied: Copies, kafka_pair: ClusterPair, source: str, codec: str) -> None:
    """Order, keys, values, headers, times; at least once and record by record, too."""
    topic, sent = copied[codec]
    for partition, records in enumerate(sent):
        assert read(kafka_pair.a, topic, partition) == records, "the source itself"
        assert read(kafka_pair.b, f"{source}.{topic}", partition) == records


@pytest.mark.parametrize(("codec", "kind"), _WHOLE)
@pytest.mark.parametrize("source", ["BA", "BC"])
def test_batches_arrive_byte_for_byte(
    copied: Copies, kafka_pair: ClusterPair, source: str, codec: str, kind: str
) -> None:
    """As long as none has to wait for others: not more than a producer's requests under way."""
    topic, _ = copied[codec]
    partition = 1 + _KINDS.index(kind)
    sent = stored(kafka_pair.a, topic, partition)
    assert len(sent) == _BATCHES
    assert {each.codec for each in sent} - {"none"} == {codec} - {"none"}
    arrived = stored(kafka_pair.b, f"{source}.{topic}", partition)
    assert shapes(arrived) == shapes(sent)
    assert {each.codec for each in arrived} - {"none"} == {codec} - {"none"}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("source", ["BA", "BC"])
def test_batches_that_queue_keep_their_codec(
    copied: Copies, kafka_pair: ClusterPair, source: str, codec: str
) -> None:
    """The largest stay what they are; smaller ones may share batches of their codec."""
    topic, _ = copied[codec]
    sent = stored(kafka_pair.a, topic, _MIXED)
    arrived = written(kafka_pair.b, f"{source}.{topic}", _MIXED)
    large = [each.shape for each in sent if each.size > _SHARED_BYTES]
    assert large
    known = set(large)
    assert [each.shape for each in arrived if each.shape in known] == large
    assert {each.codec for each in arrived} <= {each.codec for each in sent}
    assert sum(each.records for each in arrived) == sum(each.records for each in sent)


@pytest.mark.parametrize("codec", CODECS)
def test_the_producers_codec(copied: Copies, kafka_pair: ClusterPair, codec: str) -> None:
    """Who sets `compression.type` gets it; batches that have it already stay what they are."""
    topic, _ = copied[codec]
    for partition in range(1 + len(_KINDS)):
        arrived = written(kafka_pair.b, f"BE.{topic}", partition)
        assert {each.codec for each in arrived} == {_ANEW}
        if codec == _ANEW and partition != _MIXED:
            assert shapes(arrived) == shapes(stored(kafka_pair.a, topic, partition))

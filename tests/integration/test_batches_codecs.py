"""Batches arrive as their producers made them: borders, codec, bytes; and records one by one."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from batches import CODECS, SMALL_BYTES, shapes, stored, varied, write_batches
from bounded import copy_once
from driver import DriverFactory
from mirror_file import flow_lines, mirror_file
from records import read, record

from kmirror.lab.cluster import Cluster
from kmirror.lab.fixtures import ClusterPair
from kmirror.lab.record import Content

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_ANEW = "zstd"


def fill(cluster: Cluster, topic: str, codec: str) -> list[Content]:
    """Write batches of one record to thousands, from some bytes to nearly a megabyte."""
    large = [record(bytes(range(256)) * 3_000, key=b"large")]
    sizes: list[tuple[list[Content], int]] = [
        (varied(f"{codec}-single", 20), 1),
        (varied(f"{codec}-few", 60), 7),
        (varied(f"{codec}-many", 9_000, value_bytes=60), 3_000),
        (large, 1),
        (varied(f"{codec}-again", 20), 1),
        (varied(f"{codec}-medium", 1_000, value_bytes=300), 100),
        # More than a producer's max.request.size by default.
        (varied(f"{codec}-nearly-full", 1_800, value_bytes=1_000), 1_800),
    ]
    for records, per_batch in sizes:
        write_batches(cluster, topic, records, per_batch, codec=codec)
    return [r for records, _ in sizes for r in records]


@pytest.fixture(scope="module")
def copied(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[str, list[Content]]]:
    """Copy one topic for each codec in four modes; give its name and its records."""
    a, b = kafka_pair
    name = f"codecs-{secrets.token_hex(4)}"

    def filled(codec: str) -> tuple[str, list[Content]]:
        topic = a.create_topic(f"{name}-{codec}", config={"max.message.bytes": "2000000"})
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
def test_records_arrive(
    copied: dict[str, tuple[str, list[Content]]], kafka_pair: ClusterPair, source: str, codec: str
) -> None:
    """Order, keys, values, headers, times; at least once and record by record, too."""
    topic, sent = copied[codec]
    assert read(kafka_pair.a, topic) == sent, "the source itself"
    assert read(kafka_pair.b, f"{source}.{topic}") == sent


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("source", ["BA", "BC"])
def test_batches_arrive_byte_for_byte(
    copied: dict[str, tuple[str, list[Content]]], kafka_pair: ClusterPair, source: str, codec: str
) -> None:
    """All that are not small; small ones may share batches of their codec."""
    topic, _ = copied[codec]
    sent, arrived = stored(kafka_pair.a, topic), stored(kafka_pair.b, f"{source}.{topic}")
    assert {each.codec for each in sent} - {"none"} == {codec} - {"none"}
    large = shapes([each for each in sent if each.size >= SMALL_BYTES])
    assert len(large) > 10
    known = set(large)
    assert [shape for shape in shapes(arrived) if shape in known] == large
    others = [each for each in arrived if not each.control and each.shape not in known]
    assert {each.codec for each in others} <= {each.codec for each in sent}
    small = [each.records for each in sent if each.size < SMALL_BYTES]
    assert sum(each.records for each in others) == sum(small)


@pytest.mark.parametrize("codec", CODECS)
def test_the_producers_codec(
    copied: dict[str, tuple[str, list[Content]]], kafka_pair: ClusterPair, codec: str
) -> None:
    """Who sets `compression.type` gets it; batches that have it already stay what they are."""
    topic, _ = copied[codec]
    sent, arrived = stored(kafka_pair.a, topic), stored(kafka_pair.b, f"BE.{topic}")
    assert {each.codec for each in arrived if not each.control} == {_ANEW}
    if codec == _ANEW:
        large = shapes([each for each in sent if each.size >= SMALL_BYTES])
        assert [shape for shape in shapes(arrived) if shape in set(large)] == large

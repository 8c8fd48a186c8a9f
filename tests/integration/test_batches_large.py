"""Batches larger than the target's `max.message.bytes`, of records that fit."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from tests.support.batches import stored, varied, write_batches
from tests.support.bounded import FlowCopier
from tests.support.driver import DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

CODECS = ("none", "lz4")
_LIMIT_BYTES = 30_000
_END_S_MAX = 60.0
# Blocks of 400 records: some fit, some do not.
_PER_BATCH = (10, 400, 10, 400, 10)


@pytest.fixture(scope="module")
def copied(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> tuple[str, list[list[Content]]]:
    """Copy a topic whose copy takes small batches only; give its name and its records."""
    a, b = kafka_pair
    topic = a.create_topic(f"large-{secrets.token_hex(4)}", partitions=2)
    b.create_topic(f"KA.{topic}", partitions=2, config={"max.message.bytes": str(_LIMIT_BYTES)})
    sent: list[list[Content]] = []
    for partition, codec in enumerate(CODECS):
        sent.append([])
        for n, per_batch in enumerate(_PER_BATCH):
            records = varied(f"large-{codec}-{n}", 400, value_bytes=1_000)
            write_batches(a, topic, records, per_batch, codec=codec, partition=partition)
            sent[partition] += records
    run = copy_flow(kafka_pair, "KA->KB", topic, KEEPS_SETTINGS)
    assert not run.driver.lines("ERROR")
    return topic, sent


@pytest.mark.parametrize("partition", range(2))
def test_their_records_arrive(
    copied: tuple[str, list[list[Content]]], kafka_pair: ClusterPair, partition: int
) -> None:
    """All of them, in batches that the target takes."""
    topic, sent = copied
    too_large = [s for s in stored(kafka_pair.a, topic, partition) if s.size > _LIMIT_BYTES]
    assert sum(each.records for each in too_large) == 800
    assert read(kafka_pair.b, f"KA.{topic}", partition) == sent[partition]
    arrived = stored(kafka_pair.b, f"KA.{topic}", partition)
    assert max(each.size for each in arrived) <= _LIMIT_BYTES


def test_a_batch_larger_than_the_producer_s_memory_arrives(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """The target would take it; with little `buffer.memory` it goes record by record."""
    a, b = kafka_pair
    topic = a.create_topic(f"memory-{secrets.token_hex(4)}")
    write_batches(a, topic, sent := varied("memory", 900, value_bytes=1_000), 900)
    lines = [KEEPS_SETTINGS, "KB.producer.buffer.memory = 600000", *flow_lines("KA->KB", topic)]
    file = mirror_file(tmp_path, {"KA": a, "KB": b}, *lines)
    driver = warm_driver(file, "--until-caught-up")
    assert driver.wait_exit(timeout_s=_END_S_MAX) == 0, driver.text
    assert max(each.size for each in stored(a, topic)) > 600_000
    assert read(b, f"KA.{topic}") == sent

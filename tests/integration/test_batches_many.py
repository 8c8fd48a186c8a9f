"""Many batches: of one record each, and a million records in batches of every kind."""

from __future__ import annotations

import secrets
from itertools import cycle

import pytest
from batches import CODECS, stored, varied, write_batches
from bounded import FlowCopier

from kmirror.lab.check import check
from kmirror.lab.fixtures import ClusterPair

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_SINGLES = 10_000
_BLOCK = 25_000
_BLOCKS = 40
_PER_BATCH = (1_000, 37, 5_000, 250)


@pytest.fixture(scope="module")
def topics(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> dict[str, str]:
    """Write both topics, and copy them side by side."""
    a = kafka_pair.a
    name = f"many-{secrets.token_hex(4)}"
    singles = a.create_topic(f"{name}-singles", partitions=2)
    for partition, codec in enumerate(("none", "lz4")):
        records = varied(f"single-{codec}", _SINGLES, value_bytes=80)
        write_batches(a, singles, records, 1, codec=codec, partition=partition)
    mixed = a.create_topic(f"{name}-mixed", partitions=2)
    kinds = zip(cycle(CODECS), cycle(_PER_BATCH), strict=False)
    for number, (codec, per_batch) in zip(range(_BLOCKS), kinds, strict=False):
        records = varied(f"mixed-{number}", _BLOCK, value_bytes=40)
        write_batches(a, mixed, records, per_batch, codec=codec, partition=number % 2)
    copy_flow(kafka_pair, "IA->IB", f"{name}-.*")
    return {"singles": singles, "mixed": mixed}


def test_single_records_arrive(topics: dict[str, str], kafka_pair: ClusterPair) -> None:
    """They were batches of their own, with and without compression."""
    topic = topics["singles"]
    for partition in range(2):
        assert {each.records for each in stored(kafka_pair.a, topic, partition)} == {1}
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: f"IA.{topic}"})
    assert verdict.ok, str(verdict)
    assert verdict.records == 2 * _SINGLES


def test_single_records_share_batches(topics: dict[str, str], kafka_pair: ClusterPair) -> None:
    """Without compression: each batch costs the target more than its record."""
    arrived = stored(kafka_pair.b, f"IA.{topics['singles']}")
    assert len(arrived) < _SINGLES / 4


def test_a_million_mixed_records_arrive(topics: dict[str, str], kafka_pair: ClusterPair) -> None:
    """Every codec, from 37 to 5000 records in a batch."""
    topic = topics["mixed"]
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: f"IA.{topic}"})
    assert verdict.ok, str(verdict)
    assert verdict.records == _BLOCKS * _BLOCK == 1_000_000

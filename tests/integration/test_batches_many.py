"""Many batches: of one record each, and a million records in batches of every kind."""

from __future__ import annotations

import re
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check

from kmirror.model import Flow
from tests.support.batches import CODECS, stored, varied, write_batches, written
from tests.support.bounded import FlowCopier
from tests.support.offset_map import check_offset_map

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_SINGLES = 5_000
_CODECS_OF_SINGLES = ("none", "lz4")
_MEDIUM = 40_000
_PER_MEDIUM = 80
_BLOCK = 25_000
_BLOCKS = 40
_PER_BATCH = (1_000, 37, 5_000, 250)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The run, over: the topics by their kinds, and what the driver said."""

    topics: dict[str, str]
    said: str


@pytest.fixture(scope="module")
def copied(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> Copied:
    """Write the topics, and copy them side by side."""
    a = kafka_pair.a
    name = f"many-{secrets.token_hex(4)}"
    singles = a.create_topic(f"{name}-singles", partitions=2)
    # Less than the records that queue there.
    narrow = a.create_topic(f"{name}-narrow", config={"max.message.bytes": "5000"})

    def write_singles(topic: str, partition: int, codec: str) -> None:
        records = varied(f"{topic}-{partition}", _SINGLES, value_bytes=80)
        write_batches(a, topic, records, 1, codec=codec, partition=partition)

    places = [(singles, *place) for place in enumerate(_CODECS_OF_SINGLES)]
    # As producers make them that nobody has tuned: 16 KiB, without compression.
    medium = a.create_topic(f"{name}-medium")
    write_batches(a, medium, varied("medium", _MEDIUM), _PER_MEDIUM)
    # One by one they wait for answers mostly.
    with ThreadPoolExecutor() as pool:
        for written in [pool.submit(write_singles, *at) for at in (*places, (narrow, 0, "lz4"))]:
            written.result()
    mixed = a.create_topic(f"{name}-mixed", partitions=2)
    kinds = zip(cycle(CODECS), cycle(_PER_BATCH), strict=False)
    for number, (codec, per_batch) in zip(range(_BLOCKS), kinds, strict=False):
        records = varied(f"mixed-{number}", _BLOCK, value_bytes=40)
        write_batches(a, mixed, records, per_batch, codec=codec, partition=number % 2)
    run = copy_flow(kafka_pair, "IA->IB", f"{name}-.*")
    kinds_of_topics = {"singles": singles, "narrow": narrow, "medium": medium, "mixed": mixed}
    return Copied(topics=kinds_of_topics, said=run.driver.text)


@pytest.fixture(scope="module")
def topics(copied: Copied) -> dict[str, str]:
    """Name the topic of each kind."""
    return copied.topics


def test_the_driver_tells_how_much(copied: Copied, kafka_pair: ClusterPair) -> None:
    """Of all ways in which batches go: whole, shared, spliced."""
    found = re.search(r"IA->IB: copied ([\d,]+) records, ([\d.]+) MB", copied.said)
    assert found, copied.said
    assert int(found[1].replace(",", "")) >= 3 * _SINGLES + _MEDIUM + _BLOCK * _BLOCKS
    places = [(topic, 0) for topic in copied.topics.values()]
    places += [(copied.topics[kind], 1) for kind in ("singles", "mixed")]
    sent = sum(each.size for place in places for each in stored(kafka_pair.a, *place))
    # In the source a record that was alone in its batch has a header of 61 bytes, too.
    assert float(found[2]) > (sent - 3 * _SINGLES * 61) / 1e6 * 0.95


def test_single_records_arrive(topics: dict[str, str], kafka_pair: ClusterPair) -> None:
    """They were batches of their own, with and without compression."""
    topic = topics["singles"]
    for partition in range(2):
        assert {each.records for each in stored(kafka_pair.a, topic, partition)} == {1}
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: f"IA.{topic}"})
    assert verdict.ok, str(verdict)
    assert verdict.records == 2 * _SINGLES


@pytest.mark.parametrize(("partition", "codec"), [*enumerate(_CODECS_OF_SINGLES)])
def test_single_records_share_batches(
    topics: dict[str, str], kafka_pair: ClusterPair, partition: int, codec: str
) -> None:
    """Each batch costs the target more than its record. What was compressed is so again."""
    batches = written(kafka_pair.b, f"IA.{topics['singles']}", partition)
    assert len(batches) < _SINGLES / 4
    assert {each.codec for each in batches} - {"none"} == {codec} - {"none"}


def test_what_queues_is_more_than_a_batch_may_be(
    topics: dict[str, str], kafka_pair: ClusterPair
) -> None:
    """The target says so once, and all arrives in smaller ones."""
    topic = topics["narrow"]
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: f"IA.{topic}"})
    assert verdict.ok, str(verdict)
    assert verdict.records == _SINGLES
    arrived = stored(kafka_pair.b, f"IA.{topic}")
    assert max(each.records for each in arrived) > 1, "nothing has queued"
    assert max(each.size for each in arrived) <= 5000


def test_uncompressed_batches_share_batches(
    topics: dict[str, str], kafka_pair: ClusterPair
) -> None:
    """They are spliced: nothing is decoded, and the offset map knows each record."""
    topic = topics["medium"]
    mirror = f"IA.{topic}"
    sent, arrived = written(kafka_pair.a, topic), written(kafka_pair.b, mirror)
    assert len(sent) == _MEDIUM / _PER_MEDIUM
    assert len(arrived) < len(sent) / 2
    assert {each.codec for each in arrived} == {"none"}
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: mirror})
    assert verdict.ok, str(verdict)
    coverage = check_offset_map(*kafka_pair, {topic: mirror}, flow=Flow("IA", "IB"))
    assert coverage.mapped == coverage.records == _MEDIUM


def test_a_million_mixed_records_arrive(topics: dict[str, str], kafka_pair: ClusterPair) -> None:
    """Every codec, from 37 to 5000 records in a batch."""
    topic = topics["mixed"]
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: f"IA.{topic}"})
    assert verdict.ok, str(verdict)
    assert verdict.records == _BLOCKS * _BLOCK == 1_000_000

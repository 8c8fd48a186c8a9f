"""Times of batches: the producers', either broker's, from before 1970 and half an hour ahead."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.clock import SystemClock
from tests.support.batches import shapes, stored, varied, write_batches
from tests.support.bounded import FlowCopier
from tests.support.mirror_file import KEEPS_SETTINGS
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

CODECS = ("none", "lz4")
_APPEND = {"message.timestamp.type": "LogAppendTime"}
_CREATE = {"message.timestamp.type": "CreateTime"}
_TIMELESS = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**62)}
_MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The run, over."""

    name: str
    begun_ms: int


def mirror(topic: str) -> str:
    """Name a topic's copy."""
    return f"DA.{topic}"


def without_times(records: list[Content]) -> list[Content]:
    """Give the records with one and the same time."""
    return [replace(r, timestamp_ms=0) for r in records]


def make(pair: ClusterPair, topic: str, source: dict[str, str], target: dict[str, str]) -> str:
    """Make a topic and its copy, with settings of their own."""
    pair.b.create_topic(mirror(topic), partitions=2, config={"retention.ms": "-1"} | target)
    return pair.a.create_topic(topic, partitions=2, config={"retention.ms": "-1"} | source)


def write_both(cluster: Cluster, topic: str, make_records: Callable[[str], list[Content]]) -> None:
    """Write batches without compression to partition 0 and compressed ones to partition 1."""
    for partition, codec in enumerate(CODECS):
        write_batches(cluster, topic, make_records(codec), 100, codec=codec, partition=partition)


def odd_times(label: str) -> list[Content]:
    """Give batches with times from 1969 to half an hour ahead, within one batch too."""
    now_ms = SystemClock().wall_ms()
    begins = (1, -86_400_000, now_ms + 30 * _MINUTE_MS, now_ms)
    blocks = [varied(f"{label}-{n}", 100, timestamp_ms=begin) for n, begin in enumerate(begins)]
    mixed = [replace(block[n], key=b"mixed") for n in range(25) for block in blocks]
    return [*(r for block in blocks for r in block), *mixed]


@pytest.fixture(scope="module")
def copied(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> Copied:
    """Copy topics whose times are made in different places."""
    a = kafka_pair.a
    name = f"times-{secrets.token_hex(4)}"
    for kind, source, target in (
        ("append-create", _APPEND, _CREATE),
        ("create-append", _CREATE, _APPEND),
        ("append-append", _APPEND, _APPEND),
    ):
        topic = make(kafka_pair, f"{name}-{kind}", source, target)
        write_both(a, topic, lambda codec, kind=kind: varied(f"{kind}-{codec}", 500))
    odd = make(kafka_pair, f"{name}-odd", _TIMELESS, {})
    write_both(a, odd, odd_times)
    begun_ms = SystemClock().wall_ms()
    copy_flow(kafka_pair, "DA->DB", f"{name}-.*", KEEPS_SETTINGS)
    return Copied(name=name, begun_ms=begun_ms)


@pytest.mark.parametrize("partition", range(2))
def test_the_source_s_append_time_becomes_the_time(
    copied: Copied, kafka_pair: ClusterPair, partition: int
) -> None:
    """A reader of the copy sees the times that a reader of the source sees."""
    topic = f"{copied.name}-append-create"
    assert all(each.append_time for each in stored(kafka_pair.a, topic, partition))
    arrived = stored(kafka_pair.b, mirror(topic), partition)
    assert not any(each.append_time for each in arrived if not each.control)
    sent = read(kafka_pair.a, topic, partition)
    assert len(sent) == 500
    assert read(kafka_pair.b, mirror(topic), partition) == sent


@pytest.mark.parametrize("partition", range(2))
@pytest.mark.parametrize("kind", ["create-append", "append-append"])
def test_the_target_s_append_time_is_the_target_s(
    copied: Copied, kafka_pair: ClusterPair, kind: str, partition: int
) -> None:
    """Everything else is the same, and the times are those of the copy."""
    topic = f"{copied.name}-{kind}"
    arrived = read(kafka_pair.b, mirror(topic), partition)
    sent = read(kafka_pair.a, topic, partition)
    assert without_times(arrived) == without_times(sent)
    assert len(arrived) == 500
    # Brokers tell the time with their own clock, which is the same machine's.
    assert min(r.timestamp_ms for r in arrived) >= copied.begun_ms


@pytest.mark.parametrize("partition", range(2))
def test_odd_times_arrive(copied: Copied, kafka_pair: ClusterPair, partition: int) -> None:
    """In batches that are copied as they are."""
    topic = f"{copied.name}-odd"
    sent = read(kafka_pair.a, topic, partition)
    assert min(r.timestamp_ms for r in sent) < -86_000_000
    assert read(kafka_pair.b, mirror(topic), partition) == sent
    arrived = stored(kafka_pair.b, mirror(topic), partition)
    assert shapes(arrived) == shapes(stored(kafka_pair.a, topic, partition))

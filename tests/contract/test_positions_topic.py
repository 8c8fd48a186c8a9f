"""MirrorMaker 2's offsets topic and adoption by tails, on real brokers."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from confluent_kafka import Producer
from kmirror_lab.fixtures import ClusterPair

from kmirror.admin.adopt import LogSide, find_position
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connect_offsets import (
    ConnectOffsetsWriter,
    StoredPosition,
    read_connect_offsets,
)
from kmirror.admin.internal_topics import create_internal_topic
from kmirror.admin.reader import RecordReader
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic
from kmirror.wire.connect_offsets import ConnectOffset, encode_key, encode_value
from kmirror.wire.murmur2 import partition_for_key

pytestmark = pytest.mark.kafka

Record = tuple[bytes | None, bytes | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """A running cluster, to be filled by hand."""

    admin: KafkaAdmin
    config: dict[str, str]

    def topic(self) -> str:
        """Create a topic of one partition."""
        name = f"hand-{secrets.token_hex(4)}"
        # The records are older than any default retention.
        keep = (("retention.ms", "-1"),)
        new = NewTopic(name=name, partitions=1, replication_factor=1, configs=keep)
        assert not self.admin.create_topics([new])
        return name

    def write(self, topic: str, records: Sequence[Record], *, per_transaction: int = 0) -> None:
        """Write records, in transactions of *per_transaction* when that is not 0."""
        settings: dict[str, str] = dict(self.config)
        if per_transaction:
            settings["transactional.id"] = secrets.token_hex(4)
        producer = Producer(settings)
        if per_transaction:
            producer.init_transactions(30)
        step = per_transaction or max(len(records), 1)
        for at in range(0, len(records), step):
            if per_transaction:
                producer.begin_transaction()
            for key, value, timestamp in records[at : at + step]:
                producer.produce(topic, value, key, partition=0, timestamp=timestamp)
            if per_transaction:
                producer.commit_transaction(30)
        assert producer.flush(30) == 0

    def side(self, topic: str, reader: RecordReader) -> LogSide:
        """Give a topic's partition 0 for `find_position`."""
        return LogSide(admin=self.admin, reader=reader, partition=TopicPartition(topic, 0))


@pytest.fixture
def here(kafka_pair: ClusterPair) -> Iterator[Here]:
    """Give one of the session's clusters."""
    config = {"bootstrap.servers": kafka_pair.a.bootstrap}
    with KafkaAdmin("A", config, timeout_s=30) as admin:
        yield Here(admin=admin, config=config)


@pytest.fixture
def reader(here: Here) -> Iterator[RecordReader]:
    """Give a read_committed reader."""
    with RecordReader(here.config, cluster="A", timeout_s=30) as opened:
        yield opened


def key(partition: int) -> ConnectOffset:
    """Give the key of one source partition."""
    return ConnectOffset(
        connector="MirrorSourceConnector", cluster="A", topic="t", partition=partition
    )


def test_our_copies_and_mm2s_are_told_apart(here: Here) -> None:
    """The newest record of a key counts; garbage is counted; a reset removes."""
    topic = f"mm2-offsets.{secrets.token_hex(4)}.internal"
    assert read_connect_offsets(here.admin, here.config, topic).positions == {}
    create_internal_topic(here.admin, topic, partitions=25, replication_factor=3)
    create_internal_topic(here.admin, topic, partitions=25, replication_factor=3)
    writer = ConnectOffsetsWriter(here.config, topic, partitions=25, generation=7)
    writer.write([(key(number), 100 + number) for number in range(4)])
    mm2 = Producer(here.config)
    home = partition_for_key(encode_key(key(1)), 25)
    mm2.produce(topic, encode_value(500), encode_key(key(1)), partition=home)
    mm2.produce(topic, b"rubbish", b"rubbish", partition=3)
    assert mm2.flush(30) == 0
    writer.write([(key(2), 0)])
    writer.close()
    stored = read_connect_offsets(here.admin, here.config, topic, timeout_s=30)
    assert stored.ignored == 1
    assert stored.positions == {
        key(0): StoredPosition(offset=100, written_by_us=True),
        key(1): StoredPosition(offset=500, written_by_us=False),
        key(3): StoredPosition(offset=103, written_by_us=True),
    }


def records(count: int, *, first: int = 0) -> list[Record]:
    """Give distinct records."""
    return [
        (None if at % 7 == 0 else b"k", None if at % 11 == 0 else b"v%d" % at, 1_000_000 + at)
        for at in range(first, first + count)
    ]


def test_adopts_behind_the_last_copied_record(here: Here, reader: RecordReader) -> None:
    """Markers on either side do not matter."""
    source, target = here.topic(), here.topic()
    here.write(source, records(1000), per_transaction=10)
    here.write(target, records(300), per_transaction=7)
    found = find_position(here.side(source, reader), here.side(target, reader))
    # 300 records in transactions of ten: 30 markers, the last one behind the last record.
    assert found == 300 + 29


@pytest.mark.parametrize(
    ("in_source", "in_target"),
    [
        (records(500), []),
        (records(500), records(70, first=9000)),
        ([(b"k", b"same", 1)] * 500, [(b"k", b"same", 1)] * 200),
    ],
    ids=["empty target", "foreign records", "ambiguous"],
)
def test_never_guesses(
    here: Here, reader: RecordReader, in_source: list[Record], in_target: list[Record]
) -> None:
    """Nothing to compare, nothing found, or found twice: no answer."""
    source, target = here.topic(), here.topic()
    here.write(source, in_source)
    here.write(target, in_target)
    assert find_position(here.side(source, reader), here.side(target, reader)) is None

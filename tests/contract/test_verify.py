"""`verify` on real brokers: what it calls identical, and what it does not."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pytest
from confluent_kafka import Producer
from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka.admin import AdminClient
from kmirror_lab.fixtures import ClusterPair

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import SystemClock
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic
from kmirror.verify.pairs import PartitionPair
from kmirror.verify.result import PartitionResult, Verdict
from kmirror.verify.run import Side, verify

pytestmark = pytest.mark.kafka


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record to write."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp: int = 1_700_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Two clusters, and one topic on each that nobody else uses."""

    source: Side
    target: Side
    topic: str

    @property
    def pair(self) -> PartitionPair:
        """The only partition."""
        return PartitionPair(
            source=TopicPartition(self.topic, 0), target=TopicPartition(f"A.{self.topic}", 0)
        )

    def create(self, **target_configs: str) -> None:
        """Create both topics."""
        # The records are older than any default retention.
        keep = (("retention.ms", "-1"),)
        configs = tuple((name.replace("_", "."), value) for name, value in target_configs.items())
        for side, name, settings in (
            (self.source, self.topic, keep),
            (self.target, f"A.{self.topic}", keep + configs),
        ):
            new = NewTopic(name=name, partitions=1, replication_factor=1, configs=settings)
            assert not side.admin.create_topics([new])
            wait_for(side, TopicPartition(name, 0))

    def fill(self, source: Sequence[Record], target: Sequence[Record]) -> None:
        """Write records: plainly to the source, in transactions of 100 to the target."""
        write(self.source, self.pair.source, source)
        write(self.target, self.pair.target, target, per_transaction=100)

    def run(self, pair: PartitionPair | None = None, **options: bool) -> PartitionResult:
        """Compare."""
        report = verify(self.source, self.target, [pair or self.pair], timeout_s=30, **options)
        assert report.verdict is report.partitions[0].verdict
        return report.partitions[0]


@pytest.fixture
def bench(kafka_pair: ClusterPair) -> Iterator[Bench]:
    """Give two clusters and a topic name."""
    a = {"bootstrap.servers": kafka_pair.a.bootstrap}
    b = {"bootstrap.servers": kafka_pair.b.bootstrap}
    with KafkaAdmin("A", a, timeout_s=30) as source, KafkaAdmin("B", b, timeout_s=30) as target:
        yield Bench(
            source=Side(name="A", admin=source, config=a),
            target=Side(name="B", admin=target, config=b),
            topic=f"verify-{secrets.token_hex(4)}",
        )


def wait_for(side: Side, tp: TopicPartition) -> None:
    """Wait until a partition answers and no transaction is open: markers follow a commit later."""
    clock, never = SystemClock(), threading.Event()
    deadline_s = clock.monotonic_s() + 20
    while not (ends := side.admin.offsets([tp])) or (
        ends != side.admin.offsets([tp], isolation="read_committed")
    ):
        assert clock.monotonic_s() < deadline_s, f"{tp} is not settled: {ends}"
        clock.wait(never, 0.02)


def write(
    side: Side, tp: TopicPartition, records: Sequence[Record], *, per_transaction: int = 0
) -> None:
    """Write records, some aborted ones between the transactions."""
    config = dict(side.config)
    if per_transaction:
        config["transactional.id"] = secrets.token_hex(4)
    producer = Producer(config)
    if per_transaction:
        producer.init_transactions(30)
    step = per_transaction or max(1, len(records))
    for at in range(0, len(records), step):
        if per_transaction:
            producer.begin_transaction()
            producer.produce(tp.topic, b"aborted", b"key", partition=tp.partition)
            # A broker cannot abort what it does not know yet.
            assert producer.flush(30) == 0
            producer.abort_transaction(30)
            producer.begin_transaction()
        for record in records[at : at + step]:
            producer.produce(
                tp.topic,
                record.value,
                record.key,
                partition=tp.partition,
                headers=list(record.headers),
                timestamp=record.timestamp,
            )
            producer.poll(0)
        if per_transaction:
            producer.commit_transaction(30)
    assert producer.flush(30) == 0
    wait_for(side, tp)


def some(count: int, *, first: int = 0) -> list[Record]:
    """Give distinct records of every kind."""
    return [
        Record(
            value=None if at % 5 == 0 else b"" if at % 7 == 0 else b"v%d" % at,
            key=None if at % 3 == 0 else b"k%d" % at,
            headers=(("h", b"1"), ("h", None), ("n", b"%d" % at))[: at % 4],
            timestamp=1_700_000_000_000 + at,
        )
        for at in range(first, first + count)
    ]


def test_identical(bench: Bench) -> None:
    """Markers and aborted records on the target do not matter; progress reaches its end."""
    bench.create()
    bench.fill(some(2500), some(2500))
    seen: list[tuple[int, int]] = []
    report = verify(bench.source, bench.target, [bench.pair], progress=lambda *at: seen.append(at))
    result = report.partitions[0]
    assert result.identical, result
    assert report.records == result.source_records == result.target_records == 2500
    assert result.source_hash == result.target_hash
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("key", {"key": b"other"}),
        ("value", {"value": b"other"}),
        ("headers", {"headers": (("h", b"1"),) * 4}),
        ("timestamp", {"timestamp": 1}),
    ],
)
def test_a_changed_record(bench: Bench, kind: str, change: dict[str, object]) -> None:
    """The first difference is found in the middle of a large partition."""
    bench.create()
    target = some(2500)
    target[1500] = replace(target[1500], **change)  # type: ignore[arg-type]  # test shorthand
    bench.fill(some(2500), target)
    result = bench.run()
    assert result.difference is not None
    assert (result.difference.kind, result.difference.index) == (kind, 1500)
    assert result.difference.source_offset == 1500
    assert (result.source_records, result.target_records) == (2500, 2500)


def test_lost_and_extra_records(bench: Bench) -> None:
    """A gap is missing, a tail that the source never had is extra."""
    bench.create()
    bench.fill(some(500), some(200) + some(299, first=201) + some(50, first=9000))
    result = bench.run()
    assert result.difference is not None
    assert result.difference.kind == "missing"
    assert result.target_records == 549


@pytest.mark.parametrize("policy", ["delete", "compact"])
def test_a_reordered_record(bench: Bench, policy: str) -> None:
    """A record that is later on the target is neither missing nor extra, compacted or not."""
    bench.create(cleanup_policy=policy)
    records = [replace(record, key=b"k%d" % at) for at, record in enumerate(some(1500))]
    bench.fill(records, [*records[:100], *records[101:1400], records[100], *records[1400:]])
    difference = bench.run().difference
    assert difference is not None
    assert (difference.kind, difference.index, difference.source_offset) == ("reordered", 100, 100)
    assert "1299 records later" in difference.words


def test_extra_records_at_the_end(bench: Bench) -> None:
    """Nothing may be invented."""
    bench.create()
    bench.fill(some(200), some(210))
    result = bench.run()
    assert result.difference is not None
    assert result.difference.kind == "extra"


def test_behind_and_up_to_a_position(bench: Bench) -> None:
    """A running flow is behind, but identical up to its position."""
    bench.create()
    bench.fill(some(300), some(220))
    result = bench.run()
    assert result.difference is None
    assert (result.behind, result.equal_records) == (80, 220)
    assert result.verdict is Verdict.BEHIND
    assert bench.run(replace(bench.pair, source_end=220)).identical
    earlier = bench.run(replace(bench.pair, source_end=200))
    assert earlier.identical
    assert earlier.newer_on_target == 20


def test_retention_at_the_source(bench: Bench) -> None:
    """The target keeps what the source has forgotten."""
    bench.create()
    bench.fill(some(400), some(400))
    client = AdminClient({"bootstrap.servers": bench.source.config["bootstrap.servers"]})
    for future in client.delete_records([KafkaPartition(bench.topic, 0, 150)]).values():
        future.result(30)
    result = bench.run()
    assert result.identical, result
    assert (result.older_on_target, result.equal_records) == (150, 250)
    for future in client.delete_records([KafkaPartition(bench.topic, 0, 400)]).values():
        future.result(30)
    result = bench.run()
    assert result.identical, result
    assert result.older_on_target == 400


def test_began_at_latest(bench: Bench) -> None:
    """Older source records are a loss unless the flow says otherwise."""
    bench.create()
    bench.fill(some(400), some(300, first=100))
    result = bench.run()
    assert (result.older_on_source, result.equal_records, result.identical) == (100, 300, False)
    assert bench.run(began_at_latest=True).identical


def test_a_target_with_its_own_timestamps(bench: Bench) -> None:
    """They cannot be compared, and the result says so."""
    bench.create(message_timestamp_type="LogAppendTime")
    bench.fill(some(100), some(100))
    result = bench.run()
    assert result.identical
    assert not result.timestamps_compared


def test_a_compacted_copy(bench: Bench) -> None:
    """The older records of a key may be gone on one side; the last one may not."""
    bench.create(cleanup_policy="compact")
    records = [replace(record, key=b"%d" % (at % 30)) for at, record in enumerate(some(300))]
    bench.fill(records, records[:40] + records[260:])
    result = bench.run()
    assert result.identical, result
    assert (result.compacted_keys, result.equal_records) == (30, 80)
    assert bench.run(replace(bench.pair, source_end=40, target_end=42)).identical
    write(bench.target, bench.pair.target, [replace(records[0], value=b"other")])
    result = bench.run()
    assert result.difference is not None
    assert (result.difference.kind, result.identical) == ("record", False)


def test_what_does_not_exist(bench: Bench) -> None:
    """It is an error of the partition, never an empty partition."""
    assert "does not exist" in bench.run().error

"""Contents: what was written to the source is what the target holds, and nothing else."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.workload import Workload
from kmirror_lab.process.waiting import wait_until

from tests.support.batches import Transactions, varied
from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import (
    end_offset,
    numbered,
    read,
    read_with_offsets,
    record,
    write,
    write_transactions,
)

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

AWKWARD = [
    record(b"plain", key=b"key"),
    record(None, key=b"null value"),
    record(b"", key=b"empty value"),
    record(b"null key", key=None),
    record(b"empty key", key=b""),
    record(None, key=None),
    record(b"", key=b""),
    record(b"repeated", headers=[("h", b"1"), ("other", b"x"), ("h", b"2"), ("h", b"1")]),
    record(b"null header", headers=[("null", None), ("empty", b""), ("", b"nameless")]),
    record(bytes(range(256)), key=bytes(range(255, -1, -1)), headers=[("ü", bytes(range(256)))]),
    record(b"long ago", timestamp_ms=1),
    record(b"back in time", timestamp_ms=946_684_800_000),
    record(b"big" * 2_000_000, key=b"k" * 10_000),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The first bounded run, over, and what it copied."""

    file: Path
    awkward: str
    aborted: str
    compacted: str
    workload: Workload


def mirror(topic: str) -> str:
    """Name a topic's copy."""
    return f"R.{topic}"


@pytest.fixture(scope="module")
def copied(
    kafka_pair: ClusterPair,
    run_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Copied:
    """Fill three topics and run the flow until it has caught up."""
    a, folder = kafka_pair.a, tmp_path_factory.mktemp("records")
    name = f"records-{secrets.token_hex(4)}"
    # Some records are large, and some so old that retention would delete them.
    patient = {"max.message.bytes": "10000000", "retention.ms": "-1"}
    awkward = a.create_topic(f"{name}-awkward", partitions=2, config=patient)
    for partition in range(2):
        write(a, awkward, AWKWARD, partition=partition)
    aborted = a.create_topic(f"{name}-aborted")
    write_transactions(
        a,
        aborted,
        [
            (numbered("kept", range(50)), True),
            (numbered("dropped", range(50)), False),
            (numbered("kept", range(50, 60)), True),
            (numbered("dropped", range(50, 60)), False),
        ],
    )
    workload = Workload(
        bootstrap=a.bootstrap,
        topic=a.create_topic(f"{name}-workload", partitions=3),
        partitions=3,
        ledger=folder / "ledger.jsonl",
        records=3_000,
        abort_every=3,
    )
    running = workload.start()
    compacted = compact(a, f"{name}-compacted")
    running.wait(timeout_s=60)
    clusters = {"R": a, "S": kafka_pair.b}
    file = mirror_file(folder, clusters, *flow_lines("R->S", f"{name}-.*"))
    copy_once(run_module_driver, file)
    return Copied(
        file=file,
        awkward=awkward,
        aborted=aborted,
        compacted=compacted,
        workload=workload,
    )


def compact(cluster: Cluster, topic: str) -> str:
    """Make a topic from which the log cleaner has taken records, so that offsets are missing."""
    config = {
        "cleanup.policy": "compact",
        "segment.ms": "100",
        "min.cleanable.dirty.ratio": "0.01",
    }
    cluster.create_topic(topic, config=config)
    old = numbered("old", range(500))
    # Every 50th has a key of its own and stays, with a gap behind it.
    write(
        cluster, topic, [replace(r, key=r.value) if n % 50 == 0 else r for n, r in enumerate(old)]
    )
    fresh = count(500, 5)

    def cleaned() -> bool:
        # A segment is closed, and so may be cleaned, only when a much later record comes.
        begin = next(fresh)
        write(cluster, topic, numbered("new", range(begin, begin + 5)))
        return len(read(cluster, topic)) < end_offset(cluster, topic) - 400

    wait_until(cleaned, f"{topic} is compacted", timeout_s=90, pause_s=1)
    return topic


def test_records_arrive_unchanged(copied: Copied, kafka_pair: ClusterPair) -> None:
    """Null and empty keys and values, repeated and null headers, timestamps, 6 MB in a record."""
    for partition in range(2):
        assert len(read(kafka_pair.a, copied.awkward, partition)) == len(AWKWARD)
        arrived = read(kafka_pair.b, mirror(copied.awkward), partition)
        assert len(arrived) == len(AWKWARD)
        for got, sent in zip(arrived, AWKWARD, strict=True):
            assert got == sent, (sent.key, (sent.value or b"")[:40])


def test_aborted_records_are_not_copied(copied: Copied, kafka_pair: ClusterPair) -> None:
    """Of a transactional source only what was committed arrives."""
    assert read(kafka_pair.b, mirror(copied.aborted)) == numbered("kept", range(60))


def test_a_transactional_workload_arrives(copied: Copied, kafka_pair: ClusterPair) -> None:
    """Three partitions, every third transaction aborted: both sides are the same to a consumer."""
    topic = copied.workload.topic
    a, b = kafka_pair
    topics = {topic: mirror(topic)}
    verdict = check(a.bootstrap, b.bootstrap, topics, ledgers=[copied.workload.ledger])
    assert verdict.ok, str(verdict)
    assert verdict.records > 1_500


def test_a_compacted_topic_arrives(copied: Copied, kafka_pair: ClusterPair) -> None:
    """Offsets that are missing on the source do not stop the copy."""
    offsets = [offset for offset, _ in read_with_offsets(kafka_pair.a, copied.compacted)]
    assert offsets[-1] - offsets[0] > len(offsets) + 400, "nothing is missing"
    sent, arrived = (
        read(kafka_pair.a, copied.compacted),
        read(kafka_pair.b, mirror(copied.compacted)),
    )
    # Either side is cleaned when its broker likes; what counts is what a reader ends up with.
    assert {r.key: r for r in arrived} == {r.key: r for r in sent}
    assert len(arrived) < 200


def test_a_second_run_copies_only_new_records(
    copied: Copied, kafka_pair: ClusterPair, run_driver: DriverFactory
) -> None:
    """What was copied stays as it is; what is new comes behind it."""
    a, b = kafka_pair
    write(a, copied.awkward, numbered("new", range(20)))
    write_transactions(
        a,
        copied.aborted,
        [(numbered("dropped", range(70, 80)), False), (numbered("kept", range(60, 70)), True)],
    )
    copy_once(run_driver, copied.file)
    assert read(b, mirror(copied.awkward)) == [*AWKWARD, *numbered("new", range(20))]
    assert read(b, mirror(copied.awkward), 1) == AWKWARD
    assert read(b, mirror(copied.aborted)) == numbered("kept", range(70))


def test_a_transaction_of_others_is_told(
    copied: Copied, kafka_pair: ClusterPair, run_driver: DriverFactory
) -> None:
    """Somebody has one open on a copy: readers of committed records would miss what is behind."""
    copy = mirror(copied.compacted)
    writer = Transactions(kafka_pair.b)
    writer.begin()
    writer.write(copy, varied("open", 1))
    driver = copy_once(run_driver, copied.file)
    assert f"a transaction has not ended on {copy}-0" in driver.text
    writer.end(commit=False)

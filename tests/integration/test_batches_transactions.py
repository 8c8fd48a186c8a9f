"""Batches of transactional and idempotent producers: what was committed arrives, in order."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.model import Flow
from tests.support.batches import Transactions, shapes, stored, varied, write_batches, written
from tests.support.bounded import FlowCopier, copy_once
from tests.support.driver import DriverFactory
from tests.support.offset_map import check_offset_map
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

# Five committed batches each: none of them has to queue.
_HALVES = ("half-0", "half-1", "half-2", "half-3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The first run, over; two transactions are open still."""

    file: Path
    name: str
    committed: dict[str, list[Content]]
    waiting: list[Transactions]


def mirror(topic: str) -> str:
    """Name a topic's copy."""
    return f"TA.{topic}"


def halves(cluster: Cluster, topic: str) -> list[Content]:
    """Write 10 transactions, every second one aborted; give what was committed."""
    writer, kept = Transactions(cluster, compression_type="lz4"), []
    for n in range(10):
        records = varied(f"{topic}-{n}", 60)
        writer.begin()
        writer.write(topic, records)
        writer.end(commit=n % 2 == 0)
        kept += records if n % 2 == 0 else []
    return kept


def interleaved(cluster: Cluster, topic: str) -> list[Content]:
    """
    Write with three transactional producers and two idempotent ones in turn.

    Transactions of two rounds overlap: while one producer's is open, the others begin and end
    theirs. Aborted ones are longer than what a fetch brings.
    """
    writers = [Transactions(cluster), Transactions(cluster, compression_type="zstd")]
    writers.append(Transactions(cluster, compression_type="gzip"))
    kept: list[Content] = []
    for turn in range(18):
        for number, writer in enumerate(writers):
            phase, commit = (turn + number) % 3, (turn + number) // 3 % 2 == 0
            if phase == 0 or turn == 0:
                writer.begin()
            records = varied(f"p{number}-{turn}", 50)
            writer.write(topic, records)
            # With an odd number of rounds the first transactions are shorter.
            kept += records if commit else []
            if phase == 2 or turn == 17:
                writer.end(commit=commit)
        for number in range(2):
            records = varied(f"idempotent{number}-{turn}", 30)
            write_batches(cluster, topic, records, 30, enable_idempotence="true")
            kept += records
    return kept


def left_open(cluster: Cluster, topic: str) -> Transactions:
    """Commit one transaction, leave another open, and write something behind it."""
    writer = Transactions(cluster)
    writer.begin()
    writer.write(topic, varied("done", 50))
    writer.end(commit=True)
    writer.begin()
    writer.write(topic, varied("open", 80))
    write_batches(cluster, topic, varied("behind", 100), 50)
    return writer


@pytest.fixture(scope="module")
def copied(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> Copied:
    """Fill the topics and copy what is stable."""
    a = kafka_pair.a
    name = f"transactions-{secrets.token_hex(4)}"
    kinds = (*_HALVES, "interleaved", "commits", "aborts")
    topics = {kind: f"{name}-{kind}" for kind in kinds}
    for topic in topics.values():
        a.create_topic(topic)
    committed = {kind: halves(a, topics[kind]) for kind in _HALVES}
    committed["interleaved"] = interleaved(a, topics["interleaved"])
    waiting = [left_open(a, topics[kind]) for kind in ("commits", "aborts")]
    # Less than an aborted transaction: answers begin in the middle of one.
    little = "TA.consumer.max.partition.fetch.bytes = 20000"
    run = copy_flow(kafka_pair, "TA->TB", f"{name}-.*", little)
    return Copied(file=run.file, name=name, committed=committed, waiting=waiting)


@pytest.mark.parametrize("kind", [*_HALVES, "interleaved"])
def test_what_was_committed_arrives(copied: Copied, kafka_pair: ClusterPair, kind: str) -> None:
    """Every record of committed transactions and of plain producers, in the order of the log."""
    topic = f"{copied.name}-{kind}"
    assert read(kafka_pair.a, topic) == copied.committed[kind], "the source itself"
    assert read(kafka_pair.b, mirror(topic)) == copied.committed[kind]


@pytest.mark.parametrize("kind", _HALVES)
def test_batches_keep_their_borders(copied: Copied, kafka_pair: ClusterPair, kind: str) -> None:
    """Committed batches are on the target byte for byte, aborted ones are not there at all."""
    topic = f"{copied.name}-{kind}"
    sent = written(kafka_pair.a, topic)
    assert len(sent) == 10
    arrived = stored(kafka_pair.b, mirror(topic))
    assert shapes(arrived) == shapes(sent[::2])
    assert all(each.transactional for each in arrived)


@pytest.mark.parametrize("kind", [*_HALVES, "interleaved"])
def test_the_offset_map_knows_what_was_aborted(
    copied: Copied, kafka_pair: ClusterPair, kind: str
) -> None:
    """Every committed record is found, in both directions."""
    topic = f"{copied.name}-{kind}"
    coverage = check_offset_map(*kafka_pair, {topic: mirror(topic)}, flow=Flow("TA", "TB"))
    assert coverage.mapped == coverage.records == len(copied.committed[kind])


def test_an_open_transaction_stops_the_copy_before_it(
    copied: Copied, kafka_pair: ClusterPair, warm_driver: DriverFactory
) -> None:
    """The last stable offset is the end; once the transaction has ended the rest follows."""
    a, b = kafka_pair
    commits, aborts = (f"{copied.name}-{kind}" for kind in ("commits", "aborts"))
    done, opened, behind = varied("done", 50), varied("open", 80), varied("behind", 100)
    assert [r.value for r in read(b, mirror(commits))] == [r.value for r in done]
    assert [r.value for r in read(b, mirror(aborts))] == [r.value for r in done]
    for writer, commit in zip(copied.waiting, (True, False), strict=True):
        writer.end(commit=commit)
    copy_once(warm_driver, copied.file)
    for topic, wanted in ((commits, [*done, *opened, *behind]), (aborts, [*done, *behind])):
        assert [r.value for r in read(a, topic)] == [r.value for r in wanted]
        assert read(b, mirror(topic)) == read(a, topic)

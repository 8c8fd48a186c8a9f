"""The oracle finds what is wrong, says what it is, and says nothing when all is well."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from kmirror_lab.cluster.clients import Refusals, drain, producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.fill import fill
from kmirror_lab.oracle.ledger import LedgerWriter, Op, read_ledger
from kmirror_lab.oracle.record import Content, make_content
from kmirror_lab.oracle.verdict import Fault, Verdict
from kmirror_lab.oracle.workload import Workload
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock

pytestmark = pytest.mark.kafka

# Yesterday: what is older than a week may be gone before it is read (retention.ms).
NOW_MS = SystemClock().wall_ms() - 86_400_000
Names = Callable[[str], str]


def contents(count: int = 200) -> list[Content]:
    """Make awkward records, the same ones every time."""
    rng = random.Random(7)
    return [make_content(rng, producer=1, seq=n, now_ms=NOW_MS + n) for n in range(count)]


def write(cluster: Cluster, topic: str, records: Sequence[Content], **settings: str) -> None:
    """Write *records* into partition 0 and wait for the answers."""
    client = producer(cluster.bootstrap, message_max_bytes="2000000", **settings)
    refusals = Refusals()
    if settings:
        client.init_transactions(30)
        client.begin_transaction()
    for record in records:
        client.produce(
            topic,
            partition=0,
            key=record.key,
            value=record.value,
            headers=[*record.headers],
            timestamp=record.timestamp_ms,
            on_delivery=refusals,
        )
    drain(client, timeout_s=60, refused=refusals.errors)


def compared(pair: ClusterPair, topic: str, target: Sequence[Content]) -> Verdict:
    """Write the usual records into A and *target* into B, and compare."""
    for cluster, records in ((pair.a, contents()), (pair.b, target)):
        cluster.create_topic(topic)
        write(cluster, topic, records)
    return check(pair.a.bootstrap, pair.b.bootstrap, {topic: topic})


def test_the_same_is_the_same(kafka_pair: ClusterPair, topic_name: Names) -> None:
    """Nulls, empty values and repeated headers are no difference to themselves."""
    verdict = compared(kafka_pair, topic_name("same"), contents())
    assert verdict.ok, str(verdict)
    assert verdict.records == 200


@pytest.mark.parametrize("at", [0, 100, 199])
def test_a_loss(kafka_pair: ClusterPair, topic_name: Names, at: int) -> None:
    """One record is missing: at the start, in the middle, at the end."""
    records = contents()
    del records[at]
    verdict = compared(kafka_pair, topic_name("loss"), records)
    assert verdict.counts == {Fault.LOST: 1}
    first = verdict.partitions[0].first
    assert first is not None
    assert first.source_offset == at
    assert first.detail == "it is nowhere in the target's log"


@pytest.mark.parametrize("aborted", [True, False])
def test_a_loss_in_a_transaction(
    kafka_pair: ClusterPair, topic_name: Names, *, aborted: bool
) -> None:
    """The target's log has the record, but in a transaction that was aborted, or that is open."""
    a, b = kafka_pair
    topic, records = topic_name("unseen"), contents()
    for cluster in kafka_pair:
        cluster.create_topic(topic)
    write(a, topic, records)
    write(b, topic, records[:150])
    write(b, topic, records[150:], transactional_id=topic)
    if aborted:
        producer(b.bootstrap, transactional_id=topic).init_transactions(30)
        write(b, topic, records[151:])
    verdict = check(a.bootstrap, b.bootstrap, {topic: topic})
    assert verdict.counts.pop(Fault.HANGING, 0) == (0 if aborted else 1)
    (first,) = (p.first for p in verdict.partitions)
    assert first is not None
    assert (first.fault, first.source_offset) == (Fault.LOST, 150)
    state = "an aborted" if aborted else "an open"
    assert first.detail == f"the target has it in {state} transaction, at offset 150"


def test_a_duplicate(kafka_pair: ClusterPair, topic_name: Names) -> None:
    """A run of records is written once more, as a restart at an old position does."""
    records = contents()
    verdict = compared(kafka_pair, topic_name("twice"), records[:150] + records[50:])
    assert verdict.counts == {Fault.DUPLICATED: 100}
    first = verdict.partitions[0].first
    assert first is not None
    assert first.target_offset == 150


def test_a_swap(kafka_pair: ClusterPair, topic_name: Names) -> None:
    """Two neighbours changed places."""
    records = contents()
    records[70], records[71] = records[71], records[70]
    assert compared(kafka_pair, topic_name("swap"), records).counts == {Fault.REORDERED: 1}


@pytest.mark.parametrize("what", ["headers", "timestamp_ms", "key", "value"])
def test_a_change(kafka_pair: ClusterPair, topic_name: Names, what: str) -> None:
    """One part of one record differs, and the verdict says which."""
    records = contents()
    # Null or empty is the smallest difference there is.
    other: dict[str, object] = {
        "headers": [("twice", None), ("twice", b"1")],
        "timestamp_ms": NOW_MS,
        "key": b"" if records[42].key is None else None,
        "value": b"" if records[42].value is None else None,
    }
    records[42] = replace(records[42], **{what: other[what]})  # type: ignore[arg-type]  # by name
    verdict = compared(kafka_pair, topic_name("change"), records)
    assert verdict.counts == {Fault.CHANGED: 1}
    first = verdict.partitions[0].first
    assert first is not None
    assert (first.source_offset, first.target_offset) == (42, 42)
    assert what.removesuffix("_ms") in first.detail


def test_an_invention(kafka_pair: ClusterPair, topic_name: Names) -> None:
    """A record nobody wrote into the source."""
    records = contents()
    foreign = Content(timestamp_ms=NOW_MS, key=b"foreign", value=b"record", headers=[])
    verdict = compared(kafka_pair, topic_name("foreign"), [*records[:10], foreign, *records[10:]])
    assert verdict.counts == {Fault.INVENTED: 1}


def test_a_missing_topic_is_a_loss(kafka_pair: ClusterPair, topic_name: Names) -> None:
    """A target topic that does not exist has lost everything."""
    topic = kafka_pair.a.create_topic(topic_name("absent"))
    write(kafka_pair.a, topic, contents(5))
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: topic})
    assert verdict.counts == {Fault.LOST: 5}


def test_a_hanging_transaction(kafka_pair: ClusterPair, topic_name: Names) -> None:
    """An open transaction in the target holds its readers up."""
    topic = topic_name("hanging")
    assert compared(kafka_pair, topic, contents()).ok
    write(kafka_pair.b, topic, contents(1), transactional_id=topic)
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: topic})
    assert verdict.counts == {Fault.HANGING: 1}


def test_many_records(kafka_pair: ClusterPair, topic_name: Names) -> None:
    """More records than a window, several partitions, and a difference in each."""
    topic = kafka_pair.a.create_topic(topic_name("many"), partitions=3)
    fill(kafka_pair.a.bootstrap, topic, records=60_000, size_bytes=100, partitions=3)
    itself = check(kafka_pair.a.bootstrap, kafka_pair.a.bootstrap, {topic: topic})
    assert itself.ok, str(itself)
    assert itself.records == 60_000
    kafka_pair.b.create_topic(topic, partitions=3)
    # The same values at another time: every timestamp differs.
    fill(kafka_pair.b.bootstrap, topic, records=60_000, size_bytes=100, partitions=3)
    verdict = check(kafka_pair.a.bootstrap, kafka_pair.b.bootstrap, {topic: topic})
    assert verdict.counts == {Fault.CHANGED: 60_000}


@pytest.mark.parametrize("abort_every", [0, 2])
def test_a_ledger(
    kafka_pair: ClusterPair, topic_name: Names, tmp_path: Path, abort_every: int
) -> None:
    """
    The ledger agrees with the cluster, also after aborts; a forged line does not.

    With the offset of an answer, and without.
    """
    topic = kafka_pair.a.create_topic(topic_name("ledger"), partitions=2)
    spec = Workload(
        bootstrap=kafka_pair.a.bootstrap,
        topic=topic,
        partitions=2,
        ledger=tmp_path / "ledger.jsonl",
        records=400,
        abort_every=abort_every,
    )
    running = spec.start()
    running.wait(timeout_s=120)
    assert running.acked() == (200 if abort_every else 400)
    bootstrap = kafka_pair.a.bootstrap
    verdict = check(bootstrap, bootstrap, {topic: topic}, ledgers=[spec.ledger])
    assert verdict.ok, str(verdict)
    *others, last = (entry for entry in read_ledger(spec.ledger) if entry.op is Op.OK)
    for known in (last, replace(last, offset=-1)):
        for entry, counts in ((known, {}), (replace(known, digest="0"), {Fault.LEDGER_LOST: 1})):
            ledger = tmp_path / f"{entry.offset}-{entry.digest}.jsonl"
            with LedgerWriter(ledger) as writer:
                for each in (*others, entry):
                    writer.write(each)
            verdict = check(bootstrap, bootstrap, {topic: topic}, ledgers=[ledger])
            assert verdict.counts == counts


def test_a_killed_workload_leaves_a_readable_ledger(
    kafka_pair: ClusterPair, topic_name: Names, tmp_path: Path
) -> None:
    """What was acknowledged before the kill is in the source."""
    topic = kafka_pair.a.create_topic(topic_name("killed"))
    ledger = tmp_path / "ledger.jsonl"
    spec = Workload(
        bootstrap=kafka_pair.a.bootstrap, topic=topic, partitions=1, ledger=ledger, rate=500
    )
    running = spec.start()
    wait_until(lambda: running.acked() > 100, "100 acknowledged records", timeout_s=60)
    running.kill()
    bootstrap = kafka_pair.a.bootstrap
    verdict = check(bootstrap, bootstrap, {topic: topic}, ledgers=[ledger])
    assert verdict.ok, str(verdict)
    assert verdict.records >= running.acked()

"""What the target never takes, and damaged batches, under `kmirror.poison`: skip and dlq."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, replace
from typing import Any

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.clock import SystemClock
from tests.support.batches import damage, varied, write_batches
from tests.support.bounded import Copy, FlowCopier, copy_once
from tests.support.commands import Answer, dlq, gaps
from tests.support.driver import DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS
from tests.support.records import numbered, read, record, write
from tests.support.topic_settings import change_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_DAY_MS = 86_400_000
_TIMELESS = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**62)}
_BATCH = 100
_OURS = "kmirror.dlq."
POISON_AT = (0, 137, 299)
"""Offsets: a batch's first record, one in the middle, and a batch's last one."""
POLICIES = ("skip", "dlq")
REASONS = {"large": "too_large", "early": "timestamp_refused", "keyless": "key_missing"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The run, over: records by topic and partition."""

    run: Copy
    flow: str
    sent: dict[tuple[str, int], list[Content]]

    def without_poison(self, topic: str) -> list[Content]:
        """Give what should have arrived."""
        return [r for n, r in enumerate(self.sent[topic, 0]) if n not in POISON_AT]


def _keyed(label: str) -> list[Content]:
    return [replace(r, key=f"k{n}".encode()) for n, r in enumerate(varied(label, 500))]


def _poisoned(kind: str, records: list[Content]) -> list[Content]:
    tomorrow_ms = SystemClock().wall_ms() + _DAY_MS
    for at in POISON_AT:
        if kind == "large":
            records[at] = replace(records[at], value=secrets.token_bytes(50_000))
        elif kind == "early":
            records[at] = replace(records[at], timestamp_ms=tomorrow_ms)
        else:
            records[at] = replace(records[at], key=None)
    return records


@pytest.fixture(scope="module", params=["whole", "record"])
def copied(
    request: pytest.FixtureRequest, kafka_pair: ClusterPair, copy_flow: FlowCopier
) -> Copied:
    """Copy topics with three records each that the target refuses, for each cause and policy."""
    a, b = kafka_pair
    flow = "PA->PB" if request.param == "whole" else "PC->PD"
    source = flow.partition("-")[0]
    sent: dict[tuple[str, int], list[Content]] = {}
    taken = {
        "large": {"max.message.bytes": "20000"},
        "early": {"retention.ms": "-1"},
        "keyless": {"cleanup.policy": "compact", "min.compaction.lag.ms": str(2**40)},
    }
    name = f"poison-{request.param}-{secrets.token_hex(4)}"
    for kind, settings in taken.items():
        for policy in POLICIES:
            topic = a.create_topic(f"{name}-{kind}-{policy}", config=_TIMELESS)
            b.create_topic(f"{source}.{topic}", config=settings)
            records = _poisoned(kind, _keyed(topic))
            write_batches(a, topic, records, _BATCH, codec="lz4")
            sent[f"{kind}-{policy}", 0] = records
    run = copy_flow(
        kafka_pair,
        flow,
        f"{name}-.*",
        KEEPS_SETTINGS,
        "kmirror.poison = park, .*-skip: skip, .*-dlq: dlq",
        f"kmirror.granularity = {'auto' if request.param == 'whole' else 'record'}",
    )
    records_of = {(f"{source}.{name}-{topic}", p): r for (topic, p), r in sent.items()}
    return Copied(run=run, flow=flow, sent=records_of)


def _objects(answer: Answer) -> list[dict[str, Any]]:
    assert answer.code == 0, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def letters(cluster: Cluster, topic: str) -> list[tuple[dict[str, str], Content]]:
    """Give a topic's dead letters: their coordinates, and what was kept."""
    found = []
    for letter in read(cluster, topic):
        ours = {k[12:]: v.decode() for k, v in letter.headers if v and k.startswith(_OURS)}
        theirs = [(k, v) for k, v in letter.headers if not k.startswith(_OURS)]
        own = int(ours.get("timestamp", -1))
        found.append((ours, replace(letter, headers=theirs, timestamp_ms=own)))
    return found


def test_the_copy_has_everything_else(copied: Copied, kafka_pair: ClusterPair) -> None:
    """In order, once."""
    for topic, partition in copied.sent:
        assert read(kafka_pair.b, topic, partition) == copied.without_poison(topic), topic


def test_each_is_told(copied: Copied) -> None:
    """A line for each, with its offset."""
    for topic, _ in copied.sent:
        source = topic.partition(".")[2]
        lines = copied.run.driver.lines(f"WARNING.*went on without {source}-0")
        for at in POISON_AT:
            (line,) = [each for each in lines if f"offset {at}: target: " in each]
            assert source.rpartition("-")[2] in line


def test_what_is_kept_is_whole(copied: Copied, kafka_pair: ClusterPair) -> None:
    """Its bytes, its coordinates, its reason; once."""
    some = next(iter(copied.sent))[0]
    kept = letters(kafka_pair.b, f"kmirror-dlq.{some.partition('.')[0]}")
    for topic, _ in copied.sent:
        source = topic.partition(".")[2]
        found = [each for each in kept if each[0]["topic"] == source]
        if topic.endswith("-skip"):
            assert found == []
            continue
        assert [int(ours["offset"]) for ours, _ in found] == list(POISON_AT)
        for ours, content in found:
            assert content == copied.sent[topic, 0][int(ours["offset"])]
            assert ours["reason"] == REASONS[topic.split("-")[-2]]
            assert ours["target"] == topic
            assert "truncated" not in ours


def test_each_is_among_the_gaps(copied: Copied) -> None:
    """With its offset, its reason, and the number of its letter."""
    file, flow = copied.run.file, copied.flow
    kept = _objects(dlq("list", file, flow, "--json"))
    numbers = {(each["topic"], each["offset"]): each["number"] for each in kept}
    told = _objects(gaps(file, flow, "--json"))
    assert len(told) == len(copied.sent) * len(POISON_AT)
    for topic, _ in copied.sent:
        source = topic.partition(".")[2]
        kind, poison = topic.split("-")[-2:]
        found = [each for each in told if each["topic"] == source]
        assert [each["from"] for each in found] == list(POISON_AT)
        for each in found:
            assert (each["copy"], each["to"], each["records"]) == (topic, each["from"], 1)
            assert (each["kind"], each["reaction"]) == (REASONS[kind], poison)
            is_kept = poison == "dlq"
            assert each["letter_topic"] == (f"kmirror-dlq.{flow[:2]}" if is_kept else None)
            assert each["letter"] == (numbers[source, each["from"]] if is_kept else None)


def test_gaps_of_one_topic(copied: Copied) -> None:
    """Others are left out."""
    topics = [topic.partition(".")[2] for topic, _ in copied.sent]
    answer = gaps(copied.run.file, copied.flow, *topics[:2])
    assert answer.code == 0
    assert answer.text.count("skip") > 0
    assert [topic for topic in topics if f"{topic}-0" in answer.text] == topics[:2]


def test_many_headers_are_no_poison(kafka_pair: ClusterPair, copy_flow: FlowCopier) -> None:
    """Neither brokers nor clients limit their number: 10,000 are copied."""
    a, b = kafka_pair
    topic = a.create_topic(f"poison-headers-{secrets.token_hex(4)}")
    many = record(b"v", headers=[(f"h{n}", b"%d" % n) for n in range(10_000)])
    write(a, topic, [many])
    copy_flow(kafka_pair, "PE->PF", topic)
    copy_flow(kafka_pair, "PG->PH", topic, "kmirror.granularity = record")
    for source in ("PE", "PG"):
        assert read(b, f"{source}.{topic}") == [many]


def test_what_cannot_be_kept_parks(
    kafka_pair: ClusterPair, copy_flow: FlowCopier, warm_driver: DriverFactory
) -> None:
    """Where the topic for dead letters refuses it, too; later it goes on as if nothing had been."""
    a, b = kafka_pair
    topic = a.create_topic(f"poison-unkept-{secrets.token_hex(4)}", config=_TIMELESS)
    b.create_topic(f"PI.{topic}", config={"max.message.bytes": "20000"})
    wants_keys = {"cleanup.policy": "compact"}
    b.create_topic("kmirror-dlq.PI", config=wants_keys)
    records = numbered("unkept", range(10))
    records[5] = record(secrets.token_bytes(50_000))
    write(a, topic, records)
    run = copy_flow(kafka_pair, "PI->PJ", topic, KEEPS_SETTINGS, "kmirror.poison = dlq", code=5)
    (line,) = run.driver.lines(f"ERROR.*parked {topic}-0")
    assert "offset 5: target: kmirror-dlq.PI: " in line
    assert read(b, f"PI.{topic}") == records[:5]
    # It is there, takes keyless records now, but not all of a large one.
    change_settings(b, "kmirror-dlq.PI", {"cleanup.policy": "delete", "max.message.bytes": "30000"})
    copy_once(warm_driver, run.file)
    assert read(b, f"PI.{topic}") == records[:5] + records[6:]
    ((ours, content),) = letters(b, "kmirror-dlq.PI")
    assert (ours["truncated"], ours["value.size"]) == ("true", "50000")
    assert content.value
    assert records[5].value
    assert 20_000 < len(content.value) < 30_000
    assert records[5].value.startswith(content.value)


def test_without_transactions_it_is_at_least_once(
    kafka_pair: ClusterPair, copy_flow: FlowCopier
) -> None:
    """Nothing is missing, and the order of first arrivals is right; repeats are allowed."""
    a, b = kafka_pair
    topic = a.create_topic(f"poison-alo-{secrets.token_hex(4)}", config=_TIMELESS)
    b.create_topic(f"PK.{topic}", config={"max.message.bytes": "20000"})
    records = _poisoned("large", _keyed(topic))
    write_batches(a, topic, records, _BATCH)
    lines = (KEEPS_SETTINGS, "kmirror.poison = dlq", "kmirror.exactly.once = false")
    copy_flow(kafka_pair, "PK->PL", topic, *lines)
    others = [r for n, r in enumerate(records) if n not in POISON_AT]
    arrived = {r.digest(): r for r in read(b, f"PK.{topic}")}
    assert list(arrived.values()) == others
    kept = {int(ours["offset"]): content for ours, content in letters(b, "kmirror-dlq.PK")}
    assert kept == {at: records[at] for at in POISON_AT}


DAMAGES = (
    (61, 0x04, False),
    (45, 0x04, False),
    (26, 0x04, False),
    (23, 0x04, False),
    (23, 0x80, False),
    (22, 0x20, False),
    (61, 0x04, True),
)
"""
A byte of the third batch, which bits of it, and whether the checksum is right all the same: the
first byte after its header, its producer id, its last offset (a little and very much later, and
earlier), that it is a transaction's marker; and again the first byte after its header.
"""


def test_damaged_batches_are_left_behind(own_pair: ClusterPair, copy_flow: FlowCopier) -> None:
    """The batch alone, also if its header does not say where it ends; its bytes are kept."""
    a, b = own_pair
    sent = {}
    for policy in POLICIES:
        topic = a.create_topic(f"damaged-{policy}", partitions=len(DAMAGES))
        for partition in range(len(DAMAGES)):
            sent[topic, partition] = varied(f"{topic}-{partition}", 500)
            write_batches(a, topic, sent[topic, partition], _BATCH, partition=partition)
    a.stop()
    for topic, partition in sent:
        byte, bits, is_sealed = DAMAGES[partition]
        damage(a, topic, partition, byte, bits, sealed=is_sealed)
    a.start()
    copy_flow(own_pair, "A->B", "damaged-.*", "kmirror.poison = .*-skip: skip, dlq")
    for (topic, partition), records in sent.items():
        expected = records[:200] + records[300:]
        assert read(b, f"A.{topic}", partition) == expected, (topic, partition)
    kept = letters(b, "kmirror-dlq.A")
    found = {int(ours["partition"]): (ours, content) for ours, content in kept}
    assert len(kept) == len(found) == len(DAMAGES)
    for ours, content in found.values():
        assert (ours["topic"], ours["reason"]) == ("damaged-dlq", "damaged_batch")
        assert (ours["offset"], ours["end"]) == ("200", "300")
        assert content.value is not None
        assert int.from_bytes(content.value[:8]) == 200

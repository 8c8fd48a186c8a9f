"""Every kind of gap, made on real brokers, with every reaction: what is copied and told."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import OffsetSpec
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content
from kmirror_lab.process.waiting import wait_until

from tests.support.batches import set_topic
from tests.support.bounded import copy_once
from tests.support.commands import gaps, status, verify
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import delete_before, end_offset, numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

# One flow for each reaction, and one that chooses for each topic.
REACTIONS = ("fail", "continue", "restart", "renew", "each")
WORDS = {
    "renew": "new-generation",
    "each": "fail, .*-(overtaken|gone)-.*: continue",
}
KEYS = ("data.gap", "topic.recreated", "position.missing")
KINDS = ("overtaken", "aged", "recreated", "gone")
_EARLIEST = OffsetSpec.earliest()
OLD, MISSED, NEW = numbered("old", range(20)), numbered("missed", range(7)), numbered("new", [1])
MORE = numbered("more", range(3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """The run that has met all gaps, over."""

    driver: Driver
    file: Path
    pair: ClusterPair
    label: str

    def topic(self, kind: str, reaction: str) -> str:
        """Give a source topic."""
        return f"{reaction}-{kind}-{self.label}"

    def copy(self, kind: str, reaction: str) -> Sequence[Content]:
        """Give what the flow of that reaction has of it."""
        return read(self.pair.b, f"{reaction}.{self.topic(kind, reaction)}")

    def generation(self, kind: str, number: int) -> Sequence[Content]:
        """Give what a later copy has, where the file wants one."""
        return read(self.pair.b, f"renew.{self.topic(kind, 'renew')}.g{number}")

    def told(self, reaction: str) -> dict[str, dict[str, object]]:
        """Give what is told of a flow's gaps, by the topic's kind."""
        answer = gaps(self.file, f"{reaction}->T", "--json")
        found = [json.loads(line) for line in answer.text.splitlines()]
        return {str(each["topic"]).split("-")[1]: each for each in found}


def delete_topic(cluster: Cluster, topic: str) -> None:
    """Delete a topic, and wait until it is gone."""
    admin = cluster.admin()  # answers die with the client that asked
    admin.delete_topics([topic])[topic].result(30)
    wait_until(lambda: topic not in topics_of(cluster), f"{topic} is gone", timeout_s=30)


def overtake(cluster: Cluster, topic: str) -> None:
    """Delete what was not copied yet."""
    write(cluster, topic, MISSED)
    delete_before(cluster, topic, end_offset(cluster, topic))
    write(cluster, topic, NEW)


def age(cluster: Cluster, topics: Sequence[str]) -> None:
    """Let retention delete what was not copied yet."""
    ends = {}
    for topic in topics:
        # All of these records are an hour old.
        set_topic(cluster, topic, retention_ms="1000")
        write(cluster, topic, MISSED)
        ends[topic] = len(OLD) + len(MISSED)

    admin = cluster.admin()

    def is_over() -> bool:
        starts = admin.list_offsets({Place(topic, 0): _EARLIEST for topic in topics})
        return all(
            future.result(30).offset >= ends[place.topic] for place, future in starts.items()
        )

    wait_until(is_over, "retention has deleted all of it", timeout_s=60)
    for topic in topics:
        set_topic(cluster, topic, retention_ms="-1")
        write(cluster, topic, NEW)


@pytest.fixture(scope="module")
def quick_retention(
    kafka_pair: ClusterPair, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClusterPair]:
    """Give a source that looks for what is too old five times a second."""
    config = {"log.retention.check.interval.ms": "200", "log.initial.task.delay.ms": "1000"}
    source = Cluster("A", tmp_path_factory.mktemp("quick"), config=config)
    with started(source):
        yield ClusterPair(source, kafka_pair.b)


@pytest.fixture(scope="module")
def found(
    quick_retention: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Gaps:
    """Copy, make every gap for every reaction, and copy again."""
    pair, label = quick_retention, secrets.token_hex(4)
    clusters = dict.fromkeys(REACTIONS, pair.a) | {"T": pair.b}
    lines = []
    for reaction in REACTIONS:
        settings = [f"kmirror.{key} = {WORDS.get(reaction, reaction)}" for key in KEYS]
        lines += flow_lines(f"{reaction}->T", f"{reaction}-.*-{label}", *settings)
    file = mirror_file(tmp_path_factory.mktemp("gaps"), clusters, *lines)
    made = Gaps(driver=None, file=file, pair=pair, label=label)  # type: ignore[arg-type]  # not yet
    topics = {(kind, each): made.topic(kind, each) for kind in KINDS for each in REACTIONS}
    for topic in topics.values():
        write(pair.a, pair.a.create_topic(topic, partitions=1), OLD)
    copy_once(warm_module_driver, file)
    for (kind, reaction), topic in topics.items():
        if kind == "overtaken":
            overtake(pair.a, topic)
        elif kind == "recreated":
            delete_topic(pair.a, topic)
            write(pair.a, pair.a.create_topic(topic, partitions=1), NEW)
        elif kind == "gone":
            delete_topic(pair.b, f"{reaction}.{topic}")
            write(pair.a, topic, NEW)
    age(pair.a, [topic for (kind, _), topic in topics.items() if kind == "aged"])
    driver = copy_once(warm_module_driver, file, code=5)
    return Gaps(driver=driver, file=file, pair=pair, label=label)


def test_by_default_only_what_has_a_gap_stands_still(found: Gaps) -> None:
    """Nothing is skipped or copied twice, and each gap is told with its offsets."""
    for kind in ("overtaken", "aged", "recreated"):
        assert found.copy(kind, "fail") == OLD
    assert found.copy("gone", "fail") == []
    told = found.told("fail")
    assert {kind: (each["kind"], each["status"]) for kind, each in told.items()} == {
        "overtaken": ("overtaken", "parked"),
        "aged": ("overtaken", "parked"),
        "recreated": ("recreated", "parked"),
        "gone": ("target_lost", "parked"),
    }
    gap = told["overtaken"]
    assert (gap["from"], gap["to"], gap["records"], gap["log"]) == (20, 26, 7, "source")
    assert gap["metric"] == "kmirror_gap_overtaken_records"
    lost = told["gone"]
    assert (lost["from"], lost["log"]) == (0, "target")
    assert found.driver.lines(r"fail->T: .*overtaken-.*-0: gap: overtaken: source offsets 20 to 26")


def test_retention_is_a_gap_like_any_other(found: Gaps) -> None:
    """The brokers' own: segments that were too old."""
    told = found.told("continue")["aged"]
    assert (told["kind"], told["from"], told["status"]) == ("overtaken", 20, "resolved")
    assert int(str(told["records"])) >= len(MISSED)
    assert found.copy("aged", "continue")[: len(OLD)] == OLD


@pytest.mark.parametrize("reaction", ["continue", "restart"])
def test_going_on(found: Gaps, reaction: str) -> None:
    """What the source has is appended; the gap is told as resolved."""
    assert found.copy("overtaken", reaction) == [*OLD, *NEW]
    assert found.copy("recreated", reaction) == [*OLD, *NEW]
    again = [*OLD, *NEW] if reaction == "restart" else NEW
    assert found.copy("gone", reaction) == again
    told = found.told(reaction)
    assert {each["status"] for each in told.values()} == {"resolved"}
    assert {each["reaction"] for each in told.values()} == {reaction}
    assert told["overtaken"]["offset"] == 27


def test_each_topic_has_its_own_reaction(found: Gaps) -> None:
    """One flow, one line of the file."""
    told = found.told("each")
    assert {kind: each["status"] for kind, each in told.items()} == {
        "overtaken": "resolved",
        "aged": "parked",
        "recreated": "parked",
        "gone": "resolved",
    }
    assert found.copy("overtaken", "each") == [*OLD, *NEW]
    assert found.copy("recreated", "each") == OLD


def test_commands_know_what_stands_still(found: Gaps) -> None:
    """For people, and by exit code."""
    answer = gaps(found.file, "fail->T")
    assert answer.code == 5
    assert "overtaken" in answer.text
    assert gaps(found.file, "continue->T").code == 0
    assert "no longer in the source" in status(found.file, "fail->T").text


def test_a_new_generation(found: Gaps, warm_module_driver: DriverFactory) -> None:
    """The copy is kept, and the next one has all that the source has; a restart goes on there."""
    kept = {kind: found.copy(kind, "renew") for kind in KINDS}
    assert kept == {"overtaken": OLD, "aged": OLD, "recreated": OLD, "gone": []}
    begun = {"overtaken": NEW, "aged": NEW, "recreated": NEW, "gone": [*OLD, *NEW]}
    assert {kind: found.generation(kind, 2) for kind in KINDS} == begun
    told = found.told("renew")
    assert {each["reaction"] for each in told.values()} == {"new-generation"}
    assert {each["status"] for each in told.values()} == {"resolved"}

    overtake(found.pair.a, found.topic("overtaken", "renew"))
    for kind in ("aged", "recreated", "gone"):
        write(found.pair.a, found.topic(kind, "renew"), MORE)
    copy_once(warm_module_driver, found.file, code=5)
    for kind in ("aged", "recreated", "gone"):
        assert found.generation(kind, 2) == [*begun[kind], *MORE]
    # A second gap, a third copy.
    assert found.generation("overtaken", 2) == NEW
    assert found.generation("overtaken", 3) == NEW
    assert {kind: found.copy(kind, "renew") for kind in KINDS} == kept

    assert verify(found.file, "--flow", "renew->T").code == 0
    shown = json.loads(status(found.file, "renew->T", "--json").text)
    copies = {topic["topic"]: topic["copy"] for topic in shown["topics"]}
    for kind in KINDS:
        topic = found.topic(kind, "renew")
        assert copies[topic] == f"renew.{topic}.g{3 if kind == 'overtaken' else 2}"
    assert shown["lag_records"] == 0

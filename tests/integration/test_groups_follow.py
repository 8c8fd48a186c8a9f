"""A group's offsets on the target are those of the source, at the exact record."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.model import TopicPartition
from tests.support.driver import Driver, DriverFactory
from tests.support.groups import commit, committed, next_record
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read_with_offsets, write, write_transactions

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_FOLLOWS_S_MAX = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """Two clusters and a flow between them that lives as long as the module."""

    pair: ClusterPair
    driver: Driver
    label: str

    def topic(self, name: str, *, partitions: int = 1) -> str:
        """Create a source topic that the flow mirrors."""
        topic = f"{self.label}-{name}-{secrets.token_hex(3)}"
        return self.pair.a.create_topic(topic, partitions=partitions)

    def group(self, name: str) -> str:
        """Name a group that the flow follows."""
        return f"{self.label}-{name}-{secrets.token_hex(3)}"

    def wait_copied(self, *topics: str) -> None:
        """Wait until everything of *topics* is on the target."""
        a, b = self.pair
        self.driver.wait_until_caught_up(a, b, {topic: f"A.{topic}" for topic in topics})

    def wait_group(self, group: str, topic: str, offset: int) -> None:
        """Wait until a group would go on, on the target, where *offset* is in the source."""
        a, b = self.pair
        wanted = next_record(a, topic, offset)

        def follows() -> bool:
            at = committed(b, group, f"A.{topic}")
            return at is not None and next_record(b, f"A.{topic}", at) == wanted

        self.driver.wait_until(follows, f"{group} stands before {wanted}", _FOLLOWS_S_MAX)


@pytest.fixture(scope="module")
def town(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Town]:
    """Give a running flow."""
    label = f"town{secrets.token_hex(3)}"
    file = mirror_file(
        tmp_path_factory.mktemp("town"),
        {"A": kafka_pair.a, "B": kafka_pair.b},
        *flow_lines(
            "A->B",
            f"{label}-.*",
            f"groups = {label}-.*",
            "sync.group.offsets.enabled = true",
            "refresh.topics.interval.seconds = 1",
            "refresh.groups.interval.seconds = 1",
        ),
    )
    kafka_pair.a.create_topic(f"{label}-first", partitions=1)
    driver = warm_module_driver(file)
    driver.wait_running()
    yield Town(pair=kafka_pair, driver=driver, label=label)
    assert driver.stop() == 0
    assert not driver.lines("unexpected"), driver.text


def transactional(town: Town, topic: str) -> None:
    """Write transactions to the source, a third of them aborted: its offsets have gaps."""
    rounds = [numbered(f"{topic}-{n}", range(7)) for n in range(12)]
    write_transactions(
        town.pair.a, topic, [(records, n % 3 != 2) for n, records in enumerate(rounds)]
    )


@pytest.mark.parametrize("kind", ["plain", "transactional"])
def test_every_offset_is_exact(town: Town, kind: str) -> None:
    """Any number of records behind: the next record is the same on both sides."""
    topic = town.topic(kind)
    if kind == "plain":
        for part in range(5):
            write(town.pair.a, topic, numbered(f"{topic}-{part}", range(60)))
    else:
        transactional(town, topic)
    town.wait_copied(topic)
    offsets = [at for at, _ in read_with_offsets(town.pair.a, topic)]
    groups = {town.group(f"{kind}-{n}"): at for n, at in enumerate(_some(offsets))}
    for group, at in groups.items():
        commit(town.pair.a, group, {TopicPartition(topic, 0): at})
    for group, at in groups.items():
        town.wait_group(group, topic, at)


def _some(offsets: Sequence[int]) -> list[int]:
    """Give a few offsets of all there are: the ends, the middle, and those beside gaps."""
    gaps = [b - 1 for a, b in pairwise(offsets) if b - a > 1]
    return sorted({offsets[0], offsets[1], offsets[len(offsets) // 2], offsets[-1] + 1, *gaps[:3]})


def test_a_group_goes_on(town: Town) -> None:
    """It is followed while records come; its text travels along."""
    topic, group = town.topic("goes-on"), town.group("goes-on")
    for part in range(4):
        write(town.pair.a, topic, numbered(f"{topic}-{part}", range(25)))
        town.wait_copied(topic)
        commit(town.pair.a, group, {TopicPartition(topic, 0): 25 * part + 10})
        town.wait_group(group, topic, 25 * part + 10)


def test_a_group_that_was_moved_back(town: Town) -> None:
    """What kmirror has committed on the target follows, as often as it happens."""
    topic, group = town.topic("reset"), town.group("reset")
    write(town.pair.a, topic, numbered(topic, range(50)))
    town.wait_copied(topic)
    for offset in (45, 5, 30, 0):
        commit(town.pair.a, group, {TopicPartition(topic, 0): offset})
        town.wait_group(group, topic, offset)


def test_what_a_consumer_has_committed_is_never_moved_back(town: Town) -> None:
    """It has been further on the target than the source knows; the log names it."""
    topic, group, other = town.topic("back"), town.group("back"), town.group("forth")
    mirror = f"A.{topic}"
    write(town.pair.a, topic, numbered(topic, range(50)))
    town.wait_copied(topic)
    end = read_with_offsets(town.pair.b, mirror)[-1][0] + 1
    commit(town.pair.b, group, {TopicPartition(mirror, 0): end})
    commit(town.pair.a, group, {TopicPartition(topic, 0): 20})
    # When another group that moved later has been served, this one has been looked at.
    commit(town.pair.a, other, {TopicPartition(topic, 0): 30})
    town.wait_group(other, topic, 30)
    town.driver.wait_for_line(f"group {group} is not moved back: .* is at {end}")
    assert committed(town.pair.b, group, mirror) == end


def test_an_active_group_is_left_alone(town: Town) -> None:
    """As long as it has members on the target; afterwards it follows."""
    topic, group, other = town.topic("busy"), town.group("busy"), town.group("idle")
    mirror = f"A.{topic}"
    write(town.pair.a, topic, numbered(topic, range(50)))
    town.wait_copied(topic)
    with closing(consumer(town.pair.b.bootstrap, group_id=group)) as member:
        member.subscribe([mirror])
        wait_until(
            lambda: member.poll(0.2) is not None or bool(member.assignment()),
            "the member has joined",
            timeout_s=60,
        )
        commit(town.pair.a, group, {TopicPartition(topic, 0): 20})
        commit(town.pair.a, other, {TopicPartition(topic, 0): 30})
        town.wait_group(other, topic, 30)
        town.driver.wait_for_line(f"group {group} is left alone: it has members")
        assert committed(town.pair.b, group, mirror) is None
    town.wait_group(group, topic, 20)


def test_a_deleted_topic_does_not_break_the_others(town: Town) -> None:
    """The group goes on with the topics that are there."""
    gone, stays, group = town.topic("gone"), town.topic("stays"), town.group("two-topics")
    for topic in (gone, stays):
        write(town.pair.a, topic, numbered(topic, range(10)))
    town.wait_copied(gone, stays)
    places = {TopicPartition(gone, 0): 3, TopicPartition(stays, 0): 3}
    commit(town.pair.a, group, places)
    town.wait_group(group, gone, 3)
    admin = town.pair.b.admin()
    admin.delete_topics([f"A.{gone}"])[f"A.{gone}"].result(30)
    commit(town.pair.a, group, {TopicPartition(stays, 0): 7})
    town.wait_group(group, stays, 7)


def test_after_a_kill(
    town: Town, run_driver: DriverFactory, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """What nobody had written down is read again, and offsets in it are exact."""
    label = f"kill{secrets.token_hex(3)}"
    topic, group = town.pair.a.create_topic(f"{label}-t", partitions=1), f"{label}-g"
    file = mirror_file(
        tmp_path,
        {"K": town.pair.a, "L": town.pair.b},
        *flow_lines("K->L", topic, f"groups = {label}-.*", "sync.group.offsets.enabled = true"),
    )
    transactional(town, topic)
    driver = run_driver(file)
    driver.wait_running()
    mirror = f"K.{topic}"
    wanted = len(read_with_offsets(town.pair.a, topic))
    driver.wait_until(
        lambda: len(read_with_offsets(town.pair.b, mirror)) == wanted, "all is copied", 60
    )
    driver.kill()
    offsets = [at for at, _ in read_with_offsets(town.pair.a, topic)]
    commit(town.pair.a, group, {TopicPartition(topic, 0): offsets[len(offsets) // 2]})
    again = warm_driver(file)
    expected = next_record(town.pair.a, topic, offsets[len(offsets) // 2])

    def follows() -> bool:
        at = committed(town.pair.b, group, mirror)
        return at is not None and next_record(town.pair.b, mirror, at) == expected

    again.wait_until(follows, "the group is at the same record", 120)
    again.wait_for_line("are in the offset map now")
    assert again.stop() == 0

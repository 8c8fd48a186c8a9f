"""Groups go over to the other cluster and come back, at the exact record."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.model import Flow, TopicPartition
from tests.support.bounded import copy_once
from tests.support.commands import move
from tests.support.driver import DriverFactory
from tests.support.groups import commit, committed, next_record
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.move_story import Story, story
from tests.support.records import end_offset, numbered, read, read_with_offsets, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_FOLLOWS_S_MAX = 60.0


def test_there_and_back(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Planned: everything is copied, the flow stands still, groups go on; then all of it back."""
    a, b = kafka_pair
    told = story(kafka_pair, tmp_path)
    topic, group = told.topic, told.group
    write(a, topic, numbered("first", range(100)))
    driver = warm_driver(told.file)
    told.wait_copied(driver)
    commit(a, group, {TopicPartition(topic, 0): 40})

    done = move("promote", told.file, told.flow)
    assert done.code == 0, done.text + driver.text
    assert "done: 1 groups go on" in done.text
    assert "not copied (RPO): 0 records" in done.text
    at = committed(b, group, told.copy)
    assert at is not None
    assert next_record(b, told.copy, at) == numbered("first", [40])[0]
    # The flow stands still while its driver lives; the other one goes on.
    driver.wait_for_line(rf"{told.flow}.*kept from copying by process .*\(kmirror promote\)")
    assert "(kmirror promote)" in told.generation()
    write(a, topic, numbered("late", range(10)))
    write(b, topic, numbered("second", range(20)))
    back = Flow(told.there, told.here)
    driver.wait_until_caught_up(b, a, {topic: told.copy_back}, flow=back)
    assert len(read(b, told.copy)) == 100

    # The application has worked on the second cluster: in the copy, and in its own topic.
    ahead = next(at for at, each in _with_offsets(b, told.copy) if each == "first-70")
    commit(b, group, {TopicPartition(told.copy, 0): ahead, TopicPartition(topic, 0): 15})
    done = move("failback", told.file, told.flow)
    assert done.code == 0, done.text + driver.text
    assert "let go; driven by" in done.text
    assert committed(a, group, topic) == 70
    at = committed(a, group, told.copy_back)
    assert at is not None
    assert next_record(a, told.copy_back, at) == numbered("second", [15])[0]
    told.wait_copied(driver)
    assert read(b, told.copy) == numbered("first", range(100)) + numbered("late", range(10))
    assert read(a, told.copy_back) == numbered("second", range(20))
    assert driver.stop() == 0
    driver.check_log()
    assert not driver.lines("spark: "), "an ordered move is no trouble of Spark's"


def _with_offsets(cluster: Cluster, topic: str) -> list[tuple[int, str]]:
    return [(at, (each.value or b"").decode()) for at, each in read_with_offsets(cluster, topic)]


@pytest.fixture(scope="module")
def stories(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[Story]:
    """Give finished copies of 50 records, made by one driver; nothing drives the flows."""
    told = [story(kafka_pair, tmp_path_factory.mktemp("one"), both_ways=False) for _ in range(6)]
    for each in told:
        write(kafka_pair.a, each.topic, numbered("r", range(50)))
        commit(kafka_pair.a, each.synced_group, {TopicPartition(each.topic, 0): 40})
    together = mirror_file(
        tmp_path_factory.mktemp("together"),
        {name: cluster for each in told for name, cluster in each.clusters.items()},
        *(
            line
            for each in told
            for line in flow_lines(
                each.flow,
                each.topic,
                f"groups = {each.synced_group}",
                "sync.group.offsets.enabled = true",
            )
        ),
    )
    copy_once(warm_module_driver, together)
    return told


@pytest.fixture
def copied(stories: list[Story]) -> Iterator[Story]:
    """Give a finished copy that no other test has, and a group in the middle of the source."""
    told = stories.pop()
    commit(told.pair.a, told.group, {TopicPartition(told.topic, 0): 20})
    yield told
    move("failover", told.file, told.flow, "--abort")


def test_looking_changes_nothing(copied: Story) -> None:
    """Neither a dry run nor a drill; both say what would be done."""
    before = copied.generation()
    shown = move("failover", copied.file, copied.flow, "--dry-run")
    assert shown.code == 0, shown.text
    assert "1 offsets would be set; nothing was changed" in shown.text
    drilled = move("failover", copied.file, copied.flow, "--drill", "--json")
    assert drilled.code == 0, drilled.text
    report = json.loads(drilled.text)
    assert report["complete"]
    assert report["loss"] == {"records": 0, "age_s": None, "topics": [], "read_already": {}}
    assert [step["name"] for step in report["steps"]] == ["look", "wait", "groups", "proof"]
    assert "1 next records are the same" in report["steps"][-1]["words"]
    assert copied.generation() == before
    assert committed(copied.pair.b, copied.group, copied.copy) is None


def test_what_is_not_copied(copied: Story) -> None:
    """It is refused, then accepted when the operator says so, and it is counted."""
    more = numbered("more", range(7))
    write(copied.pair.a, copied.topic, more)
    for verb in ("promote", "failover"):
        refused = move(verb, copied.file, copied.flow, "--wait", "1")
        assert refused.code == 5
        assert "7 records of" in refused.text
        assert "(kmirror" not in copied.generation()
    end = {TopicPartition(copied.topic, 0): end_offset(copied.pair.a, copied.topic)}
    commit(copied.pair.a, copied.group, end)
    age_s = time.time() - more[0].timestamp_ms / 1000
    accepted = move("failover", copied.file, copied.flow, "--wait", "1", "--max-lag-records", "10")
    assert accepted.code == 0, accepted.text
    assert f"  {copied.topic}: 7 records, the oldest" in accepted.text
    told = re.search(r"not copied \(RPO\): 7 records, the oldest ([\d.]+) s old", accepted.text)
    assert told, accepted.text
    assert age_s - 1 < float(told[1]) <= time.time() - more[0].timestamp_ms / 1000 + 1
    assert f"{copied.group} has read 7 of them on {copied.here}" in accepted.text
    assert "(kmirror failover)" in copied.generation()
    # What it had read before it went over is not skipped when it comes back.
    back = move("failback", copied.file, copied.flow)
    assert back.code == 0, back.text
    assert (
        committed(copied.pair.a, copied.group, copied.topic) == end[TopicPartition(copied.topic, 0)]
    )


def test_repeated_and_aborted(copied: Story, warm_driver: DriverFactory) -> None:
    """A second time finds everything done; a driver waits for the end of the hold."""
    for _ in range(2):
        done = move("failover", copied.file, copied.flow)
        assert done.code == 0, done.text
    assert "0 offsets of 0 groups set; 1 were there already" in done.text
    assert "held before, by" in done.text
    driver = warm_driver(copied.file)
    driver.wait_for_line(rf"{copied.flow}: waiting: .*kept from copying.*\(kmirror failover\)")
    write(copied.pair.a, copied.topic, numbered("more", range(5)))
    aborted = move("failover", copied.file, copied.flow, "--abort")
    assert "may copy again" in aborted.text
    assert "was not held" in move("failover", copied.file, copied.flow, "--abort").text
    copied.wait_copied(driver)
    assert driver.stop() == 0


def _starts_at(told: Story, group: str) -> str | None:
    """Give the record that a group reads next on the second cluster."""
    at = committed(told.pair.b, group, told.copy)
    assert at is not None
    found = next_record(told.pair.b, told.copy, at)
    return None if found is None else (found.value or b"").decode()


def _place_of(told: Story, record: str) -> dict[TopicPartition, int]:
    """Give where a record is on the second cluster."""
    found = next(at for at, each in _with_offsets(told.pair.b, told.copy) if each == record)
    return {TopicPartition(told.copy, 0): found}


def test_a_group_that_was_moved_back(copied: Story) -> None:
    """Nobody but kmirror was ever at its old place there, so it goes back, whoever moves it."""
    group = copied.synced_group
    assert _starts_at(copied, group) == "r-40"
    commit(copied.pair.a, group, {TopicPartition(copied.topic, 0): 10})
    drilled = move("promote", copied.file, copied.flow, "--groups", group, "--drill")
    assert drilled.code == 0, drilled.text
    assert "1 offsets of 1 groups would be set, 1 of them back" in drilled.text
    assert _starts_at(copied, group) == "r-40"
    done = move("promote", copied.file, copied.flow, "--groups", group)
    assert done.code == 0, done.text
    assert "1 of 1 groups are there; 1 next records are the same" in done.text
    assert _starts_at(copied, group) == "r-10"
    # And once more: the promotion has written down what it did.
    commit(copied.pair.a, group, {TopicPartition(copied.topic, 0): 3})
    done = move("failover", copied.file, copied.flow, "--groups", group)
    assert done.code == 0, done.text
    assert _starts_at(copied, group) == "r-3"


def test_what_a_consumer_has_committed(copied: Story) -> None:
    """It is not moved back unasked, and what would be skipped is told."""
    group = copied.synced_group
    commit(copied.pair.b, group, _place_of(copied, "r-45"))
    commit(copied.pair.a, group, {TopicPartition(copied.topic, 0): 10})
    words = rf"{group}: .*{copied.copy}-0: starts at \d+, should at \d+: up to 35 records would be"
    for how, code in (("--dry-run", 5), ("--drill", 5), ("--allow-backwards", 0)):
        answer = move("failover", copied.file, copied.flow, "--groups", group, how)
        assert answer.code == code, answer.text
        assert bool(re.search(f"{words} skipped", answer.text)) is bool(code), answer.text
        if code:
            assert "a consumer of" in answer.text
            assert _starts_at(copied, group) == "r-45"
    assert _starts_at(copied, group) == "r-10"


def test_groups_that_come_back(copied: Story) -> None:
    """The same rules where groups go to the source: what the failback wrote itself goes back."""
    a, b = copied.pair
    group, here = copied.synced_group, copied.topic
    commit(b, group, _place_of(copied, "r-20"))
    refused = move("failback", copied.file, copied.flow, "--groups", group)
    assert refused.code == 5
    assert (
        f"{here}-0: starts at 40, should at 20: up to 20 records would be skipped" in refused.text
    )
    assert "no flow takes what was written" in refused.text
    assert committed(a, group, here) == 40
    done = move("failback", copied.file, copied.flow, "--groups", group, "--allow-backwards")
    assert done.code == 0, done.text
    assert committed(a, group, here) == 20
    commit(b, group, _place_of(copied, "r-5"))
    done = move("failback", copied.file, copied.flow, "--groups", group)
    assert done.code == 0, done.text
    assert committed(a, group, here) == 5


def test_a_flow_that_never_ran(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """There is nothing to go to."""
    told = story(kafka_pair, tmp_path, both_ways=False)
    refused = move("failover", told.file, told.flow)
    assert refused.code == 5
    assert "was never started" in refused.text
    assert move("failover", told.file, "No->Where").code == 2

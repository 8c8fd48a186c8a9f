"""Groups go over from a cluster that is dead, or of which a part is."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.model import TopicPartition
from kmirror.wire.mirror_records import Checkpoint
from tests.support.commands import move
from tests.support.driver import Driver, DriverFactory
from tests.support.groups import commit, committed, next_record
from tests.support.move_story import Story, story
from tests.support.records import end_offset, numbered, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_a_source_that_is_dead(
    kafka_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """Checkpoints say where groups were, the map where that is; nothing is waited for."""
    with ExitStack() as running:
        source = Cluster("dies", tmp_path)
        running.enter_context(started(source))
        told = story(ClusterPair(source, kafka_pair.b), tmp_path / "run")
        driver = _with_checkpoint(told, run_driver)
        source.kill()
        # A driver may have known of nothing that was copied, or of less than the group had read.
        early, ahead = f"{told.label}-early", f"{told.label}-ahead"
        for group, upstream in ((early, 45), (ahead, 70)):
            _write_checkpoint(told, group, upstream=upstream, downstream=0)
        refused = move("promote", told.file, told.flow)
        assert refused.code == 5
        assert f"{told.here} was not heard: " in refused.text
        done = move("failover", told.file, told.flow)
        assert done.code == 0, done.text
        assert "does not answer: nothing to wait for" in done.text
        assert "3 of 3 groups are there, by what was known of them last" in done.text
        assert f"no next record was compared: {told.here} does not answer" in done.text
        assert "RPO): unknown; the newest record that was copied is" in done.text
        assert f"  {told.topic}: the newest record that was copied is" in done.text
        nexts = {}
        for group in (told.group, early, ahead):
            at = committed(kafka_pair.b, group, told.copy)
            assert at is not None
            nexts[group] = next_record(kafka_pair.b, told.copy, at)
        assert nexts == {
            told.group: numbered("r", [33])[0],
            early: numbered("r", [45])[0],
            ahead: None,
        }
        driver.kill()


def test_a_source_of_which_a_part_is_dead(
    three_brokers: Cluster, kafka_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """Nobody knows what a partition without a leader holds; whoever cannot wait leaves it out."""
    told = story(ClusterPair(three_brokers, kafka_pair.b), tmp_path, both_ways=False)
    driver = _with_checkpoint(told, run_driver)
    three_brokers.leader_of(told.topic, 0).kill()
    away = move("failover", told.file, told.flow, "--wait", "0")
    assert away.code == 3, away.text
    assert told.topic in away.text
    assert "--without-source does not ask it" in away.text
    assert "held by" not in told.generation()
    looked = move("failover", told.file, told.flow, "--without-source", "--dry-run")
    assert looked.code == 0, looked.text
    assert f"{told.here} is not asked, its checkpoints on {told.there} count" in looked.text
    done = move("failover", told.file, told.flow, "--without-source")
    assert done.code == 0, done.text
    assert f"{told.here} is not asked: nothing to wait for" in done.text
    assert "RPO): unknown; the newest record that was copied is" in done.text
    at = committed(kafka_pair.b, told.group, told.copy)
    assert at is not None
    assert next_record(kafka_pair.b, told.copy, at) == numbered("r", [33])[0]
    three_brokers.heal()
    back = move("failback", told.file, told.flow)
    assert back.code == 0, back.text
    driver.kill()


def _with_checkpoint(told: Story, run_driver: DriverFactory) -> Driver:
    """Have 60 records copied, and a checkpoint of a group that has read 33."""
    source, target = told.pair
    write(source, told.topic, numbered("r", range(60)))
    driver = run_driver(told.file)
    told.wait_copied(driver)
    commit(source, told.group, {TopicPartition(told.topic, 0): 33})
    checkpoints = f"{told.here}.checkpoints.internal"
    driver.wait_until(lambda: _has_records(target, checkpoints), "the checkpoint is there", 60)
    return driver


def _write_checkpoint(told: Story, group: str, *, upstream: int, downstream: int) -> None:
    place = TopicPartition(told.copy, 0)
    point = Checkpoint(group=group, partition=place, upstream=upstream, downstream=downstream)
    key, value = point.encode()
    record = Content(timestamp_ms=0, key=key, value=value, headers=[])
    write(told.pair.b, f"{told.here}.checkpoints.internal", [record])


def _has_records(cluster: Cluster, topic: str) -> bool:
    names = cluster.admin().list_topics(timeout=30).topics
    return topic in names and end_offset(cluster, topic) > 0

"""What is mirrored, found on clusters in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.config.load import load
from kmirror.ends.discovery import Discovery, Mirrored
from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage
from kmirror.plans.snapshot import ClusterState, TopicState
from kmirror.plans.topics import NewTopic

FILE = """\
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
A->B.enabled = true
A->B.topics = t.*
replication.factor = 1
"""


class Counting(FakeAdmin):
    """A cluster that notes what it is asked."""

    def __init__(self, cluster_id: str) -> None:
        super().__init__(cluster_id)
        self.asked: list[str] = []

    def describe(self) -> ClusterState:
        self.asked.append("describe")
        return super().describe()

    def topics(self) -> Mapping[str, TopicState]:
        self.asked.append("topics")
        return super().topics()

    def topic_ids(self, names: Iterable[str]) -> Mapping[str, str]:
        self.asked.append("ids")
        return super().topic_ids(names)


class World:
    """Two clusters, and the discovery of the flow between them."""

    coverage: Coverage

    def __init__(self, folder: Path, *lines: str) -> None:
        file = folder / "mm2.properties"
        file.write_text(FILE + "\n".join(lines))
        self._config = load(file, environ={}).flow(Flow("A", "B"))
        self.source, self.target = Counting("A"), Counting("B")
        self._discovery = Discovery(self._config, self.source, self.target, ManualClock())

    def select(self, topics: str) -> None:
        """Have other topics selected."""
        self._discovery.follow(replace(self._config, topics=(topics,)))

    def discover(self) -> tuple[Mirrored, ...]:
        """Look once; forgets what was asked before."""
        self.source.asked.clear()
        self.target.asked.clear()
        found = self._discovery.discover()
        self.coverage = found.coverage
        return found.mirrored


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Give a source with two topics, of which one is selected."""
    world = World(tmp_path)
    for name in ("t", "other"):
        world.source.create_topics([NewTopic(name=name, partitions=2, replication_factor=1)])
    return world


def test_new_topics_are_made_and_listed(world: World) -> None:
    """With the ids of both sides."""
    ids = world.source.topic_ids(["t"])
    found = world.discover()
    copies = world.target.topic_ids(["A.t"])
    assert found == tuple(
        Mirrored(
            source=TopicPartition("t", number),
            target=TopicPartition("A.t", number),
            topic_id=ids["t"],
            target_id=copies["A.t"],
        )
        for number in range(2)
    )


def test_nothing_is_asked_twice(world: World) -> None:
    """Every few seconds, of clusters with very many topics."""
    first = world.discover()
    assert world.discover() == first
    assert world.source.asked == ["topics", "ids"]
    assert world.target.asked == ["topics", "ids"]


def test_what_is_the_same_is_the_same_object(world: World) -> None:
    """So that a flow of very many partitions sees at once that there is nothing to do."""
    first = world.discover()
    assert world.discover() is first
    world.source.create_topics([NewTopic(name="other2", partitions=1, replication_factor=1)])
    assert world.discover() is first
    world.source.create_topics([NewTopic(name="t2", partitions=1, replication_factor=1)])
    assert {m.source.topic for m in world.discover()} == {"t", "t2"}


def test_another_selection_of_the_same_topics(world: World) -> None:
    """A reload changes what is copied, although nothing has changed on the clusters."""
    world.discover()
    world.select("o.*")
    assert {m.source.topic for m in world.discover()} == {"other"}
    assert world.target.topics().keys() == {"A.t", "A.other"}


def test_a_copy_that_is_gone_is_made_again_with_another_id(world: World) -> None:
    """That is how the planner learns that the records before are gone."""
    (first, _) = world.discover()
    world.target.delete_topic("A.t")
    (second, _) = world.discover()
    assert (second.source, second.target) == (first.source, first.target)
    assert second.target_id != first.target_id


def test_a_copy_that_cannot_be_made_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With the cause, and again when it is back after it was mended."""
    world = World(tmp_path, "replication.factor = 3")
    world.source.create_topics([NewTopic(name="t", partitions=2, replication_factor=1)])
    for _ in range(2):
        assert world.discover() == ()
    (problem,) = world.coverage.problems
    assert problem.source_topic == "t"
    assert "the target has 1 broker" in problem.reason
    (line,) = caplog.messages
    assert line.startswith("A->B: not mirrored: t: replication.factor = 3")


def test_a_name_that_is_not_there_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """At once, as often as it changes."""
    world = World(tmp_path, 'A->B.topics = "t1,t2"')
    world.source.create_topics([NewTopic(name="t1", partitions=1, replication_factor=1)])
    world.discover()
    assert len(caplog.messages) == 3
    assert 'A->B: topics: nothing matches "t1: quotes are part of it' in caplog.messages[0]
    assert "no topic is selected" in caplog.messages[-1]

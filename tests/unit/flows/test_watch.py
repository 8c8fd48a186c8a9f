"""How often the clusters of a flow are looked at when a look takes long, in virtual time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from kmirror.admin.base import Isolation, Which
from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.config.load import load
from kmirror.ends.discovery import Discovery
from kmirror.flows.watch import Watch
from kmirror.model import TopicPartition
from kmirror.pipeline.desk import LaneReport, PartitionReport
from kmirror.plans.snapshot import TopicState
from kmirror.plans.topics import NewTopic
from kmirror.state.progress import Progress
from tests.support.driver import A_TO_B, write_properties

T = TopicPartition("t", 0)


class Large(FakeAdmin):
    """A cluster with so many topics that every answer takes time."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self._clock = clock
        self.ends_s: list[float] = []
        self.silent: set[TopicPartition] = set()
        self.topics_s: list[float] = []

    def offsets(
        self,
        partitions: Iterable[TopicPartition],
        which: Which = "latest",
        *,
        isolation: Isolation = "read_uncommitted",
        partial: bool = False,
    ) -> Mapping[TopicPartition, int]:
        self.ends_s.append(self._clock.monotonic_s())
        self._clock.work(0.2)
        led = [tp for tp in partitions if tp not in self.silent]
        return super().offsets(led, which, isolation=isolation, partial=partial)

    def topics(self) -> Mapping[str, TopicState]:
        self.topics_s.append(self._clock.monotonic_s())
        self._clock.work(1.0)
        return super().topics()


class Watched:
    """A flow that is watched, second by second."""

    def __init__(self, folder: Path, *lines: str) -> None:
        self.clock = ManualClock()
        self.source = Large(self.clock)
        self.source.create_topics([NewTopic(name="t", partitions=1, replication_factor=1)])
        self.progress = Progress()
        self.progress.begin({T: 0})
        self.watch = Watch(self.source, self.progress, isolation="read_committed", clock=self.clock)
        config = load(write_properties(folder, "a:9092", "b:9092", *lines), environ={}).flow(A_TO_B)
        discovery = Discovery(config, self.source, FakeAdmin(), self.clock)
        self.watch.discover_by(config, discovery)
        self.config = config
        self._copied = 0

    def pass_by(self, seconds: int, *, copies: bool = False) -> None:
        """Let time pass, in which something is copied or not."""
        self.source.ends_s.clear()
        self.source.topics_s.clear()
        for _ in range(seconds):
            self._copied += copies
            self._report()
            self.watch._thread._round()
            self.clock.advance(1)

    def _report(self) -> None:
        entry = PartitionReport(
            source=T, target="A.t", position=0, next_target=0, records=self._copied, bytes=0
        )
        self.progress.add(
            LaneReport(
                flow="A->B",
                slot=0,
                generation=1,
                last_commit_ms=0,
                last_failure=None,
                partitions=(entry,),
            )
        )


def paces(times_s: list[float]) -> float:
    """Return the mean time between two looks."""
    assert len(times_s) >= 3, times_s
    return (times_s[-1] - times_s[0]) / (len(times_s) - 1)


def test_ends_are_looked_at_less_often_while_nothing_moves(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.pass_by(10)
    watched.pass_by(200)
    assert paces(watched.source.ends_s) == pytest.approx(15, abs=1.5)
    watched.pass_by(100, copies=True)
    assert paces(watched.source.ends_s) == pytest.approx(3, abs=1.5)


def test_new_partitions_are_looked_at_at_once(tmp_path: Path) -> None:
    """Until their ends are known, nobody knows the lag."""
    watched = Watched(tmp_path)
    watched.pass_by(30)
    watched.watch.look_soon()
    watched.pass_by(1)
    assert len(watched.source.ends_s) == 1


def test_very_many_topics_are_looked_at_less_often(tmp_path: Path) -> None:
    """But once in a minute, and soon when a plan waits for it, or the file has changed."""
    watched = Watched(tmp_path)
    watched.pass_by(300)
    assert paces(watched.source.topics_s) == pytest.approx(60, abs=3)
    watched.pass_by(20)
    watched.watch.discover_soon()
    watched.pass_by(7)
    assert len(watched.source.topics_s) == 1
    watched.watch.follow(watched.config)
    watched.pass_by(1)
    assert len(watched.source.topics_s) == 1


def test_a_partition_without_a_leader_keeps_its_end(tmp_path: Path) -> None:
    """It is told, the lag stays known, and what its leader says ends it."""
    watched = Watched(tmp_path)
    other = TopicPartition("u", 0)
    watched.source.create_topics([NewTopic(name="u", partitions=1, replication_factor=1)])
    watched.progress.begin({T: 0, other: 0})
    watched.source.set_log(T, end=7)
    watched.watch.look_soon()
    watched.pass_by(1)
    watched.source.silent.add(T)
    watched.source.set_log(other, end=3)
    watched.watch.look_soon()
    watched.pass_by(1)
    seen = watched.watch.snapshot
    assert (seen.silent, seen.ends) == (frozenset([T]), {T: 7, other: 3})
    watched.source.silent.clear()
    watched.watch.look_soon()
    watched.pass_by(1)
    assert watched.watch.snapshot.silent == frozenset()


def test_a_partition_that_never_had_a_leader_has_no_end(tmp_path: Path) -> None:
    """Of such a flow nobody knows the lag."""
    watched = Watched(tmp_path)
    watched.source.silent.add(T)
    watched.watch.look_soon()
    watched.pass_by(1)
    assert (watched.watch.snapshot.silent, watched.watch.snapshot.ends) == (frozenset([T]), {})


def test_the_interval_of_the_file_is_kept(tmp_path: Path) -> None:
    """However long a look takes: who gives one means it."""
    watched = Watched(tmp_path, "A->B.refresh.topics.interval.seconds = 5")
    watched.pass_by(100)
    assert paces(watched.source.topics_s) == pytest.approx(5, abs=1.5)

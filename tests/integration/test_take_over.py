"""From MirrorMaker 2 to kmirror, back, and again: with one file, and no record twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kmirror_lab.cluster.mirror import Mirror, mirror_maker_2
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.model import TopicPartition
from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory
from tests.support.groups import commit, committed
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import read_with_offsets
from tests.support.relay import RelayTopic

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PARTITIONS = 3
ROUND = 200
# More than a round: what the other program has copied is not in the offset map.
BEHIND = 270


class Relay(RelayTopic):
    """One that both programs mirror in turn, with a group that reads it."""

    def __init__(self, pair: ClusterPair, folder: Path) -> None:
        super().__init__(pair, "M", partitions=PARTITIONS, records=ROUND)
        self.group = f"{self.topic}-reader"
        self.file = mirror_file(
            folder,
            {"M": pair.a, "N": pair.b},
            *flow_lines("M->N", self.topic, f"groups = {self.group}"),
            "sync.group.offsets.enabled = true",
            "sync.group.offsets.interval.seconds = 1",
            "emit.checkpoints.interval.seconds = 1",
            "checkpoints.topic.replication.factor = 1",
            "sync.topic.acls.enabled = false",
            "offset-syncs.topic.replication.factor = 1",
            "status.storage.replication.factor = 1",
            "config.storage.replication.factor = 1",
        )
        self._folder = folder / "mm2"

    def write(self) -> None:
        """Write one round more to each partition, and let the group read on."""
        super().write()
        places = {TopicPartition(self.topic, part): self.consumed for part in range(PARTITIONS)}
        commit(self.pair.a, self.group, places)

    @property
    def consumed(self) -> int:
        """How much of each partition the group has read."""
        return max(0, self.written - BEHIND)

    def mirror_maker(self) -> None:
        """Let MirrorMaker 2 copy what is there, and stop it in order."""
        with _running(mirror_maker_2(self.file.read_text(), self._folder)) as peer:

            def arrived() -> bool:
                assert peer.running(), peer.log.read_text()
                return self.has_copied()

            wait_until(arrived, "MirrorMaker 2 has copied", timeout_s=180, pause_s=0.3)

    def check(self) -> None:
        """Compare both sides; the group is nowhere beyond what it has read."""
        super().check()
        for partition in range(PARTITIONS):
            assert self.read_on_target(partition) <= self.consumed

    def read_on_target(self, partition: int) -> int:
        """Count the records before the group's offset there: what it would not read again."""
        at = committed(self.pair.b, self.group, self.copy, partition) or 0
        offsets = [offset for offset, _ in read_with_offsets(self.pair.b, self.copy, partition)]
        return sum(offset < at for offset in offsets)

    def check_group(self) -> None:
        """Check that the group goes on at the same record."""
        read_there = [self.read_on_target(partition) for partition in range(PARTITIONS)]
        assert read_there == [self.consumed] * PARTITIONS


@contextmanager
def _running(peer: Mirror) -> Iterator[Mirror]:
    peer.start()
    try:
        yield peer
        # In order: its last positions are written when it ends.
        peer.stop(timeout_s=90)
    finally:
        peer.kill()


def test_mirror_maker_and_kmirror_take_turns(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """
    MirrorMaker 2, kmirror, MirrorMaker 2, kmirror: each goes on where the other ended.

    The group's offset on the target is never beyond what it has read, and exact after kmirror.
    """
    relay = Relay(kafka_pair, tmp_path)
    relay.write()
    relay.mirror_maker()
    relay.check()

    relay.write()
    driver = copy_once(warm_driver, relay.file)
    assert driver.lines("takes over from MirrorMaker 2 at offset")
    relay.check()
    relay.check_group()

    relay.write()
    relay.mirror_maker()
    relay.check()

    relay.write()
    driver = copy_once(warm_driver, relay.file)
    assert driver.lines("MirrorMaker 2 ran after kmirror")
    relay.check()
    relay.check_group()

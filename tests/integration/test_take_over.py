"""From MirrorMaker 2 to kmirror, back, and again: with one file, and no record twice."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bounded import copy_once
from driver import DriverFactory
from mirror_file import flow_lines, mirror_file
from records import numbered, read, topics_of, write

from kmirror.lab.check import check
from kmirror.lab.fixtures import ClusterPair
from kmirror.lab.peer import MirrorMakerPeer
from kmirror.lab.waiting import wait_until

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PARTITIONS = 3
ROUND = 200


class Relay:
    """A topic that both programs mirror in turn."""

    def __init__(self, pair: ClusterPair, folder: Path) -> None:
        self.pair = pair
        self.topic = pair.a.create_topic(f"relay-{secrets.token_hex(4)}", partitions=PARTITIONS)
        self.mirror = f"M.{self.topic}"
        self.written = 0
        self.file = mirror_file(
            folder,
            {"M": pair.a, "N": pair.b},
            *flow_lines("M->N", self.topic),
            "emit.heartbeats.enabled = false",
            "emit.checkpoints.enabled = false",
            "sync.topic.acls.enabled = false",
            "offset-syncs.topic.replication.factor = 1",
            "status.storage.replication.factor = 1",
            "config.storage.replication.factor = 1",
        )
        self._folder = folder / "mm2"

    def write(self) -> None:
        """Write one round more to each partition."""
        numbers = range(self.written, self.written + ROUND)
        for partition in range(PARTITIONS):
            write(self.pair.a, self.topic, numbered("relay", numbers), partition=partition)
        self.written += ROUND

    def copied(self) -> int:
        """Count the copies in the partition that has the fewest."""
        if self.mirror not in topics_of(self.pair.b):
            return 0
        return min(len(read(self.pair.b, self.mirror, p)) for p in range(PARTITIONS))

    def mirror_maker(self) -> None:
        """Let MirrorMaker 2 copy what is there, and stop it in order."""
        with _running(MirrorMakerPeer(self.file.read_text(), self._folder)) as peer:

            def arrived() -> bool:
                assert peer.running(), peer.log.read_text()
                return self.copied() >= self.written

            wait_until(arrived, "MirrorMaker 2 has copied", timeout_s=180, pause_s=0.3)

    def check(self) -> None:
        """Compare both sides."""
        a, b = self.pair
        verdict = check(a.bootstrap, b.bootstrap, {self.topic: self.mirror})
        assert verdict.ok, str(verdict)
        assert verdict.records == self.written * PARTITIONS


@contextmanager
def _running(peer: MirrorMakerPeer) -> Iterator[MirrorMakerPeer]:
    peer.start()
    try:
        yield peer
        # In order: its last positions are written when it ends.
        peer.stop(timeout_s=90)
    finally:
        peer.kill()


def test_mirror_maker_and_kmirror_take_turns(
    kafka_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """MirrorMaker 2, kmirror, MirrorMaker 2, kmirror: each goes on where the other ended."""
    relay = Relay(kafka_pair, tmp_path)
    relay.write()
    relay.mirror_maker()
    relay.check()

    relay.write()
    driver = copy_once(run_driver, relay.file)
    assert driver.lines("takes over from MirrorMaker 2 at offset")
    relay.check()

    relay.write()
    relay.mirror_maker()
    relay.check()

    relay.write()
    driver = copy_once(run_driver, relay.file)
    assert driver.lines("MirrorMaker 2 ran after kmirror")
    relay.check()

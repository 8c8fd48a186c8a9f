"""The target's disk fills up while a flow copies: its broker ends, and comes back with room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.mirrored import MirroredFactory
from tests.support.records import record, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_ROOM_MB, _MORE_ROOM_MB = 48, 512
_RECORD_BYTES, _RECORDS = 20_000, 4_000


class _Disk:
    """A file system of its own, in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mount(self, size_mb: int) -> None:
        options = f"size={size_mb}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder], check=True)

    def grow(self, size_mb: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size_mb}m", self.folder], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[_Disk]:
    """Give a small disk."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    disk = _Disk(tmp_path / "tight" / "broker-1" / "data")
    disk.folder.mkdir(parents=True)
    disk.mount(_ROOM_MB)
    yield disk
    disk.unmount()


@pytest.fixture
def tight(tmp_path: Path, disk: _Disk) -> Iterator[Cluster]:
    """Give a cluster whose only broker writes to the small disk."""
    cluster = Cluster("tight", tmp_path)
    assert disk.folder == cluster.folder / "broker-1" / "data", "where its log is"
    try:
        yield cluster.start()
    finally:
        cluster.kill()


def test_a_disk_that_fills_on_the_target(
    kafka_pair: ClusterPair,
    tight: Cluster,
    disk: _Disk,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """The flow waits and says so; with more room it goes on, and nothing is missing or twice."""
    topic = new_topic(kafka_pair.a, "bulky", partitions=2)
    flow = mirrored(kafka_pair.a, tight, topic)
    workload = flow.write(topic, partitions=2, rate=200)
    driver = flow.start_copying()
    flow.wait_copied(driver, topic)
    bulk = [record(os.urandom(_RECORD_BYTES)) for _ in range(_RECORDS)]
    write(kafka_pair.a, topic, bulk)
    broker = tight.broker(1)
    wait_until(lambda: not broker.running(), "the broker has no room left", timeout_s=180)
    driver.wait_for_line(rf"WARNING .*{tight.bootstrap}", timeout_s=180)
    assert workload.alive

    disk.grow(_MORE_ROOM_MB)
    tight.start()
    flow.finish(driver, timeout_s=300)

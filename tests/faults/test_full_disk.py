"""Disks fill up while a flow copies: the target's, and the driver's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.mirrored import MirroredFactory
from tests.support.records import record, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_FILLING = "filling"
_ROOM_MB, _MORE_ROOM_MB = 48, 512
_RECORD_BYTES, _RECORDS = 20_000, 4_000


class _Disk:
    """
    A file system of its own, in memory.

    Args:
        folder: Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mount(self, size_mb: int) -> None:
        options = f"size={size_mb}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder], check=True)

    def fill(self) -> None:
        """Leave no room on it; `clear` gives it back."""
        with (self.folder / _FILLING).open("wb") as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 20))

    def clear(self) -> None:
        (self.folder / _FILLING).unlink()

    def grow(self, size_mb: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size_mb}m", self.folder], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)


@contextmanager
def mounted(folder: Path, size_mb: int) -> Iterator[_Disk]:
    """Give a small disk."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    disk = _Disk(folder)
    disk.folder.mkdir(parents=True)
    disk.mount(size_mb)
    try:
        yield disk
    finally:
        disk.unmount()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[_Disk]:
    """Give a small disk for a broker's log."""
    with mounted(tmp_path / "tight" / "broker-1" / "data", _ROOM_MB) as disk:
        yield disk


@pytest.fixture
def tight(tmp_path: Path, disk: _Disk) -> Iterator[Cluster]:
    """Give a cluster whose only broker writes to the small disk."""
    cluster = Cluster("tight", tmp_path)
    assert disk.folder == cluster.folder / "broker-1" / "data", "where its log is"
    try:
        yield cluster.start()
    finally:
        cluster.kill()


@pytest.mark.long
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


@pytest.mark.long
def test_a_disk_that_fills_on_the_driver(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """Spark can write no file: the flow says why it stands still, and goes on with room."""
    topic = new_topic(kafka_pair.a, "no-room")
    flow = mirrored(*kafka_pair, topic, extra_lines=("kmirror.batch.duration.seconds = 5",))
    with mounted(flow.file.parent / "tmp", _ROOM_MB) as disk:
        driver = flow.start_copying()
        flow.write(topic, partitions=2, rate=200, abort_every=4)
        flow.wait_copied(driver, topic)
        disk.fill()
        driver.wait_for_line("WARNING .*No space left on device", timeout_s=120)
        disk.clear()
        flow.wait_more(driver, topic)
        flow.finish(driver)

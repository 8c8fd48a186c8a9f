"""A target whose `max.message.bytes` is lowered and raised while batches flow."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.clock import SystemClock
from kmirror.model import Flow
from tests.support.batches import StoredBatch, set_topic, stored, varied, write_batches, written
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import read

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_LOW_BYTES, _HIGH_BYTES = 20_000, 1_000_000
# Large and small batches take turns, so that both kinds are under way at any time.
_BATCHES = (60, 5, 60, 60, 5)
_PAUSE_S = 0.05
# What the target takes is believed for half a minute.
_CROSSING_S_MAX = 120.0
_CROSSING_RECORDS = 300


class Load:
    """What a thread writes until it is told to stop: one partition plain, one compressed."""

    def __init__(self, cluster: Cluster, topic: str) -> None:
        self.written: tuple[list[Content], list[Content]] = ([], [])
        self._cluster = cluster
        self._topic = topic

    def go_on_until(self, stop: threading.Event) -> None:
        """Write until *stop* is set."""
        clock, turn = SystemClock(), 0
        while not stop.is_set():
            count = _BATCHES[turn % len(_BATCHES)]
            for partition, codec in enumerate(("none", "lz4")):
                records = varied(f"{codec}-{turn}", count, value_bytes=1_000)
                write_batches(
                    self._cluster, self._topic, records, count, partition=partition, codec=codec
                )
                self.written[partition].extend(records)
            turn += 1
            clock.wait(stop, _PAUSE_S)


@contextmanager
def loaded(cluster: Cluster, topic: str) -> Iterator[Load]:
    """Write to *topic* while the block runs; its errors are the block's."""
    load, stop = Load(cluster, topic), threading.Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        running = pool.submit(load.go_on_until, stop)
        try:
            yield load
        finally:
            stop.set()
        running.result(timeout=60)


def cross(
    driver: Driver, cluster: Cluster, topic: str, limit_bytes: int, wanted: Callable[[int], bool]
) -> None:
    """Set the limit, and wait until both partitions have batches of a *wanted* size behind that."""
    set_topic(cluster, topic, max_message_bytes=str(limit_bytes))
    ends = [stored(cluster, topic, partition)[-1].last_offset for partition in range(2)]

    def crossed() -> bool:
        return all(
            sum(
                each.records
                for each in written(cluster, topic, partition)
                if each.base_offset > end and wanted(each.size)
            )
            > _CROSSING_RECORDS
            for partition, end in enumerate(ends)
        )

    driver.wait_until(crossed, f"{topic} crosses {limit_bytes} bytes", timeout_s=_CROSSING_S_MAX)


def large(batches: list[StoredBatch]) -> int:
    """Count the batches above the lower limit."""
    return sum(each.size > _LOW_BYTES for each in batches)


def test_the_limit_changes_under_load(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """As they are, as records, as they are, as records: nothing is lost, repeated or parked."""
    a, b = kafka_pair
    topic = a.create_topic(f"limits-{secrets.token_hex(4)}", partitions=2)
    mirror = b.create_topic(f"GA.{topic}", partitions=2)
    write_batches(a, topic, first := varied("first", 60, value_bytes=1_000), 60)
    write_batches(a, topic, first, 60, partition=1)
    lines = [KEEPS_SETTINGS, *flow_lines("GA->GB", topic)]
    file = mirror_file(tmp_path, {"GA": a, "GB": b}, *lines)
    driver = warm_driver(file)
    driver.wait_running()
    driver.wait_until_caught_up(a, b, {topic: mirror}, flow=Flow("GA", "GB"))
    with loaded(a, topic) as load:
        for _ in range(2):
            cross(driver, b, mirror, _HIGH_BYTES, lambda size: size > _LOW_BYTES)
            cross(driver, b, mirror, _LOW_BYTES, lambda size: size <= _LOW_BYTES)
    driver.wait_until_caught_up(a, b, {topic: mirror}, flow=Flow("GA", "GB"))
    for partition in range(2):
        sent = [*first, *load.written[partition]]
        assert read(a, topic, partition) == sent, "the source itself"
        assert read(b, mirror, partition) == sent
        assert large(stored(b, mirror, partition)) > 10
    assert not driver.lines("ERROR")
    assert driver.stop() == 0

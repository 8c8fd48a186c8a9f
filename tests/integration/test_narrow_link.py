"""Links that are narrow, or long: what they carry slowly arrives, and holds up nothing else."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from kmirror_lab.cluster.clients import producer
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.net import NetLab, NetPlan, net_lab
from kmirror_lab.oracle.fill import fill

from kmirror.admin.client import KafkaAdmin
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic
from tests.support.bounded import copy_once
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_NEAR, _FAR = "near", "far"
_RATE = "1mbit"
# 32 seconds of it.
_RECORDS, _RECORD_BYTES = 20_000, 200
# 32 seconds of a wider one, that is mended after a few.
_WIDER_RATE, _MORE_RECORDS, _PARTITIONS = "8mbit", 160_000, 4
# A hundred round trips, one after the other, are 20 s.
_DELAY, _TOPICS, _OTHERS_S_MAX = "100ms", 100, 8.0
_END_S_MAX = 120.0


class _Case(NamedTuple):
    source: str
    batch_bytes: int
    lines: tuple[str, ...]


_WRITTEN_OVER_IT = _Case(
    source=_NEAR,
    # Six seconds.
    batch_bytes=800_000,
    lines=(
        "A->B.producer.override.transaction.timeout.ms = 8000",
        "A->B.producer.override.request.timeout.ms = 10000",
    ),
)
_READ_OVER_IT = _Case(
    source=_FAR, batch_bytes=16_384, lines=("A.consumer.request.timeout.ms = 5000",)
)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetLab]:
    """Give two clusters; each reaches the other through a proxy."""
    plan = NetPlan(names=(_NEAR, _FAR), heap_mb=256, proxy=True)
    with net_lab(tmp_path_factory.mktemp("narrow"), plan) as made:
        yield made


@pytest.mark.parametrize("case", [_WRITTEN_OVER_IT, _READ_OVER_IT], ids=["written", "read"])
def test_a_backlog(net: NetLab, warm_driver: DriverFactory, tmp_path: Path, case: _Case) -> None:
    """Neither transactions nor requests hold more than the link carries in their time."""
    net.set(rate=_RATE)
    name = f"backlog-{secrets.token_hex(4)}"
    source = net.clusters[case.source]
    target = net.clusters[_FAR if case.source == _NEAR else _NEAR]
    source.create_topic(name)
    fill(
        source.bootstrap,
        name,
        records=_RECORDS,
        size_bytes=_RECORD_BYTES,
        batch_bytes=case.batch_bytes,
    )
    addresses = _seen_by_the_mirror(net, A=source, B=target)
    file = mirror_file(tmp_path, addresses, *flow_lines("A->B", name), *case.lines)
    copy_once(warm_driver, file)
    assert read(target, f"A.{name}") == read(source, name)


def test_partitions_share_connections(
    net: NetLab, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """A far source is read over several connections; as that changes, nothing comes twice."""
    net.set(rate=_WIDER_RATE)
    source, target = net.clusters[_FAR], net.clusters[_NEAR]
    name = f"shared-{secrets.token_hex(4)}"
    source.create_topic(name, partitions=_PARTITIONS)
    fill(
        source.bootstrap,
        name,
        records=_MORE_RECORDS,
        size_bytes=_RECORD_BYTES,
        partitions=_PARTITIONS,
        batch_bytes=16_384,
    )
    addresses = _seen_by_the_mirror(net, A=source, B=target)
    file = mirror_file(tmp_path, addresses, *flow_lines("A->B", name))
    driver = warm_driver(file, "--until-caught-up")
    driver.wait_running()
    port = int(addresses["A"].rpartition(":")[2])
    driver.wait_until(
        lambda: _connections(driver, port) >= _PARTITIONS, "each partition has its own", _END_S_MAX
    )
    net.clear()
    assert driver.wait_exit(timeout_s=_END_S_MAX) == 0, driver.text
    assert read(target, f"A.{name}") == read(source, name)


def test_new_topics_hold_up_no_others(
    net: NetLab, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """The producer learns of all of them at once, not with a round trip for each."""
    net.set(delay=_DELAY)
    source, target = net.clusters[_NEAR], net.clusters[_FAR]
    name = f"many-{secrets.token_hex(4)}"
    steady = source.create_topic(f"{name}-steady")
    addresses = _seen_by_the_mirror(net, A=source, B=target)
    file = mirror_file(tmp_path, addresses, *flow_lines("A->B", f"{name}-.*"))
    driver = warm_driver(file)
    driver.wait_running()
    with (
        KafkaAdmin(_NEAR, {"bootstrap.servers": source.bootstrap}) as here,
        KafkaAdmin(_FAR, {"bootstrap.servers": target.bootstrap}) as there,
    ):

        def ends(*topics: str) -> list[int]:
            places = [TopicPartition(f"A.{topic}", 0) for topic in topics]
            return list(there.offsets(places, isolation="read_committed").values())

        def passes(timeout_s: float) -> None:
            before = ends(steady)
            write(source, steady, numbered(steady, range(1)))
            driver.wait_until(lambda: ends(steady) > before, "a record of before", timeout_s)

        passes(_END_S_MAX)
        topics = [f"{name}-{number}" for number in range(_TOPICS)]
        new = [NewTopic(name=topic, partitions=1, replication_factor=1) for topic in topics]
        assert not here.create_topics(new)
        client = producer(source.bootstrap)
        for topic in topics:
            client.produce(topic, b"new")
        assert client.flush(_END_S_MAX) == 0
        while sum(map(bool, ends(*topics))) < _TOPICS:
            passes(_OTHERS_S_MAX)
    net.clear()
    assert driver.stop() == 0


def _seen_by_the_mirror(net: NetLab, **clusters: Cluster) -> dict[str, str]:
    """Give their addresses: the mirror is on the near side."""
    return {
        alias: net.bootstrap(cluster.name, seen_from=_NEAR) for alias, cluster in clusters.items()
    }


def _connections(driver: Driver, port: int) -> int:
    """Count what the driver's JVMs have open to a port."""
    count = 0
    for pid in driver.members("java"):
        with suppress(psutil.NoSuchProcess):
            open_now = psutil.Process(pid).net_connections("tcp")
            count += sum(1 for each in open_now if each.raddr and each.raddr.port == port)
    return count

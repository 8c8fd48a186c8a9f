"""Brokers die and come back while a flow copies: it goes on with those that are left, or waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair

from kmirror.clock import SystemClock
from kmirror.wire.flow_names import slot_transactional_ids
from tests.support.driver import Driver
from tests.support.mirrored import Mirrored, MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_PARTITIONS = 3
# What the lab's brokers have of it.
_TRANSACTIONS, _TRANSACTION_PARTITIONS = "__transaction_state", 5
_WARNING = r"WARNING +A->B: "
# A second: when a broker dies, a transaction is open almost surely.
_LONG_TRANSACTIONS = "kmirror.commit.interval.ms = 1000"


def test_target_leaders_die(
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """The leaders of mirrored partitions, with a transaction open; then the one that knows it."""
    topic = new_topic(kafka_pair.a, "hunted", partitions=_PARTITIONS)
    flow = mirrored(kafka_pair.a, three_brokers, topic, extra_lines=(_LONG_TRANSACTIONS,))
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    copy = flow.copies[0]
    (transactional_id, _) = slot_transactional_ids(copy.flow, 0)
    coordinator = partition_of(transactional_id, _TRANSACTION_PARTITIONS)
    hunted = [(copy.topics[topic], 0), (copy.topics[topic], 1), (_TRANSACTIONS, coordinator)]
    chase(flow, driver, topic, three_brokers, hunted)


@pytest.mark.long
def test_source_leaders_die(
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """Each time the leader of a partition that is being read and written."""
    topic = new_topic(three_brokers, "hunted", partitions=_PARTITIONS)
    flow = mirrored(three_brokers, kafka_pair.b, topic, extra_lines=(_LONG_TRANSACTIONS,))
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS)
    hunted = [(topic, number) for number in range(_PARTITIONS)]
    chase(flow, driver, topic, three_brokers, hunted)


def chase(
    flow: Mirrored, driver: Driver, topic: str, cluster: Cluster, hunted: Sequence[tuple[str, int]]
) -> None:
    """Kill the leaders of partitions one by one, each when the last one is in sync again."""
    flow.wait_copied(driver, topic)
    for place in hunted:
        leader = cluster.leader_of(*place)
        copied = flow.copied(topic)
        leader.kill()
        # More than what was on its way when the broker died.
        flow.wait_copied(driver, topic, copied + 1000)
        cluster.heal()
    flow.finish(driver)


@pytest.fixture
def late(tmp_path: Path) -> Iterator[Cluster]:
    """Give a cluster of one broker that is not there yet."""
    cluster = Cluster("late", tmp_path)
    yield cluster
    cluster.kill()


@pytest.mark.long
def test_a_target_that_comes_and_goes(
    kafka_pair: ClusterPair,
    late: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """It is waited for, quietly and for as long as it takes, at the start and in between."""
    topic, clock = new_topic(kafka_pair.a, "patient"), SystemClock()
    flow = mirrored(kafka_pair.a, late, topic)
    driver = flow.start()
    line = driver.wait_for_line(r"A->B: waiting: .*next try in")
    assert late.bootstrap in line
    began_s = clock.monotonic_s()
    flow.write(topic, partitions=2, rate=200, abort_every=4)
    late.start()
    told = driver.lines("A->B: waiting: .*next try in")
    assert len(told) <= 1 + (clock.monotonic_s() - began_s) // 60, driver.text
    flow.wait_until_caught_up(driver)

    copied = flow.copied(topic)
    before = len(driver.text.splitlines())
    warned, killed_s = len(driver.lines(_WARNING)), clock.monotonic_s()
    late.broker(1).kill()
    # What the view and the log say once a minute.
    said = driver.wait_for_line(r"A->B: waiting \(", timeout_s=130)
    assert "records/s" in said
    assert len(driver.text.splitlines()) - before <= 6 * len(flow.copies), driver.text
    warnings = driver.lines(_WARNING)[warned:]
    assert 1 <= len(warnings) <= 1 + (clock.monotonic_s() - killed_s) // 60, driver.text
    assert all(late.bootstrap in line for line in warnings), warnings
    late.start()
    # More than what was on its way when the broker died.
    flow.wait_copied(driver, topic, copied + 1000)
    flow.finish(driver)


@pytest.mark.long
def test_both_clusters_come_and_go(tmp_path: Path, mirrored: MirroredFactory) -> None:
    """Neither is there at the start, and both die at once later."""
    pair = [Cluster(name, tmp_path / "pair", heap_mb=256) for name in ("A", "B")]
    source, target = pair
    topic = "both-die"
    flow = mirrored(source, target, topic)
    driver = flow.start()
    driver.wait_for_line(r"A->B: waiting: .*next try in")
    with started(*pair):
        source.create_topic(topic, partitions=2)
        flow.write(topic, partitions=2)
        flow.wait_copied(driver, topic, 1000)
        for cluster in pair:
            cluster.kill()
        driver.wait_for_line(rf"{_WARNING}.*({source.bootstrap}|{target.bootstrap})")
        for cluster in pair:
            cluster.launch()
        for cluster in pair:
            cluster.wait_ready()
        flow.wait_more(driver, topic)
        flow.finish(driver)
        assert not flow.errors(driver), driver.text


def partition_of(name: str, partitions: int) -> int:
    """Say in which partition a broker keeps what belongs to a name: Java's hash of it."""
    value = 0
    for unit in name:
        value = (31 * value + ord(unit)) & 0xFFFFFFFF
    # Kafka's `Utils.abs` takes away the sign.
    signed = value - (1 << 32) if value >= 1 << 31 else value
    return (0 if signed == -(1 << 31) else abs(signed)) % partitions

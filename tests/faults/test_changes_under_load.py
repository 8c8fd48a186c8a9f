"""Topics change and drivers stop while producers write; nothing is lost and nothing is late."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka.cimpl import NewPartitions
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.cli.exits import Exit
from kmirror.clock import SystemClock
from tests.support.commands import order
from tests.support.driver import Driver
from tests.support.mirrored import Mirrored, MirroredFactory
from tests.support.moving import move_busy
from tests.support.scrapes import scraped

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_NEWS_S_MAX = 10.0
_STOP_S_MAX = 10.0


def grow(topic: str, source: Cluster, flow: Mirrored, driver: Driver) -> None:
    """Give a topic of two partitions two more, and wait until they are mirrored."""
    # Answers die with the client that asked.
    admin = source.admin()
    admin.create_partitions([NewPartitions(topic, 4)])[topic].result(30)
    flow.write(topic, partitions=4)
    driver.wait_until(
        lambda: flow.has_begun(topic, (2, 3)),
        "the new partitions are mirrored",
        timeout_s=_NEWS_S_MAX,
    )


def test_a_new_topic_and_new_partitions(
    kafka_pair: ClusterPair,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
    topic_name: Callable[[str], str],
) -> None:
    """Both are mirrored within 10 s, while everything else goes on."""
    a, b = kafka_pair
    old, later = new_topic(a, "old"), topic_name("later")
    flow = mirrored(a, b, old, later)
    driver = flow.start_copying()
    flow.write(old, partitions=2, abort_every=4)
    flow.wait_copied(driver, old)
    # The promise is for a flow that keeps up: a backlog is copied first come, first served.
    flow.wait_until_caught_up(driver)

    a.create_topic(later, partitions=3)
    flow.write(later, partitions=3)
    flow.wait_copied(driver, later, timeout_s=_NEWS_S_MAX)

    grow(old, a, flow, driver)
    flow.finish(driver)


def batches(driver: Driver) -> dict[str, float]:
    """Tell how many batches of Spark each flow has begun."""
    url = driver.wait_for_address("serving metrics at")
    return {
        each.labels["flow"]: each.value
        for each in scraped(url)
        if each.name == "kmirror_seams_total"
    }


@pytest.mark.long
def test_plans_follow_each_other_within_a_batch(
    kafka_pair: ClusterPair,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
    topic_name: Callable[[str], str],
) -> None:
    """Whatever comes, goes and rests: no batch ends for it, and its neighbours do not notice."""
    a, b = kafka_pair
    old, later = new_topic(a, "old", partitions=2), topic_name("later")
    flow = mirrored(a, b, old, later)
    flow.write(old, partitions=2, rate=500, abort_every=4)
    driver = flow.start("--metrics-listen", "127.0.0.1:0")
    flow.wait_copied(driver, old)
    before = batches(driver)
    assert set(before.values()) == {1}

    a.create_topic(later, partitions=3)
    flow.write(later, partitions=3, rate=200)
    flow.wait_copied(driver, later, timeout_s=_NEWS_S_MAX)
    names = [str(copy.flow) for copy in flow.copies]
    for place in (f"{old}:1", later):
        for verb in ("pause", "resume"):
            for name in names:
                assert "in effect" in order(verb, flow.file, name, place).text
    grow(old, a, flow, driver)
    assert batches(driver) == before
    flow.finish(driver)


def test_partitions_move_within_a_batch(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """To another slot, while they are written to; a lane lets go before another one begins."""
    a, b = kafka_pair
    busy, calm = new_topic(a, "busy", partitions=4), new_topic(a, "calm")
    flow = mirrored(a, b, busy, calm, extra_lines=("kmirror.slots = 2",))
    driver = flow.start_copying("--metrics-listen", "127.0.0.1:0")
    flow.write(busy, partitions=4, rate=200, abort_every=4)
    flow.write(calm, partitions=2, rate=50)
    flow.wait_copied(driver, calm, 50)
    begun = batches(driver)
    move_busy(flow, driver, busy, calm)
    flow.wait_more(driver, busy)
    assert batches(driver) == begun
    flow.finish(driver)


def test_sigterm_under_load(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """An ordered end takes less than 10 s; the next start goes on with the next record."""
    a, b = kafka_pair
    topic = new_topic(a, "stopped", partitions=4)
    flow, clock = mirrored(a, b, topic), SystemClock()
    flow.write(topic, partitions=4, rate=2000)
    driver = flow.start()
    flow.wait_copied(driver, topic)
    began_s = clock.monotonic_s()
    assert driver.stop() == Exit.OK, driver.text
    assert clock.monotonic_s() - began_s < _STOP_S_MAX, driver.text
    assert not driver.members(), "its JVM is still there"
    assert not driver.lines("did not come to rest"), driver.text
    flow.finish(flow.start())

"""Topics change and drivers stop while producers write; nothing is lost and nothing is late."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka.cimpl import NewPartitions
from kmirror_lab.fixtures import ClusterPair

from kmirror.cli.exits import Exit
from kmirror.clock import SystemClock
from tests.support.mirrored import MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_NEWS_S_MAX = 10.0
_STOP_S_MAX = 10.0


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

    # Answers die with the client that asked.
    admin = a.admin()
    admin.create_partitions([NewPartitions(old, 4)])[old].result(30)
    flow.write(old, partitions=4)
    driver.wait_until(
        lambda: flow.has_begun(old, (2, 3)),
        "the new partitions are mirrored",
        timeout_s=_NEWS_S_MAX,
    )
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

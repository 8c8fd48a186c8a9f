"""A driver dies at each step of its life that can be seen from outside, one after the other."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest
from confluent_kafka import IsolationLevel
from confluent_kafka.cimpl import NewPartitions
from kmirror_lab.fixtures import ClusterPair

from tests.support.copy_watch import ends_of
from tests.support.driver import RUNNING
from tests.support.mirrored import Mirrored, MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault, pytest.mark.long]

_STEPS = (
    "starting Spark",  # nothing is claimed
    "A->B: created ",  # the topic is there; the flow is claimed, no position is written
    "A->B: .*starts at earliest",  # positions are decided, and perhaps written
    RUNNING,  # lanes begin
)
_STEP_S_MAX = 120
# A second: it is open long enough to be seen, and to be killed in.
_LONG_TRANSACTIONS = "kmirror.commit.interval.ms = 1000"


def test_killed_at_each_step(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """From its start to its ordered end; the last one finds everything as it should be."""
    a, b = kafka_pair
    topic = new_topic(a, "crashes")
    flow = mirrored(a, b, topic, extra_lines=(_LONG_TRANSACTIONS,))
    flow.write(topic, partitions=2, abort_every=4)
    for step in _STEPS:
        driver = flow.start()
        driver.wait_for_line(step)
        driver.kill()

    driver = flow.start()
    driver.wait_until(lambda: is_open(flow), "a transaction is open", _STEP_S_MAX)
    driver.kill()

    driver = flow.start_copying()
    admin = a.admin()
    admin.create_partitions([NewPartitions(topic, 3)])[topic].result(30)
    flow.write(topic, partitions=3)
    driver.wait_for_line("grew .* to 3 partitions")
    driver.kill()

    driver = flow.start_copying()
    flow.wait_more(driver, topic)
    os.kill(driver.pid, signal.SIGTERM)
    driver.kill()
    flow.finish(flow.start(), timeout_s=300)


def is_open(flow: Mirrored) -> bool:
    """Whether every flow has a transaction open."""
    target = flow.target.bootstrap
    for copy in flow.copies:
        names = copy.topics.values()
        stable = ends_of(target, names, IsolationLevel.READ_COMMITTED)
        if stable == ends_of(target, names, IsolationLevel.READ_UNCOMMITTED):
            return False
    return True

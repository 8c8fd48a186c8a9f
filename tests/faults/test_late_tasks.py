"""Executors that hang or die: somebody else goes on, and what they wake up with does not count."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.fill import fill

from tests.support.mirrored import MirroredFactory
from tests.support.moving import move_busy

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault, pytest.mark.long]

_EXECUTOR = "CoarseGrainedExecutorBackend"
_MASTER = ("--master", "local-cluster[2,2,1024]")
_RECORDS = 300_000
# Spark gives up an executor that has been silent for so long: 120 s by default.
_LINES = (
    "kmirror.slots = 2",
    "kmirror.spark.network.timeout = 20s",
    "kmirror.spark.network.timeoutInterval = 5s",
    "kmirror.spark.executor.heartbeatInterval = 2s",
)


def test_an_executor_that_hangs(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """Its tasks run a second time elsewhere. Spark kills it; if it is there still, it wakes up."""
    a, b = kafka_pair
    bulk, awkward = new_topic(a, "bulk", partitions=4), new_topic(a, "awkward")
    flow = mirrored(a, b, bulk, awkward, extra_lines=_LINES)
    fill(a.bootstrap, bulk, records=_RECORDS, size_bytes=60, partitions=4)
    flow.write(awkward, partitions=2, rate=100, abort_every=4)
    driver = flow.start(*_MASTER)
    flow.wait_copied(driver, bulk)
    executors = driver.members(_EXECUTOR)
    assert len(executors) == 2
    assert flow.copied(bulk) < _RECORDS, "it hangs when all is copied"
    hanging = executors[0]
    os.kill(hanging, signal.SIGSTOP)
    flow.wait_copied(driver, bulk, _RECORDS, timeout_s=600)
    flow.wait_more(driver, awkward, 100)
    if hanging in driver.members(_EXECUTOR):
        os.kill(hanging, signal.SIGCONT)
    flow.wait_more(driver, awkward, 100)
    flow.finish(driver, timeout_s=300)


def test_a_task_runs_again_after_partitions_moved(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """It begins with the newest plan: by its batch's plan it would have what another lane has."""
    a, b = kafka_pair
    busy, calm = new_topic(a, "busy", partitions=4), new_topic(a, "calm")
    flow = mirrored(a, b, busy, calm, extra_lines=_LINES)
    driver = flow.start_copying(*_MASTER)
    flow.write(busy, partitions=4, rate=200, abort_every=4)
    flow.write(calm, partitions=2, rate=50)
    flow.wait_copied(driver, calm, 50)
    move_busy(flow, driver, busy, calm)
    for executor in driver.members(_EXECUTOR):
        os.kill(executor, signal.SIGKILL)
        flow.wait_more(driver, busy)
    flow.finish(driver, timeout_s=300)

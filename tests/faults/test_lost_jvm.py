"""Spark's JVM dies without notice: its driver ends, and the next start removes what it left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.cli.exits import Exit
from tests.support.driver import Driver
from tests.support.mirrored import MirroredFactory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_END_S_MAX = 10.0
_JVM = "org.apache.spark.deploy.SparkSubmit"


def _kill_jvm(driver: Driver) -> None:
    (jvm,) = driver.members(_JVM)
    os.kill(jvm, signal.SIGKILL)


def test_a_killed_jvm(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """
    While both granularities copy: one line says so, and a service manager is told to restart.

    Nothing is lost or repeated. What a killed driver left goes with the next start, and nothing
    that a living one has.
    """
    a, b = kafka_pair
    topic = new_topic(a, "jvm")
    flow = mirrored(a, b, topic)
    driver = flow.start_copying()
    flow.write(topic, partitions=2, abort_every=4)
    flow.wait_copied(driver, topic)
    _kill_jvm(driver)
    killed_s = time.monotonic()
    assert driver.wait_exit() == Exit.START_FAILED, driver.text
    assert time.monotonic() - killed_s < _END_S_MAX
    (line,) = driver.lines("ERROR|Traceback|Error:|refused")
    assert "Spark's JVM" in line
    assert "SIGKILL" in line
    driver.check_log()
    assert not list(driver.temporary.glob("kmirror-*")), "it could still remove its own folder"

    driver = flow.start_copying()
    (left,) = driver.temporary.glob("kmirror-*")
    driver.kill()
    assert list(left.glob("**/blockmgr-*")), "the folder that this test is about"
    driver = flow.start_copying()
    assert not left.exists()
    (own,) = driver.temporary.glob("kmirror-*")
    flow.finish(driver)
    assert not own.exists()

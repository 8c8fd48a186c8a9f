"""Spark's JVM dies without notice: its driver ends, and the next start removes what it left."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.cli.exits import Exit
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.mirrored import MirroredFactory
from tests.support.records import numbered, read, write
from tests.support.scrapes import sum_of

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


def is_ready(url: str) -> bool:
    """Ask the driver that serves metrics at *url*."""
    try:
        urlopen(url.replace("/metrics", "/readiness"), timeout=5).close()
    except HTTPError as error:
        told = error.read().decode()
        return not re.search(r"A->B: waiting: Spark's JVM: no answer for \d+ s", told)
    return True


def test_a_jvm_that_hangs(
    kafka_pair: ClusterPair,
    topic_name: Callable[[str], str],
    run_driver: DriverFactory,
    tmp_path: Path,
) -> None:
    """Within 10 s nobody is told that all is well; when it goes on, so does its flow."""
    a, b = kafka_pair
    topic = a.create_topic(topic_name("hung"))
    write(a, topic, numbered("first", range(100)))
    metrics = "kmirror.metrics.listen = 127.0.0.1:0"
    driver = run_driver(
        mirror_file(tmp_path, {"A": a, "B": b}, *flow_lines("A->B", topic), metrics)
    )
    url = driver.wait_for_address("serving metrics at")
    value = partial(sum_of, url)
    wait_until(lambda: value("kmirror_records_total") == 100, "all is copied", timeout_s=60)
    (jvm,) = driver.members(_JVM)
    os.kill(jvm, signal.SIGSTOP)
    stopped_s = time.monotonic()
    try:
        wait_until(lambda: not is_ready(url), "it is seen", timeout_s=_END_S_MAX)
        assert time.monotonic() - stopped_s < _END_S_MAX
        # Whoever asks is answered, also while nobody answers kmirror.
        assert value("kmirror_flow_state", state="waiting") == 1
        assert value("kmirror_slo_verdict", verdict="BROKEN") == 1
        write(a, topic, numbered("second", range(100)))
    finally:
        os.kill(jvm, signal.SIGCONT)
    wait_until(lambda: value("kmirror_records_total") == 200, "it goes on", timeout_s=60)
    wait_until(
        lambda: value("kmirror_flow_state", state="running") == 1, "it is well", timeout_s=10
    )
    assert read(b, f"A.{topic}") == numbered("first", range(100)) + numbered("second", range(100))

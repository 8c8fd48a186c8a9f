"""Spark clusters that are not what the flows need: said at the start, with the address."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from kmirror_lab.process.ports import LOOPBACK, free_ports

from kmirror.cli.exits import Exit
from kmirror.clock import ManualClock, SystemClock
from kmirror.config.secret import Secret
from kmirror.errors import EnvironmentProblem
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.session import SparkProcess
from tests.support.driver import DriverFactory, write_properties

pytestmark = pytest.mark.spark

_END_S_MAX = 60.0


@contextmanager
def spark(master: str, folder: Path) -> Iterator[SparkProcess]:
    """Give Spark's JVM, for two slots."""
    memory = Secret("512m")
    settings = {"spark.driver.memory": memory, "spark.executor.memory": memory}
    # What it sets there for its JVM is not for the drivers of later tests.
    with patch.dict(os.environ):
        made = SparkProcess(
            SparkLaunch(app="test", slots=2, master=master, settings=settings, folder=folder),
            SystemClock(),
        )
        try:
            yield made
        finally:
            made.close()


def test_nobody_listens(run_driver: DriverFactory, tmp_path: Path) -> None:
    """The process ends with 3, before it has looked at any cluster."""
    (port,) = free_ports(1)
    address = f"{LOOPBACK}:{port}"
    driver = run_driver(
        write_properties(tmp_path, "127.0.0.1:1", "127.0.0.1:1"), "--master", f"spark://{address}"
    )
    assert driver.wait_exit(timeout_s=_END_S_MAX) == Exit.START_FAILED
    assert driver.lines(rf"cannot be reached: {address}: Connection refused"), driver.text


def test_a_master_that_is_silent(tmp_path: Path) -> None:
    """It is not waited for until Spark loses patience; this clock does not wait at all."""
    with socket.create_server((LOOPBACK, 0)) as server:
        url = f"spark://{LOOPBACK}:{server.getsockname()[1]}"
        with (
            spark(url, tmp_path) as made,
            pytest.raises(EnvironmentProblem, match=f"master {url} did not answer within 45 s"),
        ):
            made.open(ManualClock(), threading.Event())


def test_executors_that_do_not_come(tmp_path: Path) -> None:
    """Two slots need two cores that are there; Spark itself says 2 where there is none."""
    with (
        spark("local-cluster[1,1,1024]", tmp_path) as made,
        pytest.raises(
            EnvironmentProblem, match=r"offers [01] cores, .* need 2: .*driver at localhost:\d+"
        ),
    ):
        made.open(ManualClock(), threading.Event())

"""A cluster that is not there when kmirror starts."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.model import Flow
from tests.support.driver import DriverFactory, write_properties
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_a_source_that_comes_later(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """It is waited for, with one log line that says which broker; when it comes, copying begins."""
    with ExitStack() as running:
        source = Cluster("late", tmp_path)
        running.callback(source.kill)
        file = write_properties(
            tmp_path / "run",
            source,
            kafka_pair.b,
            "heartbeats.replication.enabled = false",
            topics="late-.*",
        )
        driver = warm_driver(file)
        line = driver.wait_for_line("A->B: waiting: ")
        assert "A->B" in line
        assert source.bootstrap in line, line
        # Preparing the storage takes seconds in which the driver asks again and again.
        source.start()
        assert len(driver.lines("A->B: waiting: ")) == 1, driver.text
        source.create_topic("late-topic")
        write(source, "late-topic", numbered("late", range(50)))
        driver.wait_for_line("created A.late-topic", timeout_s=90)
        driver.wait_until_caught_up(
            source, kafka_pair.b, {"late-topic": "A.late-topic"}, flow=Flow("A", "B")
        )
        assert read(kafka_pair.b, "A.late-topic") == numbered("late", range(50))
        assert driver.stop() == 0

"""Runs in which no report of a lane ever reaches the driver."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.jvm import class_path, own_jars
from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory
from tests.support.java_program import compiled, connector_path
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import numbered, read, record, write
from tests.support.spark_cluster import ONE_PROCESS_OR_TWO

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_LINE = Path(__file__).with_name("DriverLine.java")


@ONE_PROCESS_OR_TWO
def test_exit_code_without_a_single_report(
    kafka_pair: ClusterPair,
    topic_name: Callable[[str], str],
    run_driver: DriverFactory,
    tmp_path: Path,
    master: tuple[str, ...],
) -> None:
    """The target says that one partition did not come to its end, and that the other one did."""
    a, b = kafka_pair
    whole, refused = a.create_topic(topic_name("whole")), a.create_topic(topic_name("refused"))
    b.create_topic(f"A.{refused}", config={"max.message.bytes": "2000"})
    large = record(os.urandom(5000))
    write(a, whole, numbered("n", range(50)))
    write(a, refused, [*numbered("n", range(50)), large, *numbered("later", range(50))])
    jar = compiled(_LINE, tmp_path, jars=connector_path())
    path = class_path(jar, *own_jars())
    file = mirror_file(
        tmp_path,
        {"A": a, "B": b},
        KEEPS_SETTINGS,
        *flow_lines("A->B", f"{whole},{refused}"),
        *(f"kmirror.spark.{side}.extraClassPath = {path}" for side in ("driver", "executor")),
    )
    driver = copy_once(run_driver, file, *master, code=5)
    (line,) = driver.lines("ERROR")
    assert f"parked {refused}-0: copied up to offset 50 of 101" in line
    assert read(b, f"A.{whole}") == read(a, whole)
    assert read(b, f"A.{refused}") == numbered("n", range(50))

"""Spark's JVM starts from the archive of its classes."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.pipeline.class_archive import prepare_archive
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_CLASSES = (
    "org.apache.spark.SparkContext",
    "org.apache.kafka.clients.NetworkClient",
    "io.kmirror.Fencing",
)


def test_the_archive_is_used(
    kafka_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """It fits the JVM and its class path: Spark's, the clients' and our classes come from it."""
    prepare_archive()
    file = mirror_file(
        tmp_path,
        {"CA": kafka_pair.a, "CB": kafka_pair.b},
        *flow_lines("CA->CB", f"nothing-{secrets.token_hex(4)}"),
    )
    loaded = tmp_path / "loaded"
    driver = run_driver(file, environ={"JDK_JAVA_OPTIONS": f"-Xlog:class+load:file={loaded}"})
    driver.wait_for_line("CA->CB: plan 1")
    assert driver.stop() == 0
    lines = loaded.read_text().splitlines()
    for name in _CLASSES:
        (line,) = (line for line in lines if f" {name} source: " in line)
        assert line.endswith("source: shared objects file (top)"), line

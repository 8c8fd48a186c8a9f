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


def test_the_archive_is_used(
    kafka_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path
) -> None:
    """It fits the JVM and its class path, so the JVM has it in its memory."""
    archive = prepare_archive()
    file = mirror_file(
        tmp_path,
        {"CA": kafka_pair.a, "CB": kafka_pair.b},
        *flow_lines("CA->CB", f"nothing-{secrets.token_hex(4)}"),
    )
    driver = run_driver(file)
    driver.wait_for_line("CA->CB: plan 1")
    (jvm,) = driver.members("java")
    assert str(archive) in Path(f"/proc/{jvm}/maps").read_text()
    assert driver.stop() == 0

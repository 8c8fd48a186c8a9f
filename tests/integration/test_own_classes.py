"""Classes that an operator brings for Kafka's clients, in `kmirror.spark.jars`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory
from tests.support.java_program import compiled, connector_path
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import numbered, read, write
from tests.support.spark_cluster import ONE_PROCESS_OR_TWO

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_CLASS = Path(__file__).with_name("SeenReporter.java")


@ONE_PROCESS_OR_TWO
def test_a_class_of_the_operator_s(
    kafka_pair: ClusterPair,
    topic_name: Callable[[str], str],
    run_driver: DriverFactory,
    tmp_path: Path,
    *,
    monkeypatch: pytest.MonkeyPatch,
    master: tuple[str, ...],
) -> None:
    """Kafka's clients find it where Spark has put it, and it finds Kafka's own classes."""
    a, b = kafka_pair
    topic = a.create_topic(topic_name("seen"))
    write(a, topic, numbered("n", range(50)))
    jar = compiled(_CLASS, tmp_path, jars=connector_path())
    file = mirror_file(
        tmp_path,
        {"A": a, "B": b},
        KEEPS_SETTINGS,
        *flow_lines("A->B", topic),
        f"kmirror.spark.jars = {jar}",
        "B.producer.metric.reporters = example.SeenReporter",
    )
    seen = tmp_path / "seen"
    monkeypatch.setenv("SEEN_REPORTER_FILE", str(seen))
    copy_once(run_driver, file, *master)
    assert "producer" in seen.read_text().splitlines()
    assert read(b, f"A.{topic}") == read(a, topic)

"""`kmirror status`: what it says before, between and after runs."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from tests.support.bounded import copy_once
from tests.support.commands import status
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_before_and_after(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Lag, owner and what does not travel in whole batches; nothing has to run for it."""
    a, b = kafka_pair
    name = f"status-{secrets.token_hex(4)}"
    plain = a.create_topic(f"{name}-plain", partitions=2)
    stamped = a.create_topic(f"{name}-stamped", config={"message.timestamp.type": "LogAppendTime"})
    for topic in (plain, stamped):
        write(a, topic, numbered(topic, range(30)))
    lines = flow_lines("SA->SB", f"{name}-.*")
    file = mirror_file(tmp_path, {"SA": a, "SB": b}, *lines)

    before = status(file)
    assert before.code == 0, before.text
    assert "was never started" in before.text
    assert "lag 60 records; whole batches" in before.text
    assert "source broker's (message.timestamp.type)" in before.text

    copy_once(warm_driver, file)
    write(a, plain, numbered("more", range(7)), partition=1)
    after = status(file, "--json")
    assert after.code == 0, after.text
    found = json.loads(after.text)
    assert found["lag_records"] == 7
    assert found["owner"]["generation"] == 1
    assert found["owner"]["owner"]["host"]
    topics = {topic["topic"]: topic for topic in found["topics"]}
    assert topics[plain]["positions"] == topics[plain]["partitions"] == 2
    assert topics[plain]["copy"] == f"SA.{plain}"
    assert topics[plain]["lag_records"] == 7
    assert topics[plain]["exceptions"] == []
    assert topics[stamped]["lag_records"] == 0


def test_record_by_record(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """The setting that makes it so is named."""
    a, b = kafka_pair
    topic = a.create_topic(f"status-{secrets.token_hex(4)}")
    lines = flow_lines("SC->SD", topic, "kmirror.granularity = record")
    answer = status(mirror_file(tmp_path, {"SC": a, "SD": b}, *lines))
    assert answer.code == 0, answer.text
    assert "record by record (kmirror.granularity)" in answer.text


def test_a_cluster_that_is_away(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """Exit code 3, and which cluster."""
    lines = [*flow_lines("SE->SF", "x"), "SE.bootstrap.servers = 127.0.0.1:1"]
    clusters = {"SF": kafka_pair.b}
    file = mirror_file(tmp_path, clusters, "clusters = SE, SF", *lines)
    answer = status(file)
    assert answer.code == 3, answer.text
    assert "SE" in answer.text

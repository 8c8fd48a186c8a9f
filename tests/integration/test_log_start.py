"""What DeleteRecords took from the beginning of the source goes from the copy, too, and no more."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.admin.client import KafkaAdmin
from kmirror.model import TopicPartition
from tests.support.bounded import copy_once
from tests.support.commands import apply, plan
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import delete_before, numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

ALL = numbered("r", range(500))
_TRIMMED_S_MAX = 90.0


def start_of(cluster: Cluster, topic: str) -> int:
    """Give where a partition begins."""
    with KafkaAdmin("x", {"bootstrap.servers": cluster.bootstrap}) as admin:
        return admin.offsets([TopicPartition(topic, 0)], "earliest")[TopicPartition(topic, 0)]


def test_a_copy_begins_where_its_partition_begins(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """By a command, and by a flow that runs; without the key nothing is deleted."""
    name = f"start{secrets.token_hex(3)}"
    copy, clusters = f"S{name}.{name}", {f"S{name}": kafka_pair.a, f"T{name}": kafka_pair.b}
    lines = flow_lines(f"S{name}->T{name}", name, "refresh.topics.interval.seconds = 1")
    off = mirror_file(tmp_path / "off", clusters, *lines)
    on = mirror_file(tmp_path / "on", clusters, *lines, "kmirror.sync.log.start = true")
    kafka_pair.a.create_topic(name)
    for begin in (0, 100, 200, 300, 400):
        write(kafka_pair.a, name, ALL[begin : begin + 100])
    copy_once(warm_driver, on)
    assert read(kafka_pair.b, copy) == ALL

    delete_before(kafka_pair.a, name, 150)
    assert plan(off).code == 0
    planned = plan(on, "--json")
    assert planned.code == 1, planned.text
    assert [each["target"] for each in json.loads(planned.text)["trim"]] == [[copy, 0]]
    assert start_of(kafka_pair.b, copy) == 0
    applied = apply(on)
    assert applied.code == 0, applied.text
    assert f"trim   {copy}-0: begins at " in applied.text
    assert read(kafka_pair.b, copy) == ALL[150:]
    assert plan(on).code == 0
    assert apply(on).text.splitlines()[0].endswith("nothing was to be changed")

    # All that was copied is gone from the source, and more: what comes then is not touched.
    delete_before(kafka_pair.a, name, 420)
    driver = warm_driver(on)
    driver.wait_for_line(rf"{copy}-0: begins at ", timeout_s=_TRIMMED_S_MAX)
    assert read(kafka_pair.b, copy) == ALL[420:]
    assert driver.stop() == 0


def test_what_is_not_known_stays(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Without the map, and with records that look the same, nobody can tell where they are."""
    name = f"start{secrets.token_hex(3)}"
    source, target = f"S{name}", f"T{name}"
    copy, clusters = f"{source}.{name}", {source: kafka_pair.a, target: kafka_pair.b}
    lines = flow_lines(f"{source}->{target}", name)
    file = mirror_file(tmp_path, clusters, *lines, "kmirror.sync.log.start = true")
    same = ALL[:1] * 500
    write(kafka_pair.a, kafka_pair.a.create_topic(name), same)
    copy_once(warm_driver, file)
    offset_map = f"__kmirror-offsets-{source}-{target}"
    admin = kafka_pair.b.admin()
    admin.delete_topics([offset_map])[offset_map].result(30)
    delete_before(kafka_pair.a, name, 150)
    planned = plan(file)
    assert planned.code == 0, planned.text
    assert "trim" not in planned.text
    assert apply(file).code == 0
    assert read(kafka_pair.b, copy) == same

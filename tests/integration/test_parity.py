"""Topics and their settings: planned, applied, and kept equal by a running flow."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from tests.support.bounded import copy_once
from tests.support.commands import apply, plan, status
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write
from tests.support.topic_settings import change_settings, own_settings

pytestmark = pytest.mark.kafka

# By hand on the target; the file excludes it and nothing else, so min.insync.replicas is synced.
_EXCLUDED = "A->B.config.properties.exclude = segment\\.ms"
_SOURCE = {"retention.ms": "5000000", "min.insync.replicas": "3", "local.retention.ms": "1000"}
_COPY = {"retention.ms": "9000000", "segment.ms": "77000000", "flush.ms": "8000"}
_REVERTED_S_MAX = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """What lies on the two clusters before a test does anything."""

    name: str
    file: Path

    @property
    def new(self) -> str:
        return f"{self.name}-new"

    @property
    def old(self) -> str:
        return f"{self.name}-old"


def topics(pair: ClusterPair, folder: Path, *lines: str) -> Topics:
    """Make a topic without a copy, and one whose copy is smaller and has drifted."""
    made = Topics(name=f"parity-{secrets.token_hex(4)}", file=folder / "mm2.properties")
    pair.a.create_topic(made.new, partitions=2, config={"cleanup.policy": ""} | _SOURCE)
    pair.a.create_topic(made.old, partitions=3, config=_SOURCE)
    pair.b.create_topic(f"A.{made.old}", config=_COPY)
    clusters = {"A": pair.a, "B": pair.b}
    mirror_file(folder, clusters, *flow_lines("A->B", f"{made.name}-.*"), _EXCLUDED, *lines)
    return made


def check_equal(target: Cluster, made: Topics) -> None:
    """See that the target has what the rules say, and what they leave alone."""
    capped = {"retention.ms": "5000000", "min.insync.replicas": "1"}
    assert own_settings(target, f"A.{made.new}") == {"cleanup.policy": ""} | capped
    assert own_settings(target, f"A.{made.old}") == {"segment.ms": "77000000"} | capped


def test_plan_and_apply(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """A plan changes nothing, what is applied is what was planned, and once is enough."""
    made = topics(kafka_pair, tmp_path)
    before = topics_of(kafka_pair.b)
    planned = plan(made.file)
    assert planned.code == 1, planned.text
    drift = f"A.{made.old}: retention.ms: 9000000 becomes 5000000 (as {made.old} has it)"
    for line in (
        f'create A.{made.new}: 2 partitions, replication factor 1, cleanup.policy = "", '
        f"min.insync.replicas = 1, retention.ms = 5000000 ({made.new} has no copy)",
        f"grow   A.{made.old}: 1 become 3 partitions (as many as the source has)",
        f"change {drift}",
        f"change A.{made.old}: flush.ms: 8000 becomes the brokers' default "
        f"({made.old} has its default)",
        f"change A.{made.old}: min.insync.replicas: 1 becomes the topic's own "
        f"({made.old} has 3, but there is 1 replica)",
        f"leave  A.{made.old}: local.retention.ms is left out "
        "(the target's brokers have no remote store)",
    ):
        assert line in planned.text.splitlines(), planned.text
    assert topics_of(kafka_pair.b) == before
    assert own_settings(kafka_pair.b, f"A.{made.old}") == _COPY
    assert f"settings differ: {drift}" in " ".join(status(made.file).text.split())

    applied = apply(made.file, "--json")
    assert applied.code == 0, applied.text
    told = json.loads(applied.text)
    assert [each["name"] for each in told["created"]] == [f"A.{made.new}"]
    assert [each["to_partitions"] for each in told["grown"]] == [3]
    assert {each["name"] for each in told["changed"]} == {
        "retention.ms",
        "flush.ms",
        "min.insync.replicas",
    }
    check_equal(kafka_pair.b, made)

    again = apply(made.file)
    assert (again.code, again.text.splitlines()[0]) == (0, "A->B  nothing was to be changed")
    last = plan(made.file, "--json")
    assert last.code == 0, last.text
    found = json.loads(last.text)
    assert not [*found["create"], *found["grow"], *found["change"]]
    check_equal(kafka_pair.b, made)


def test_settings_that_the_file_leaves_alone(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """Topics are made all the same."""
    made = topics(kafka_pair, tmp_path, KEEPS_SETTINGS)
    applied = apply(made.file)
    assert applied.code == 0, applied.text
    assert "settings of topics are not kept equal" in applied.text
    assert own_settings(kafka_pair.b, f"A.{made.old}") == _COPY
    assert f"A.{made.new}" in topics_of(kafka_pair.b)


def test_what_cannot_be_done(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """It is named and does not stop the rest; a cluster that is away is another exit code."""
    made = topics(kafka_pair, tmp_path, "replication.factor = 3")
    reason = f"cannot {made.new}: replication.factor = 3, but the target has 1 broker"
    planned, applied = plan(made.file), apply(made.file)
    assert (planned.code, applied.code) == (5, 5), planned.text + applied.text
    assert reason in planned.text
    assert reason in applied.text
    assert own_settings(kafka_pair.b, f"A.{made.old}")["retention.ms"] == "5000000"
    made.file.write_text(f"{made.file.read_text()}B.bootstrap.servers = 127.0.0.1:1\n")
    away = apply(made.file, "--json")
    assert away.code == 3, away.text
    assert "127.0.0.1:1" in json.loads(away.text)["error"]


def wait_for(driver: Driver, cluster: Cluster, topic: str, expected: dict[str, str]) -> None:
    """Wait until a topic has exactly these values of its own."""
    driver.wait_until(
        lambda: own_settings(cluster, topic) == expected, f"{topic}: {expected}", _REVERTED_S_MAX
    )


@pytest.mark.spark
def test_a_running_flow(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Drift is shown, then reverted; what is excluded or removed at the source is respected."""
    a, b = kafka_pair
    made = topics(kafka_pair, tmp_path, "sync.topic.configs.interval.seconds = 1")
    write(a, made.old, numbered(made.old, range(20)))
    copy = f"A.{made.old}"
    driver = warm_driver(made.file)
    driver.wait_running()
    equal = {"segment.ms": "77000000", "retention.ms": "5000000", "min.insync.replicas": "1"}
    wait_for(driver, b, copy, equal)
    check_equal(b, made)
    assert driver.lines(f"{copy}: .*retention.ms: 9000000 becomes 5000000")

    # Somebody changes what is synced, and what is excluded.
    change_settings(b, copy, {"retention.ms": "1234567", "segment.ms": "66000000"})
    driver.wait_for_line(f"{copy}: retention.ms: 1234567 becomes 5000000", timeout_s=60)
    wait_for(driver, b, copy, equal | {"segment.ms": "66000000"})

    # An override is removed at the source.
    change_settings(a, made.old, {"retention.ms": None})
    del equal["retention.ms"]
    wait_for(driver, b, copy, equal | {"segment.ms": "66000000"})
    assert driver.lines(f"{copy}: retention.ms: 5000000 becomes the brokers' default")

    # Left out once, not with every round; and the copy went on all the while.
    assert len(driver.lines("WARNING.*local.retention.ms.*no remote store")) == 1, driver.text
    write(a, made.old, numbered("more", range(20)), partition=1)
    driver.wait_until(lambda: read(b, copy, 1) == numbered("more", range(20)), "more is copied", 60)
    assert driver.stop() == 0
    driver.check_log()


@pytest.mark.spark
def test_a_bounded_copy(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Settings are part of what it makes equal before it ends."""
    made = topics(kafka_pair, tmp_path)
    write(kafka_pair.a, made.new, numbered(made.new, range(10)))
    copy_once(warm_driver, made.file)
    check_equal(kafka_pair.b, made)

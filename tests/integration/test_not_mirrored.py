"""What is selected and cannot be copied is told, in words and by exit codes."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from tests.support.bounded import copy_once
from tests.support.commands import status, tune
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def ends(pair: ClusterPair, prefix: str) -> Mapping[str, Cluster]:
    """Give the pair names of a test's own, so that its flow has positions of its own."""
    return {f"{prefix}A": pair.a, f"{prefix}B": pair.b}


def test_a_copy_that_cannot_be_made(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Too many replicas for one broker: the topic beside it is copied, and nobody says complete."""
    a, b = kafka_pair
    name = f"replicas-{secrets.token_hex(4)}"
    good, bad = a.create_topic(f"{name}-good"), a.create_topic(f"{name}-bad")
    b.create_topic(f"RA.{good}")
    for topic in (good, bad):
        write(a, topic, numbered(topic, range(100)))
    lines = [*flow_lines("RA->RB", f"{name}-.*"), "replication.factor = 3"]
    file = mirror_file(tmp_path, ends(kafka_pair, "R"), *lines)
    told = f"not mirrored: {bad}: replication.factor = 3, but the target has 1 broker"

    assert told in " ".join(status(file).text.split())
    driver = copy_once(warm_driver, file, code=5)
    assert read(b, f"RA.{good}") == numbered(good, range(100))
    assert driver.lines(f"WARNING .*{told}"), driver.text
    after = status(file, "--json")
    assert after.code == 5, after.text
    found = json.loads(after.text)
    assert found["lag_records"] == 100
    assert [each["source_topic"] for each in found["coverage"]["problems"]] == [bad]

    again = copy_once(warm_driver, file, "--log-format", "json", code=5)
    events = {event["event"]: event for event in again.events()}
    assert events["plan.made"].items() >= {"flow": "RA->RB", "topic_count": 1}.items(), again.text
    assert told in events["selection.incomplete"]["reason"]
    assert events["flow.copied"].items() >= {"flow": "RA->RB", "records": 0}.items()


def test_names_that_are_not_there(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Quotes are part of a name in this file: nothing is copied, and everybody says why."""
    topic = kafka_pair.a.create_topic(f"quoted-{secrets.token_hex(4)}")
    file = mirror_file(
        tmp_path, ends(kafka_pair, "Q"), *flow_lines("QA->QB", f'"{topic},nobody-{topic}"')
    )
    driver = copy_once(warm_driver, file, code=5)
    (end,) = driver.lines("nothing was copied, because")
    assert f'nothing matches "{topic}: quotes are part of it' in end
    assert "no topic is selected" in end
    answer = status(file)
    assert answer.code == 5, answer.text
    assert "quotes are part of it" in answer.text
    assert "quotes are part of it" in " ".join(tune(file).text.split())


def test_what_a_start_would_park(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """Without a driver: records on the target that nobody knows the origin of."""
    a, b = kafka_pair
    topic = a.create_topic(f"unknown-{secrets.token_hex(4)}")
    write(b, b.create_topic(f"PA.{topic}"), numbered(topic, range(3)))
    answer = status(mirror_file(tmp_path, ends(kafka_pair, "P"), *flow_lines("PA->PB", topic)))
    assert answer.code == 5, answer.text
    words = " ".join(answer.text.split())
    assert f"parked: {topic}-0: the target holds 3 records of PA.{topic}" in words
    assert "kmirror.position.missing" in words


def test_a_cluster_that_is_away_hides_no_other_flow(
    kafka_pair: ClusterPair, tmp_path: Path
) -> None:
    """Its own row says so, and the exit code."""
    topic = kafka_pair.a.create_topic(f"away-{secrets.token_hex(4)}")
    file = mirror_file(
        tmp_path,
        {"GA": "127.0.0.1:1", **ends(kafka_pair, "H")},
        *flow_lines("GA->HB", "x"),
        *flow_lines("HA->HB", topic),
        "admin.timeout.ms = 3000",
    )
    answer = status(file)
    assert answer.code == 3, answer.text
    assert "GA->HB  not known" in answer.text
    assert "127.0.0.1:1" in answer.text
    assert f"HA.{topic}" in answer.text

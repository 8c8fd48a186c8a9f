"""An alias topic is its parts in one, on the same cluster, and goes nowhere else."""

from __future__ import annotations

import secrets
from collections import Counter
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from tests.support.commands import status, verify
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_COPIED_S_MAX = 60.0


@pytest.mark.parametrize("granularity", ["auto", "record"])
def test_local_and_remote_become_one(
    kafka_pair: ClusterPair,
    run_driver: DriverFactory,
    warm_driver: DriverFactory,
    tmp_path: Path,
    granularity: str,
) -> None:
    """Exactly once over a kill, in the order of each part; a part that comes later joins in."""
    a, b = kafka_pair
    label = secrets.token_hex(3)
    topic, alias = f"events{label}", f"all-events{label}"
    file = mirror_file(
        tmp_path,
        {"ya": a, "yb": b},
        *flow_lines("yb->ya", topic),
        *flow_lines("ya->yb", f".*{label}"),
        rf"ya.kmirror.alias.{alias} = {topic}.*, yb\\.{topic}",
        f"kmirror.granularity = {granularity}",
    )
    for cluster in (a, b):
        cluster.create_topic(topic, partitions=2)
    write(a, topic, numbered("a", range(50)), partition=0)
    write(b, topic, numbered("b", range(50)), partition=0)
    write(b, topic, numbered("b1", range(20)), partition=1)
    driver = run_driver(file)
    driver.wait_until(lambda: _records(a, alias) == 120, "all parts are there", _COPIED_S_MAX)
    driver.kill()
    write(a, topic, numbered("a", range(50, 90)), partition=0)
    again = warm_driver(file)
    a.create_topic(f"{topic}-late", partitions=3)
    write(a, f"{topic}-late", numbered("late", range(10)), partition=2)
    again.wait_until(lambda: _records(a, alias) >= 170, "all of the rest, too", 120)

    merged = read(a, alias, 0)
    assert Counter(map(_value, merged)) == Counter(
        [*(f"a-{n}" for n in range(90)), *(f"b-{n}" for n in range(50))]
    )
    assert [each for each in merged if _value(each).startswith("a-")] == numbered("a", range(90))
    assert [each for each in merged if _value(each).startswith("b-")] == numbered("b", range(50))
    assert read(a, alias, 1) == numbered("b1", range(20))
    assert read(a, alias, 2) == numbered("late", range(10))

    # Its parts go to the other cluster themselves.
    again.wait_until(lambda: _records(b, f"ya.{topic}") == 90, "the parts are there", 60)
    names = set(b.admin().list_topics(timeout=30).topics)
    assert not [name for name in names if alias in name and not name.startswith("_")]
    shown = status(file)
    assert shown.code == 0, shown.text
    assert f"ya->ya.{alias}" in shown.text
    assert again.stop() == 0
    compared = verify(file)
    assert compared.code == 0, compared.text
    assert f"ya->ya.{alias}\nnothing was compared: the topic merges others" in compared.text


def _records(cluster: Cluster, topic: str) -> int:
    found = cluster.admin().list_topics(timeout=30).topics.get(topic)
    return 0 if found is None else sum(len(read(cluster, topic, p)) for p in found.partitions)


def _value(content: Content) -> str:
    return (content.value or b"").decode()

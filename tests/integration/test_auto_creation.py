"""Brokers that make every topic that somebody asks for, which is Kafka's default."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterFactory
from kmirror_lab.process.waiting import wait_until

from tests.support.commands import plan, status
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_PARTITIONS = 3
_SENT = numbered("n", range(40))
_COPIED_S_MAX = 120.0
# One interval of looking for topics is 1 s here; the rest is for a busy machine.
_NOTICED_S_MAX = 60.0


def partitions(cluster: Cluster) -> dict[str, int]:
    """Tell how many partitions each topic has; asking for all makes none."""
    listed = cluster.admin().list_topics(timeout=30).topics
    return {name: len(topic.partitions) for name, topic in listed.items()}


def delete(cluster: Cluster, topic: str) -> None:
    """Delete a topic; somebody may make it again."""
    admin = cluster.admin()
    admin.delete_topics([topic])[topic].result()


def test_who_looks_makes_no_topic(
    start_cluster: ClusterFactory, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """A topic that is deleted while it is copied stays deleted; a copy made anew is noticed."""
    eager = {"auto.create.topics.enable": "true", "num.partitions": "1"}
    a, b = start_cluster("A", config=eager), start_cluster("B", config=eager)
    for topic in ("gone", "stays"):
        a.create_topic(topic, partitions=_PARTITIONS)
        write(a, topic, _SENT)
    settings = ("refresh.topics.interval.seconds = 1", "kmirror.topic.deletion = quarantine")
    file = mirror_file(tmp_path, {"A": a, "B": b}, *flow_lines("A->B", "gone|stays", *settings))
    assert plan(file).code in {0, 1}
    assert not {name for name in topics_of(b) if not name.startswith("__")}, "a plan makes topics"
    driver = warm_driver(file)
    driver.wait_until(
        lambda: partitions(b).get("A.gone") == _PARTITIONS and read(b, "A.gone") == _SENT,
        "the topic is copied",
        timeout_s=_COPIED_S_MAX,
    )
    log = "__kmirror-deletions-A-B"
    wait_until(lambda: log in topics_of(b), f"{log} is there", timeout_s=_NOTICED_S_MAX)
    wait_until(lambda: bool(read(b, log)), "the source is known", timeout_s=_NOTICED_S_MAX)

    delete(a, "gone")
    driver.wait_for_line(r"WARNING .*gone was deleted on the source", timeout_s=_NOTICED_S_MAX)
    write(a, "stays", _SENT)
    driver.wait_until(
        lambda: read(b, "A.stays") == [*_SENT, *_SENT], "the other is copied", _COPIED_S_MAX
    )
    answer = status(file, "A->B", "gone", "--json")
    assert {json.loads(line)["state"] for line in answer.text.splitlines()} == {"quarantined"}
    assert "gone" not in partitions(a), "whoever reads it has made it anew"

    delete(b, "A.stays")
    lost = r"ERROR .*stays.* parked .*target topic A\.stays was deleted or made anew"
    driver.wait_for_line(lost, timeout_s=_NOTICED_S_MAX)
    assert driver.stop() == 0
    assert "gone" not in partitions(a)

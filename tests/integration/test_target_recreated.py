"""A target topic is deleted and made again: what was copied before is gone, and that is said."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.bounded import copy_once
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

OLD, NEW = numbered("old", range(40)), numbered("new", range(10))
PARKED = r"ERROR .*parked {topic}-0: target topic .* was deleted or made anew"
# One interval of looking for topics is 5 s; the rest is for a busy machine.
_NOTICED_S_MAX = 30.0


def delete(cluster: Cluster, topic: str) -> None:
    """Delete a topic, and wait until it is gone or made again."""
    admin = cluster.admin()
    admin.delete_topics([topic])[topic].result()


def properties(folder: Path, pair: ClusterPair, topic: str, *settings: str) -> Path:
    """Write the file of a flow of its own: other tests' flows have other aliases."""
    clusters = {f"S{topic}": pair.a, f"T{topic}": pair.b}
    return mirror_file(folder, clusters, *flow_lines(f"S{topic}->T{topic}", topic, *settings))


def test_while_the_flow_runs(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Noticed with the next look for topics, remembered over a restart, until somebody decides."""
    topic = f"anew-{secrets.token_hex(4)}"
    copy = f"S{topic}.{topic}"
    write(kafka_pair.a, kafka_pair.a.create_topic(topic), OLD)
    driver = warm_driver(properties(tmp_path / "running", kafka_pair, topic))
    driver.wait_until(
        lambda: copy in topics_of(kafka_pair.b) and read(kafka_pair.b, copy) == OLD,
        "the old records",
        120,
    )
    delete(kafka_pair.b, copy)
    line = driver.wait_for_line(PARKED.format(topic=topic), timeout_s=_NOTICED_S_MAX)
    assert "kmirror.position.missing = earliest" in line
    # The plan after the next look: from then on the group remembers it, too.
    driver.wait_for_line(r"plan 3: ", timeout_s=_NOTICED_S_MAX)
    write(kafka_pair.a, topic, NEW)
    assert driver.stop() == 0
    assert len(driver.lines(PARKED.format(topic=topic))) == 1, driver.text

    again = copy_once(warm_driver, properties(tmp_path / "again", kafka_pair, topic), code=5)
    again.wait_for_line(PARKED.format(topic=topic))
    assert read(kafka_pair.b, copy) == []
    chosen = properties(tmp_path / "all", kafka_pair, topic, "kmirror.position.missing = earliest")
    copy_once(warm_driver, chosen)
    assert read(kafka_pair.b, copy) == [*OLD, *NEW]


def test_while_nothing_runs(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """The second copy of the position would go on behind what is gone."""
    topic = f"anew-{secrets.token_hex(4)}"
    copy = f"S{topic}.{topic}"
    write(kafka_pair.a, kafka_pair.a.create_topic(topic), OLD)
    file = properties(tmp_path / "first", kafka_pair, topic)
    copy_once(warm_driver, file)
    assert read(kafka_pair.b, copy) == OLD
    delete(kafka_pair.b, copy)
    wait_until(lambda: copy not in topics_of(kafka_pair.b), f"{copy} is gone", timeout_s=30)
    write(kafka_pair.a, topic, NEW)
    copy_once(warm_driver, file, code=5).wait_for_line(PARKED.format(topic=topic))
    assert read(kafka_pair.b, copy) == []
    chosen = properties(tmp_path / "all", kafka_pair, topic, "kmirror.position.missing = earliest")
    copy_once(warm_driver, chosen)
    assert read(kafka_pair.b, copy) == [*OLD, *NEW]

"""Records that the target refuses: one partition stands still, its neighbours go on."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.clock import SystemClock
from tests.support.bounded import copy_once
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import KEEPS_SETTINGS, flow_lines, mirror_file
from tests.support.records import numbered, read, record, write
from tests.support.topic_settings import change_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

BEFORE, AFTER = numbered("before", range(10)), numbered("after", range(10))
NEIGHBOUR = numbered("neighbour", range(500))
LARGE = record(b"x" * 50_000, key=b"large")
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """The first run, over."""

    driver: Driver
    file: Path
    large: str
    early: str


@pytest.fixture(scope="module")
def parked(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Parked:
    """Copy a topic with a record too large, and one with a record from the future."""
    a, b = kafka_pair
    name = f"refused-{secrets.token_hex(4)}"
    large = a.create_topic(f"{name}-large", partitions=2)
    # Its copy is there already, and takes less.
    b.create_topic(f"J.{large}", partitions=2, config={"max.message.bytes": "10000"})
    tolerant = {"message.timestamp.after.max.ms": str(2**62)}
    early = a.create_topic(f"{name}-early", partitions=2, config=tolerant)
    b.create_topic(f"J.{early}", partitions=2)
    tomorrow = record(b"early", timestamp_ms=SystemClock().wall_ms() + _DAY_MS)
    for topic, poison in ((large, LARGE), (early, tomorrow)):
        write(a, topic, [*BEFORE, poison, *AFTER])
        write(a, topic, NEIGHBOUR, partition=1)
    clusters = {"J": a, "K": b}
    # One slot: the four partitions share a lane and its transactions.
    file = mirror_file(
        tmp_path_factory.mktemp("parked"),
        clusters,
        KEEPS_SETTINGS,
        *flow_lines("J->K", f"{name}.*"),
    )
    driver = copy_once(warm_module_driver, file, code=5)
    return Parked(driver=driver, file=file, large=large, early=early)


def raise_limit(cluster: Cluster, topic: str) -> None:
    """Let a topic take larger records."""
    change_settings(cluster, topic, {"max.message.bytes": "1000000"})


@pytest.mark.parametrize("which", ["large", "early"])
def test_only_that_partition_stands_still(
    parked: Parked, kafka_pair: ClusterPair, which: str
) -> None:
    """What comes before the record is copied, all of the neighbour too, and nothing twice."""
    topic = getattr(parked, which)
    assert read(kafka_pair.b, f"J.{topic}") == BEFORE
    assert read(kafka_pair.b, f"J.{topic}", 1) == NEIGHBOUR


@pytest.mark.parametrize("which", ["large", "early"])
def test_the_log_names_the_record(parked: Parked, which: str) -> None:
    """Partition and offset, once."""
    topic = getattr(parked, which)
    (line,) = parked.driver.lines("ERROR.*parked.*" + topic)
    assert f"{topic}-0: offset 10: target: " in line


def test_it_goes_on_when_the_cause_is_mended(
    parked: Parked, kafka_pair: ClusterPair, warm_driver: DriverFactory
) -> None:
    """With a larger limit the rest follows, without a duplicate; the other one stays parked."""
    raise_limit(kafka_pair.b, f"J.{parked.large}")
    driver = copy_once(warm_driver, parked.file, code=5)
    assert read(kafka_pair.b, f"J.{parked.large}") == [*BEFORE, LARGE, *AFTER]
    assert read(kafka_pair.b, f"J.{parked.early}") == BEFORE
    assert len(driver.lines("ERROR.*parked")) == 1

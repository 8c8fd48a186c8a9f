"""Which topics are mirrored, how they are called and made, in both directions of one process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pytest
from confluent_kafka.admin import ConfigResource, NewPartitions, ResourceType
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

POLICY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
# A topic or partition that appears is mirrored within that time.
LATE_S_MAX = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirroring:
    """A driver with four flows that has caught up once."""

    a: Cluster
    b: Cluster
    driver: Driver


def arrived(cluster: Cluster, topic: str, records: int, *, partition: int = 0) -> bool:
    """Tell whether a partition of the target holds so many committed records."""
    described = cluster.admin().list_topics(timeout=30).topics.get(topic)
    if described is None or partition not in described.partitions:
        return False
    return len(read(cluster, topic, partition)) >= records


def wait_arrived(
    cluster: Cluster, topic: str, records: int, *, partition_: int = 0, timeout_s: float = 60
) -> None:
    """Wait until a partition of the target holds so many committed records."""
    here = partial(arrived, cluster, topic, records, partition=partition_)
    wait_until(here, f"{topic} has {records} records", timeout_s=timeout_s, pause_s=0.1)


def settings_of(cluster: Cluster, topic: str) -> dict[str, str]:
    """Read a topic's settings."""
    resource = ConfigResource(ResourceType.TOPIC, topic)
    # A client that nobody holds is gone before it has answered.
    admin = cluster.admin()
    entries = admin.describe_configs([resource], request_timeout=30)[resource].result()
    return {name: entry.value for name, entry in entries.items()}


def fill(cluster: Cluster, topic: str, *, partitions: int = 1, **config: str) -> None:
    """Make a topic with ten records in each partition."""
    settings = {name.replace("_", "."): value for name, value in config.items()}
    cluster.create_topic(topic, partitions=partitions, config=settings)
    for partition in range(partitions):
        write(cluster, topic, numbered(topic, range(10)), partition=partition)


@pytest.fixture(scope="module")
def mirroring(
    own_pair: ClusterPair,
    run_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Mirroring:
    """
    Start A->B and B->A for all topics, C->D with Identity names and D->C with another separator.

    A and C are one cluster, B and D the other.
    """
    a, b = own_pair
    fill(a, "orders", partitions=3, cleanup_policy="compact", max_message_bytes="2000000")
    for topic in ("secret-plan", "__hidden", "mm2-offset-syncs.X.internal", "user.internal"):
        fill(a, topic)
    for topic in ("X.checkpoints.internal", "heartbeats", "X.heartbeats", "same-name", "last"):
        fill(a, topic)
    fill(b, "payments", partitions=2)
    fill(b, "underscored")
    everything = ["topics.exclude = secret.*, same-name, underscored, D_.*"]
    file = mirror_file(
        tmp_path_factory.mktemp("topics"),
        {"A": a, "B": b, "C": a, "D": b},
        *flow_lines("A->B", ".*", *everything, "heartbeats.replication.enabled = true"),
        *flow_lines("B->A", ".*", *everything, "heartbeats.replication.enabled = true"),
        *flow_lines("C->D", "same-.*", f"replication.policy.class = {POLICY}"),
        *flow_lines("D->C", "underscored", "replication.policy.separator = _"),
    )
    driver = run_module_driver(file)
    wait_arrived(b, "A.last", 10, timeout_s=120)
    wait_arrived(a, "B.payments", 10)
    wait_arrived(b, "same-name", 10)
    wait_arrived(a, "D_underscored", 10)
    return Mirroring(a=a, b=b, driver=driver)


def test_both_directions_are_mirrored(mirroring: Mirroring) -> None:
    """A's topics are on B and B's on A, with the source's records."""
    for partition in range(3):
        wait_arrived(mirroring.b, "A.orders", 10, partition_=partition)
        assert read(mirroring.b, "A.orders", partition) == numbered("orders", range(10))
    for partition in range(2):
        wait_arrived(mirroring.a, "B.payments", 10, partition_=partition)
        assert read(mirroring.a, "B.payments", partition) == numbered("payments", range(10))


def test_only_selected_topics_are_mirrored(mirroring: Mirroring) -> None:
    """Excluded and internal topics stay at home; a user's topic named .internal does not."""
    wait_arrived(mirroring.b, "A.user.internal", 10)
    copies = {topic for topic in topics_of(mirroring.b) if topic.startswith("A.")}
    # Topics that other tests of this module make later are left out, and what no copy is.
    copies -= {"A.late", "A.growing", "A.marker", "A.checkpoints.internal"}
    assert copies == {
        "A.orders",
        "A.user.internal",
        "A.heartbeats",
        "A.X.heartbeats",
        "A.last",
    }


def test_heartbeats_of_the_source_are_mirrored(mirroring: Mirroring) -> None:
    """Also those that came from further away."""
    wait_arrived(mirroring.b, "A.heartbeats", 10)
    wait_arrived(mirroring.b, "A.X.heartbeats", 10)


def test_copies_are_not_mirrored_back(mirroring: Mirroring) -> None:
    """No topic that came from B goes to B again, however often topics are looked up."""
    fill(mirroring.a, "marker")
    wait_arrived(mirroring.b, "A.marker", 10)
    # The marker was found by a look-up that saw B's copies too.
    fill(mirroring.b, "marker-back")
    wait_arrived(mirroring.a, "B.marker-back", 10)
    looped = ("A.B.", "B.A.")
    for cluster in (mirroring.a, mirroring.b):
        assert not [topic for topic in topics_of(cluster) if topic.startswith(looped)]


def test_identity_names(mirroring: Mirroring) -> None:
    """With the Identity policy a topic keeps its name."""
    assert read(mirroring.b, "same-name") == numbered("same-name", range(10))


def test_another_separator(mirroring: Mirroring) -> None:
    """The separator stands between alias and topic."""
    assert read(mirroring.a, "D_underscored") == numbered("underscored", range(10))


def test_copies_have_the_sources_partitions_and_settings(mirroring: Mirroring) -> None:
    """The number of partitions and what was set on the source's topic."""
    copy = mirroring.b.admin().list_topics("A.orders", timeout=30).topics["A.orders"]
    assert len(copy.partitions) == 3
    settings = settings_of(mirroring.b, "A.orders")
    assert settings["cleanup.policy"] == "compact"
    assert settings["max.message.bytes"] == "2000000"


def test_a_topic_that_grows(mirroring: Mirroring) -> None:
    """New partitions are made on the target and mirrored within 10 s, from their first record."""
    a, b = mirroring.a, mirroring.b
    admin = a.admin()
    fill(a, "growing")
    wait_arrived(b, "A.growing", 10)
    admin.create_partitions([NewPartitions("growing", 3)])["growing"].result()
    wait_until(
        lambda: len(admin.list_topics("growing").topics["growing"].partitions) == 3,
        "the source has grown",
        timeout_s=20,
    )
    for partition in (1, 2):
        write(a, "growing", numbered("grown", range(5)), partition=partition)
    for partition in (1, 2):
        wait_arrived(b, "A.growing", 5, partition_=partition, timeout_s=LATE_S_MAX)
        assert read(b, "A.growing", partition) == numbered("grown", range(5))
    assert read(b, "A.growing") == numbered("growing", range(10))


def test_a_topic_that_comes_later(mirroring: Mirroring) -> None:
    """It is being mirrored within 10 s."""
    fill(mirroring.a, "late")
    wait_arrived(mirroring.b, "A.late", 10, timeout_s=LATE_S_MAX)
    assert read(mirroring.b, "A.late") == numbered("late", range(10))


def test_it_stops_within_ten_seconds(mirroring: Mirroring) -> None:
    """All four flows end in good order."""
    assert mirroring.driver.stop(timeout_s=10) == 0, mirroring.driver.text
    assert len(mirroring.driver.lines(r"->.: stopped")) == 4
    assert not mirroring.driver.lines("ERROR|Traceback")

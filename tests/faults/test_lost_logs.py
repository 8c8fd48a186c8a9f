"""A log loses acknowledged records, and others take their offsets: parked, with the range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from confluent_kafka import KafkaException
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.driver import Driver
from tests.support.mirrored import Mirrored, MirroredFactory
from tests.support.offset_map import check_offset_map
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

# Of two replicas one may be away, and may lead when it is back alone.
_AHEAD, _BEHIND = 1, 2
_UNCLEAN = {"min.insync.replicas": "1", "unclean.leader.election.enable": "true"}
_KEPT, _LOST, _LATER = 200, 300, 400
_PARKED_S_MAX = 120
_CHOICE = "kmirror.position.missing = adopt"
_EACH_ITS_OWN = (
    "kmirror.log.truncated = fail, .*-continue: continue, .*-restart: restart, "
    ".*-renew: new-generation"
)
_NO_HEARTBEATS = "heartbeats.replication.enabled = false"


def unclean_topic(cluster: Cluster, topic: str) -> str:
    """Create a topic that may lose what it has acknowledged."""
    return cluster.create_topic(topic, nodes=(_AHEAD, _BEHIND), config=_UNCLEAN)


def cut_back(cluster: Cluster, topics: Sequence[str], write_more: Callable[[], None]) -> None:
    """Lose what is written while one replica is away: the other dies, and the first leads."""
    cluster.broker(_BEHIND).kill()
    write_more()
    cluster.broker(_AHEAD).kill()
    cluster.broker(_BEHIND).start()

    def leads() -> bool:
        with suppress(KafkaException):
            found = cluster.admin().list_topics(timeout=10).topics
            return all(found[topic].partitions[0].leader == _BEHIND for topic in topics)
        return False

    wait_until(leads, f"the replica that was away leads {topics}", timeout_s=60)


def wait_parked(driver: Driver, flow: Mirrored, topic: str, words: str) -> None:
    """Wait until every flow has parked the topic and said why."""
    for copy in flow.copies:
        pattern = rf"ERROR +{copy.flow}: parked {topic}-0: {words}"
        driver.wait_for_line(pattern, timeout_s=_PARKED_S_MAX)


def run_to_end(flow: Mirrored, *lines: str, code: int) -> Driver:
    """Copy what is there, with more lines in the file, and expect an exit code."""
    with flow.file.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    driver = flow.start("--until-caught-up")
    assert driver.wait_exit(timeout_s=300) == code, driver.text
    return driver


@pytest.mark.long
def test_a_target_loses_records_under_a_running_flow(
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """One topic rests and the other one goes on: neither says that it has caught up."""
    topics = [new_topic(kafka_pair.a, label, partitions=1) for label in ("rests", "goes-on")]
    flow = mirrored(kafka_pair.a, three_brokers, *topics)
    copies = [
        unclean_topic(three_brokers, copy.topics[topic]) for copy in flow.copies for topic in topics
    ]

    def copy_more(numbers: range) -> None:
        for topic in topics:
            write(kafka_pair.a, topic, numbered("n", numbers))
        flow.wait_until_caught_up(driver)

    driver = flow.start_copying()
    copy_more(range(_KEPT))
    cut_back(three_brokers, copies, lambda: copy_more(range(_KEPT, _KEPT + _LOST)))
    write(kafka_pair.a, topics[1], numbered("later", range(_LATER)))
    # Each flow has its own transactions: only the source offsets are the same.
    missing = rf"target .* lost its offsets .* source offset {_KEPT} to {_KEPT + _LOST - 1} .*adopt"
    for topic in topics:
        wait_parked(driver, flow, topic, missing)
    driver.stop()
    three_brokers.heal()

    driver = run_to_end(flow, code=5)
    for topic in topics:
        wait_parked(driver, flow, topic, missing)
    run_to_end(flow, _CHOICE, code=0)
    for copy in flow.copies:
        for topic in topics:
            assert read(three_brokers, copy.topics[topic]) == read(kafka_pair.a, topic)
        # What it said of the lost records is forgotten.
        assert check_offset_map(kafka_pair.a, three_brokers, copy.topics, flow=copy.flow).mapped


@pytest.mark.long
def test_a_target_that_lost_records_and_has_grown_again(
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """It is as long as it was, by somebody else's records; the start looks closer."""
    topic = new_topic(kafka_pair.a, "grown", partitions=1)
    flow = mirrored(kafka_pair.a, three_brokers, topic)
    copies = [unclean_topic(three_brokers, copy.topics[topic]) for copy in flow.copies]

    def copy_more(numbers: range) -> None:
        write(kafka_pair.a, topic, numbered("n", numbers))
        run_to_end(flow, code=0)

    copy_more(range(_KEPT))
    cut_back(three_brokers, copies, lambda: copy_more(range(_KEPT, _KEPT + _LOST)))
    for copy in copies:
        write(three_brokers, copy, numbered("foreign", range(_LOST + _LATER)))
    three_brokers.heal()
    missing = rf"target .* lost its offsets .* source offset {_KEPT} to {_KEPT + _LOST - 1}"
    wait_parked(run_to_end(flow, code=5), flow, topic, missing)
    # Behind the foreign records the tails agree nowhere: that must not be taken for a place.
    wait_parked(run_to_end(flow, _CHOICE, code=5), flow, topic, ".*kmirror.position.missing")


@pytest.mark.long
def test_a_source_that_lost_records_and_has_grown_again(
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """While nobody copies; at the start no offset is missing, but other records have them."""
    words = ("continue", "restart", "renew")
    topics = {
        word: unclean_topic(three_brokers, f"{new_topic(kafka_pair.b, 'taken')}-{word}")
        for word in words
    }
    # Other sources of this name have left positions of their heartbeats on the target.
    flow = mirrored(three_brokers, kafka_pair.b, *topics.values(), extra_lines=[_NO_HEARTBEATS])

    def copy_more(numbers: range) -> None:
        for topic in topics.values():
            write(three_brokers, topic, numbered("n", numbers))
        run_to_end(flow, code=0)

    copy_more(range(_KEPT))
    lost = range(_KEPT, _KEPT + _LOST)
    cut_back(three_brokers, [*topics.values()], lambda: copy_more(lost))
    later = numbered("later", range(_LOST + _LATER))
    for topic in topics.values():
        write(three_brokers, topic, later)
    three_brokers.heal()
    driver = run_to_end(flow, code=5)
    for topic in topics.values():
        gone = f"log truncated: .*offsets {_KEPT} to {_KEPT + _LOST - 1} are not in the source"
        wait_parked(driver, flow, topic, gone)
    run_to_end(flow, _EACH_ITS_OWN, code=0)
    was_there, kept = numbered("n", range(_KEPT + _LOST)), numbered("n", range(_KEPT))
    for copy in flow.copies:
        copies = {word: copy.topics[topic] for word, topic in topics.items()}
        assert read(kafka_pair.b, copies["continue"]) == was_there + later
        assert read(kafka_pair.b, copies["restart"]) == was_there + kept + later
        assert read(kafka_pair.b, copies["renew"]) == was_there
        assert read(kafka_pair.b, f"{copies['renew']}.g2") == kept + later


def test_a_source_loses_records_under_a_running_flow(
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """Its new leader's epoch tells, before anything of the new log is copied."""
    topic = unclean_topic(three_brokers, f"{new_topic(kafka_pair.b, 'taken')}-back")
    # Other sources of this name have left positions of their heartbeats on the target.
    flow = mirrored(three_brokers, kafka_pair.b, topic, extra_lines=[_NO_HEARTBEATS])

    def copy_more(numbers: range) -> None:
        write(three_brokers, topic, numbered("n", numbers))
        flow.wait_until_caught_up(driver)

    driver = flow.start_copying()
    copy_more(range(_KEPT))
    cut_back(three_brokers, [topic], lambda: copy_more(range(_KEPT, _KEPT + _LOST)))
    write(three_brokers, topic, numbered("later", range(_LOST + _LATER)))
    words = f"log truncated: .*offsets {_KEPT} to {_KEPT + _LOST - 1} are not in the source"
    wait_parked(driver, flow, topic, f"{words}.*kmirror.log.truncated = continue")
    driver.stop()
    for copy in flow.copies:
        assert read(kafka_pair.b, copy.topics[topic]) == numbered("n", range(_KEPT + _LOST))

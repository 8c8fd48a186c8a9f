"""Groups' offsets on the target stay exact, whatever dies: never beyond, back with the group."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress

import pytest
from confluent_kafka import KafkaException
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.model import TopicPartition
from kmirror.wire.mirror_records import decode_checkpoint
from kmirror.wire.written_offsets import (
    WrittenOffset,
    decode_written_offset,
    written_offsets_topic,
)
from tests.support.driver import Driver
from tests.support.groups import commit, committed, next_record
from tests.support.mirrored import Mirrored, MirroredFactory
from tests.support.records import Content, read

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_PARTITIONS = 2
_FOLLOWS_S_MAX = 120.0


@pytest.mark.long
def test_the_coordinator_and_the_driver_die(
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """Each while the group goes on in the source, with transactions and gaps on the way."""
    source = kafka_pair.a
    topic, group = new_topic(source, "followed", partitions=_PARTITIONS), secrets.token_hex(4)
    flow = mirrored(
        source,
        three_brokers,
        topic,
        extra_lines=(
            f"groups = {group}",
            "refresh.groups.interval.seconds = 1",
            "sync.group.offsets.enabled = true",
        ),
    )
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    flow.wait_copied(driver, topic, 1000)
    go_on(flow, driver, topic, group)

    coordinator = three_brokers.broker(_coordinator_of(three_brokers, group))
    coordinator.kill()
    go_on(flow, driver, topic, group)
    three_brokers.heal()

    driver.kill()
    driver = flow.start()
    flow.wait_more(driver, topic, 500)
    go_on(flow, driver, topic, group)
    check_checkpoints(flow, group)

    # Who drives the flow now knows what the one before had committed.
    wait_written_down(flow, driver, group)
    driver.kill()
    commit(flow.source, group, {TopicPartition(topic, number): 10 for number in range(_PARTITIONS)})
    driver = flow.start()
    wait_there(flow, driver, topic, group, dict.fromkeys(range(_PARTITIONS), 10))
    flow.finish(driver)


def wait_written_down(flow: Mirrored, driver: Driver, group: str) -> None:
    """Wait until the last thing that was committed for the group is known as kmirror's."""

    def is_written() -> bool:
        for copy in flow.copies:
            topic = written_offsets_topic(copy.flow)
            known = {each.partition: each.offset for each in written(flow.target, topic, group)}
            for place, offset in known.items():
                if committed(flow.target, group, place.topic, place.partition) != offset:
                    return False
            if len(known) != _PARTITIONS:
                return False
        return True

    driver.wait_until(is_written, f"{group} is written down", _FOLLOWS_S_MAX)


def written(cluster: Cluster, topic: str, group: str) -> list[WrittenOffset]:
    """Give what kmirror says to have committed for a group, in its order."""
    found = [decode_written_offset(record.key, record.value) for record in read(cluster, topic)]
    return [each for each in found if each is not None and each.group == group]


def go_on(flow: Mirrored, driver: Driver, topic: str, group: str) -> None:
    """Move the group to where every flow has been, and wait until it is there on the target."""
    at = {
        # Somewhere in what is copied, further than the last time.
        number: min(
            copy.positions_at_rest()[TopicPartition(copy.topics[topic], number)]
            for copy in flow.copies
        )
        * 9
        // 10
        for number in range(_PARTITIONS)
    }
    places = {TopicPartition(topic, number): offset for number, offset in at.items()}
    commit(flow.source, group, places)
    wait_there(flow, driver, topic, group, at)


def wait_there(
    flow: Mirrored, driver: Driver, topic: str, group: str, at: Mapping[int, int]
) -> None:
    """Wait until the group is on the target where it is on the source, by partition."""
    wanted = {
        number: next_record(flow.source, topic, offset, number) for number, offset in at.items()
    }

    def is_there() -> bool:
        with suppress(KafkaException):  # its coordinator may be on its way
            return not any(
                _is_elsewhere(flow.target, group, copy.topics[topic], number, record)
                for copy in flow.copies
                for number, record in wanted.items()
            )
        return False

    driver.wait_until(is_there, f"{group} is at {at}", _FOLLOWS_S_MAX)


def _is_elsewhere(
    cluster: Cluster, group: str, mirror: str, partition: int, wanted: Content | None
) -> bool:
    there = committed(cluster, group, mirror, partition)
    return there is None or next_record(cluster, mirror, there, partition) != wanted


def check_checkpoints(flow: Mirrored, group: str) -> None:
    """Check that no checkpoint of a group goes back."""
    for copy in flow.copies:
        said: dict[TopicPartition, list[int]] = defaultdict(list)
        for record in read(flow.target, f"{copy.flow.source}.checkpoints.internal"):
            point = decode_checkpoint(record.key, record.value)
            assert point is not None
            if point.group == group:
                said[point.partition].append(point.downstream)
        assert len(said) == _PARTITIONS
        assert all(offsets == sorted(offsets) for offsets in said.values()), said


def _coordinator_of(cluster: Cluster, group: str) -> int:
    admin = cluster.admin()
    found = admin.describe_consumer_groups([group], request_timeout=30)[group].result(30)
    return int(found.coordinator.id)

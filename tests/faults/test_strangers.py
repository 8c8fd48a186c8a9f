"""Somebody else writes where only kmirror should, or takes away what is kmirror's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterFactory, ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.wire.flow_names import offset_map_topic
from tests.support.mirrored import MirroredFactory
from tests.support.offset_map import FOREIGN, check_offset_map
from tests.support.records import read, record, topics_of, write
from tests.support.topic_settings import change_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_PARTITIONS = 2
_MORE = 1000
# No length, no version, too long, and a number where a text should be.
_GARBAGE = [record(value, key=FOREIGN) for value in (b"", b"\xff" * 3, b"x" * 5000, b"\0" * 40)]


def own_topics(cluster: Cluster) -> list[str]:
    """Name kmirror's topics of a cluster, and those that it shares with MirrorMaker 2."""
    found = topics_of(cluster)
    return sorted(
        topic
        for topic in found
        if topic.startswith(("__kmirror-", "mm2-")) or topic.endswith(".checkpoints.internal")
    )


def delete(cluster: Cluster, *topics: str) -> None:
    """Delete topics, and wait until they are gone."""
    admin = cluster.admin()
    for answer in admin.delete_topics([*topics]).values():
        answer.result(30)
    wait_until(lambda: not topics_of(cluster) & set(topics), f"{topics} are gone", timeout_s=30)


@pytest.mark.long
def test_kmirrors_own_topics_are_damaged(
    start_cluster: ClusterFactory, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """Foreign records in them are left alone; without them the copy goes on where it was."""
    source, target = start_cluster("A", heap_mb=256), start_cluster("B", heap_mb=256)
    topic = new_topic(source, "damaged", partitions=_PARTITIONS)
    follow = ("sync.group.offsets.enabled = true", "refresh.groups.interval.seconds = 1")
    flow = mirrored(source, target, topic, extra_lines=follow)
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    flow.wait_copied(driver, topic, _MORE)
    maps = [offset_map_topic(copy.flow) for copy in flow.copies]
    assert set(maps) <= set(own_topics(target))
    for cluster in (source, target):
        for own in own_topics(cluster):
            write(cluster, own, _GARBAGE)
            change_settings(cluster, own, {"cleanup.policy": "delete"})
    flow.wait_more(driver, topic)

    driver.kill()
    driver = flow.start()
    flow.wait_more(driver, topic)
    assert driver.stop() == 0, driver.text
    assert not flow.errors(driver), driver.text

    for cluster in (source, target):
        delete(cluster, *own_topics(cluster))
    driver = flow.start()
    flow.wait_more(driver, topic)
    flow.finish(driver)
    assert not flow.errors(driver), driver.text


def test_somebody_else_writes_into_the_copy(
    kafka_pair: ClusterPair, mirrored: MirroredFactory, new_topic: Callable[..., str]
) -> None:
    """Their records stay there; ours are there once, in order, and the offset map is right."""
    a, b = kafka_pair
    topic = new_topic(a, "shared", partitions=_PARTITIONS)
    flow = mirrored(a, b, topic)
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    theirs = [record(b"%d" % number, key=FOREIGN) for number in range(50)]
    for _ in range(3):
        flow.wait_more(driver, topic)
        for copy in flow.copies:
            for number in range(_PARTITIONS):
                write(b, copy.topics[topic], theirs, partition=number)
    flow.wait_more(driver, topic)
    driver.kill()
    driver = flow.start()
    flow.stop_writing()
    flow.wait_until_caught_up(driver)
    assert driver.stop() == 0, driver.text
    assert not flow.errors(driver), driver.text
    for copy in flow.copies:
        for number in range(_PARTITIONS):
            there = read(b, copy.topics[topic], number)
            assert [each for each in there if each.key != FOREIGN] == read(a, topic, number)
            assert sum(each.key == FOREIGN for each in there) == 3 * len(theirs)
        assert check_offset_map(a, b, copy.topics, flow=copy.flow).mapped

"""The leader of a partition is dead, and nobody takes its place: it has one replica."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import SystemClock
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition
from tests.support.commands import Answer, status
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, write
from tests.support.scrapes import scraped, sum_of

pytestmark = [pytest.mark.kafka, pytest.mark.fault]


@pytest.mark.spark
def test_a_partition_without_a_leader_is_told(
    three_brokers: Cluster,
    kafka_pair: ClusterPair,
    topic_name: Callable[[str], str],
    run_driver: DriverFactory,
    tmp_path: Path,
) -> None:
    """It is neither caught up nor empty, for whoever asks the driver or the clusters."""
    topic = three_brokers.create_topic(topic_name("unled"), partitions=3, replication=1)
    led = [
        number
        for number in range(3)
        if three_brokers.leader_of(topic, number) is not three_brokers.leader_of(topic, 0)
    ]
    dead = [number for number in range(3) if number not in led]
    for number in range(3):
        write(three_brokers, topic, numbered("first", range(100)), partition=number)
    file = mirror_file(
        tmp_path,
        {"A": three_brokers, "B": kafka_pair.b},
        *flow_lines("A->B", topic),
        "kmirror.metrics.listen = 127.0.0.1:0",
    )
    driver = run_driver(file)
    url = driver.wait_for_address("serving metrics at")

    value = partial(sum_of, url)

    def waiting() -> float:
        return value("kmirror_partitions", state="waiting")

    def copied() -> float:
        return value("kmirror_records_total")

    wait_until(lambda: copied() == 300, "all is copied", timeout_s=60)
    three_brokers.leader_of(topic, 0).kill()
    wait_until(lambda: waiting() == len(dead), "it is told", timeout_s=60)
    # The others go on, and how far they are stays known.
    for number in led:
        write(three_brokers, topic, numbered("second", range(100)), partition=number)
    wait_until(lambda: copied() == 300 + 100 * len(led), "the others go on", timeout_s=60)
    assert any(each.name == "kmirror_lag_records" for each in scraped(url)), "the lag is unknown"
    assert value("kmirror_flow_state", state="running") == 1
    assert value("kmirror_slo_verdict", verdict="BEHIND") == 1

    check_status(file, topic, dead)

    three_brokers.heal()
    wait_until(lambda: waiting() == 0, "it is led again", timeout_s=90)
    write(three_brokers, topic, numbered("third", range(100)), partition=0)
    wait_until(lambda: copied() == 400 + 100 * len(led), "it goes on", timeout_s=60)
    assert value("kmirror_slo_verdict", verdict="IN_SYNC") == 1


def check_status(file: Path, topic: str, dead: Sequence[int]) -> None:
    """Ask the clusters: the same partitions wait, and the others are caught up."""
    seen: list[Answer] = []

    def answered() -> bool:
        seen.append(status(file, "--json"))
        return seen[-1].code != 3

    # Where the dead broker was the controller, the others have to find out who is now.
    wait_until(answered, "the clusters answer", timeout_s=60)
    assert seen[-1].code == 5, seen[-1].text
    (flow,) = map(json.loads, seen[-1].text.splitlines())
    assert flow["coverage"]["silent"] == [[topic, number] for number in dead]
    rows = [json.loads(line) for line in status(file, "A->B", topic, "--json").text.splitlines()]
    for row in rows:
        is_dead = row["partition"][1] in dead
        assert row["state"] == ("waiting" if is_dead else "caught up")
        assert (row["end"] is None) == is_dead
        assert ("leader on the source does not answer" in row["reason"]) == is_dead


def test_a_dead_leader_does_not_keep_back_the_others(
    three_brokers: Cluster, topic_name: Callable[[str], str]
) -> None:
    """Its partition is left out of answers; librdkafka says neither that nor how long it takes."""
    topic = three_brokers.create_topic(topic_name("alone"), partitions=3, replication=1)
    places = [TopicPartition(topic, number) for number in range(3)]
    clock = HurriedClock()
    settings = {"bootstrap.servers": three_brokers.bootstrap}
    with KafkaAdmin("B", settings, timeout_s=30, clock=clock) as admin:

        def took_s() -> float:
            began_s = clock.monotonic_s()
            assert set(admin.offsets(places, partial=True)) == alive
            return clock.monotonic_s() - began_s

        assert set(admin.offsets(places, partial=True)) == set(places)
        leader = three_brokers.leader_of(topic, 0)
        dead = [at for at in places if three_brokers.leader_of(topic, at.partition) is leader]
        leader.kill()
        alive = set(places) - set(dead)
        wait_until(
            lambda: set(admin.offsets(places, partial=True)) == alive,
            "it is left out",
            timeout_s=30,
        )
        assert took_s() < 2.0
        with pytest.raises(ClusterUnavailable, match=f"{dead[0]}"):
            admin.offsets(places)
        wait_until(lambda: admin.leaders()[dead[0]] == -1, "nobody leads it", timeout_s=60)
        clock.skip(60.0)  # it may be asked about again
        assert took_s() < 2.0
        three_brokers.heal()
        clock.skip(60.0)
        wait_until(
            lambda: set(admin.offsets(places, partial=True)) == set(places),
            "it is there again",
            timeout_s=60,
        )


class HurriedClock(SystemClock):
    """The system's clock, and some time on top."""

    def __init__(self) -> None:
        self._skipped_s = 0.0

    def monotonic_s(self) -> float:
        """Say how late it is."""
        return super().monotonic_s() + self._skipped_s

    def skip(self, seconds: float) -> None:
        """Have some time be over."""
        self._skipped_s += seconds

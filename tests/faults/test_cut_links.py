"""Links are cut and mended: between the driver and a cluster, and between two brokers."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.net import NetLab, NetPlan, net_lab, proxied, settings_file, state
from kmirror_lab.net.settings import LinkSettings
from kmirror_lab.net.state import Route
from kmirror_lab.process import process
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.client import KafkaAdmin
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import SystemClock
from kmirror.model import TopicPartition
from kmirror.runtime.group_channel import GroupChannel, GroupNames
from tests.support.mirrored import MirroredFactory
from tests.support.passing_time import pass_time

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_NEAR, _FAR = "near", "far"
_PARTITIONS = 2
_REQUEST_MS = 4_000
# Requests have failed by then, and have been made again.
_CUT_S = 10.0
_RESETS, _RESET_EVERY_S = 10, 1.0
_MORE = 1000


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetLab]:
    """Give two clusters; each reaches the other through a proxy."""
    plan = NetPlan(names=(_NEAR, _FAR), heap_mb=256, proxy=True)
    with net_lab(tmp_path_factory.mktemp("cut"), plan) as made:
        yield made


@pytest.mark.parametrize("far", ["target", pytest.param("source", marks=pytest.mark.long)])
def test_a_link_is_cut_and_reset(
    net: NetLab, mirrored: MirroredFactory, new_topic: Callable[..., str], far: str
) -> None:
    """Requests are lost, or only their answers, or both; then connections end every second."""
    here, there = net.clusters[_NEAR], net.clusters[_FAR]
    source, target = (here, there) if far == "target" else (there, here)
    topic = new_topic(source, "cut", partitions=_PARTITIONS)
    address = net.bootstrap(_FAR, seen_from=_NEAR)
    aliases, client = (("B", "RB"), "producer") if far == "target" else (("A", "RA"), "consumer")
    lines = [f"{alias}.bootstrap.servers = {address}" for alias in aliases]
    lines += [f"{alias}.{client}.request.timeout.ms = {_REQUEST_MS}" for alias in aliases]
    flow = mirrored(source, target, topic, extra_lines=lines)
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    flow.wait_copied(driver, topic, _MORE)
    for leaving in (_NEAR, _FAR, None):
        net.cut(leaving=leaving)
        pass_time(_CUT_S)
        net.heal()
        flow.wait_more(driver, topic)
    for _ in range(_RESETS):
        net.reset()
        pass_time(_RESET_EVERY_S)
    flow.wait_more(driver, topic)
    flow.finish(driver)
    assert not flow.errors(driver), driver.text


@contextmanager
def _channel(address: str, topic: str, name: str) -> Iterator[GroupChannel]:
    """Give a member of a group, which joins it."""
    rdkafka, clock = {"bootstrap.servers": address}, SystemClock()
    with KafkaAdmin("far", rdkafka, timeout_s=10.0, clock=clock) as admin:
        channel = GroupChannel(
            GroupNames(group="a group", topic=topic, cluster="far", member=name),
            admin=admin,
            rdkafka=rdkafka,
            replication_factor=1,
            held=tuple,
            clock=clock,
        )
        try:
            channel.start(tuple)
            channel.join()
            yield channel
        finally:
            channel.close()


def test_who_was_cut_off_for_longer_than_its_group_remembers_is_heard_again(net: NetLab) -> None:
    """Where it was in the topic is gone: it reads it anew, or it would get flows and not know."""
    cluster, topic = net.clusters[_FAR], f"__kmirror-nodes-{secrets.token_hex(3)}"
    place = TopicPartition(topic, 0)
    with (
        _channel(cluster.bootstrap, topic, "direct") as direct,
        _channel(net.bootstrap(_FAR, seen_from=_NEAR), topic, "behind") as behind,
        KafkaAdmin("far", {"bootstrap.servers": cluster.bootstrap}, timeout_s=10.0) as admin,
    ):
        wait_until(lambda: direct.has_others and behind.has_others, "they meet", timeout_s=60)
        net.cut()
        wait_until(lambda: not direct.has_others, "it is gone", timeout_s=60)
        wait_until(lambda: not behind.has_others, "it hears nobody", timeout_s=60)
        ends = stable_ends(admin, [place], timeout_s=10.0, clock=SystemClock()).ends
        assert not admin.delete_records(ends)
        net.heal()
        wait_until(lambda: direct.has_others and behind.has_others, "they meet", timeout_s=90)
        wait_until(lambda: behind.is_member and direct.is_member, "shares", timeout_s=60)
        wait_until(lambda: behind.number == direct.number, "the same", timeout_s=60)


@pytest.fixture
def parted(tmp_path: Path) -> Iterator[tuple[Cluster, NetLab]]:
    """Give two brokers that reach each other's records through a proxy, and the proxy."""
    folder = tmp_path / "parted"
    folder.mkdir()
    plan = proxied.planned(("one", "two"), 1)
    entrances = [side.routes[0].entrance for side in plan.sides]
    cluster = Cluster(
        "brokers",
        folder,
        brokers=2,
        listeners={"REPLICAS": "PLAINTEXT"},
        advertised={"REPLICAS": entrances},
        config={"inter.broker.listener.name": "REPLICAS", "replica.lag.time.max.ms": "3000"},
        heap_mb=320,
    )
    ports = [int(each.rpartition(":")[2]) for each in cluster.bootstrap_of("REPLICAS").split(",")]
    first, second = (
        replace(side, routes=(Route(entrance=side.routes[0].entrance, exit=port), side.routes[1]))
        for side, port in zip(plan.sides, ports, strict=True)
    )
    plan = replace(plan, sides=(first, second))
    state.save(folder, plan)
    settings_file.save(folder, LinkSettings())
    link = proxied.start(folder)
    try:
        with started(cluster):
            yield cluster, NetLab(folder, replace(plan, link=link))
    finally:
        process.kill(link)


@pytest.mark.long
def test_brokers_lose_each_other(
    kafka_pair: ClusterPair,
    parted: tuple[Cluster, NetLab],
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> None:
    """Each partition has one replica in sync and needs two: the copy waits, and goes on."""
    target, net = parted
    topic = new_topic(kafka_pair.a, "parted", partitions=_PARTITIONS)
    flow = mirrored(kafka_pair.a, target, topic)
    driver = flow.start_copying()
    flow.write(topic, partitions=_PARTITIONS, abort_every=4)
    flow.wait_copied(driver, topic, _MORE)
    net.cut()

    def in_sync() -> set[int]:
        listed = target.admin().list_topics(timeout=30).topics
        copies = [listed[copy.topics[topic]].partitions for copy in flow.copies]
        return {len(partition.isrs) for found in copies for partition in found.values()}

    # A partition that nobody writes to at this moment has nothing that its replica could lack.
    wait_until(lambda: 1 in in_sync(), "replicas fall behind", timeout_s=60)
    before = flow.copied_each(topic)
    pass_time(_CUT_S)
    stuck = flow.copied_each(topic)
    assert all(now - then < _MORE for now, then in zip(stuck, before, strict=True)), stuck
    net.heal()
    wait_until(lambda: in_sync() == {2}, "replicas are in sync again", timeout_s=60)
    flow.wait_more(driver, topic)
    flow.finish(driver)
    assert not flow.errors(driver), driver.text

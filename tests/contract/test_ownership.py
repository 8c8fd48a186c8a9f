"""Fencing on real brokers: the newest driver wins, the older ones can write nothing."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka import TopicPartition as KafkaPartition
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.ports import LOOPBACK, free_ports
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.bounded_call import call_within
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import close_producer
from kmirror.admin.internal_topics import create_internal_topic
from kmirror.admin.owner_entry import OwnerEntry
from kmirror.admin.ownership import Ownership
from kmirror.clock import SystemClock
from kmirror.config.client_properties import ClientProperties
from kmirror.errors import ClusterError, ClusterUnavailable, Fenced, Held, NameTaken
from kmirror.model import Flow, TopicPartition
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.pipeline.jvm_fencing import fence_producers
from kmirror.pipeline.jvm_positions import JvmPositionWriter
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.flow_names import owner_transactional_id, position_group, slot_transactional_ids
from kmirror.wire.position import Owner

pytestmark = pytest.mark.kafka


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A flow nobody else uses, on a running cluster."""

    flow: Flow
    admin: KafkaAdmin
    config: dict[str, str]
    topic: str
    jvm: Any
    timeout_s: float = 30

    def ownership(self) -> Ownership:
        """Give a driver's view on it."""
        properties = ClientProperties(self.config)
        return Ownership(
            self.flow,
            self.admin,
            offsets_topic=self.topic,
            open_writer=lambda: JvmPositionWriter(
                self.jvm,
                "B",
                properties,
                group=position_group(self.flow),
                transactional_id=owner_transactional_id(self.flow),
                timeout_s=self.timeout_s,
            ),
            fence=partial(JvmClients(self.jvm).fence, "B", properties),
            clock=SystemClock(),
        )

    def slot_producer(self, slot: int) -> Producer:
        """Give what a task of the flow would write with."""
        producer = Producer(
            {**self.config, "transactional.id": slot_transactional_ids(self.flow, slot)[-1]}
        )
        producer.init_transactions(30)
        return producer


@pytest.fixture
def place(kafka_pair: ClusterPair, jvm: Any) -> Iterator[Place]:
    """Give a fresh flow with its offsets topic."""
    source = f"S{secrets.token_hex(3)}"
    config = {"bootstrap.servers": kafka_pair.b.bootstrap}
    topic = f"mm2-offsets.{source}.internal"
    with KafkaAdmin("B", config, timeout_s=30) as admin:
        create_internal_topic(admin, topic, partitions=2, replication_factor=3)
        yield Place(flow=Flow(source, "B"), admin=admin, config=config, topic=topic, jvm=jvm)


def owner(pid: int, slots: int = 2) -> Owner:
    """Give a driver."""
    return Owner(driver=f"driver-{pid}", host="here", pid=pid, started_ms=1, slots=slots)


def test_the_generation_grows(place: Place) -> None:
    """Every claim is a new generation and replaces the entry."""
    first, second = place.ownership(), place.ownership()
    assert first.read_owner() is None
    assert first.claim(owner(1)) == 1
    assert second.claim(owner(2)) == 2
    entry = first.read_owner()
    assert entry is not None
    assert (entry.generation, entry.owner) == (2, owner(2))
    first.close()
    second.close()


def test_who_is_connected_has_fenced_nobody(place: Place) -> None:
    """The owner before writes on until the claim; a claim after that needs no such connection."""
    first, second = place.ownership(), place.ownership()
    first.connect()
    assert first.claim(owner(1)) == 1
    second.connect()
    second.connect()
    first.refresh()
    assert second.claim(owner(2)) == 2
    with pytest.raises(Fenced, match="process 2 on here"):
        first.refresh()
    assert second.claim(owner(2)) == 3
    second.refresh()
    first.connect()
    first.close()
    second.close()


def test_the_old_driver_learns_that_it_is_fenced(place: Place) -> None:
    """Refreshing its claim fails, and says who took over."""
    first, second = place.ownership(), place.ownership()
    first.claim(owner(1))
    first.refresh()
    first.check()
    second.claim(owner(2))
    with pytest.raises(Fenced, match="process 2 on here"):
        first.check()
    with pytest.raises(Fenced, match="process 2 on here"):
        first.refresh()
    second.refresh()
    first.close()
    second.close()


def test_the_old_driver_writes_no_position(place: Place) -> None:
    """Not even one that has looked whose the flow is right before it was frozen."""
    first, second = place.ownership(), place.ownership()
    tp, group = TopicPartition(place.topic, 1), position_group(place.flow)
    at = GroupPosition(offset=7, metadata="{}")
    first.claim(owner(1))
    first.write_positions({tp: at})
    assert place.admin.group_positions(group, [tp]) == {tp: at}
    first.check()
    second.claim(owner(2))
    with pytest.raises(Fenced, match="process 2 on here"):
        first.write_positions({tp: GroupPosition(offset=8)})
    assert place.admin.group_positions(group, [tp]) == {tp: at}
    assert not first.is_claimed
    first.close()
    second.close()


def test_a_position_that_is_refused_costs_no_claim(place: Place) -> None:
    """Nothing of that transaction is there, and the next one is."""
    ownership = place.ownership()
    ownership.claim(owner(1))
    gone, there = TopicPartition("no-such-topic", 0), TopicPartition(place.topic, 1)
    at = GroupPosition(offset=3)
    with pytest.raises(ClusterError, match="no-such-topic"):
        ownership.write_positions({gone: at, there: at})
    assert ownership.is_claimed
    assert place.admin.group_positions(position_group(place.flow), [there]) == {}
    ownership.write_positions({there: at})
    assert place.admin.group_positions(position_group(place.flow), [there]) == {there: at}
    ownership.refresh()
    ownership.close()


def test_a_fenced_driver_waits_for_the_name_of_its_successor(place: Place) -> None:
    """Between fencing and the new entry, the entry still names somebody else: us."""
    first, second = place.ownership(), place.ownership()
    first.claim(owner(1))
    half_way = Producer({**place.config, "transactional.id": owner_transactional_id(place.flow)})
    half_way.init_transactions(30)
    with ThreadPoolExecutor(max_workers=1) as pool:
        refreshed = pool.submit(first.refresh)
        second.claim(owner(2))
        with pytest.raises(Fenced, match="process 2 on here"):
            refreshed.result(60)
    half_way.close()
    first.close()
    second.close()


def test_a_flow_fenced_by_nobody_can_be_claimed_again(place: Place) -> None:
    """Whoever fenced us was killed before it wrote its name."""
    first = place.ownership()
    first.claim(owner(1))
    killed = Producer({**place.config, "transactional.id": owner_transactional_id(place.flow)})
    killed.init_transactions(30)
    with pytest.raises(ClusterError, match="did not go on"):
        first.refresh()
    assert first.claim(owner(1)) == 2
    killed.close()
    first.close()


def test_another_flow_has_the_names(place: Place) -> None:
    """Whoever comes second is refused and fences nobody, until the first one's entry is gone."""
    source = place.flow.source
    first = replace(place, flow=Flow(source, "x-B"))
    second = replace(place, flow=Flow(f"{source}-x", "B"), topic=f"mm2-offsets.{source}-x.internal")
    shared = replace(second, topic=first.topic)
    create_internal_topic(place.admin, second.topic, partitions=1, replication_factor=3)
    driver = first.ownership()
    driver.claim(replace(owner(1), flow=str(first.flow)))
    for other in (second, shared):
        late = other.ownership()
        with pytest.raises(NameTaken, match=rf"{first.flow}.*process 1 on here.*--delete-offsets"):
            late.claim(replace(owner(2), flow=str(other.flow)))
        late.close()
    driver.refresh()
    driver.close()
    group = position_group(second.flow)
    assert place.admin.group_positions(group).keys() == {TopicPartition(first.topic, 0)}


def test_a_hold_is_taken_over_by_nobody(place: Place) -> None:
    """A driver learns of it and may not claim; who ends it, or holds it anew, may."""
    driver, holder = place.ownership(), place.ownership()
    driver.claim(owner(1))
    hold = replace(owner(2), hold="failover")
    assert holder.claim(hold) == 2
    with pytest.raises(Held, match=r"process 2 on here \(kmirror failover\).*--abort") as held:
        driver.refresh()
    assert held.value.generation == 2
    with pytest.raises(Held):
        driver.claim(owner(1))
    assert holder.read_owner() == OwnerEntry(generation=2, owner=hold)
    assert holder.claim(hold) == 3
    assert holder.claim(owner(3), release=True) == 4
    assert driver.claim(owner(1)) == 5
    driver.close()
    holder.close()


def test_an_old_slot_commits_nothing_after_a_claim(place: Place) -> None:
    """Also the slots that the new plan does not have are fenced, before claim returns."""
    first = place.ownership()
    first.claim(owner(1, slots=3))
    lane = place.slot_producer(2)
    consumer = Consumer({**place.config, "group.id": position_group(place.flow)})
    lane.begin_transaction()
    lane.send_offsets_to_transaction(
        [KafkaPartition(place.topic, 1, 42)], consumer.consumer_group_metadata(), 30
    )
    second = place.ownership()
    second.claim(owner(2, slots=1))
    with pytest.raises(KafkaException):
        lane.commit_transaction(30)
    positions = place.admin.group_positions(position_group(place.flow))
    assert TopicPartition(place.topic, 1) not in positions
    consumer.close()
    first.close()
    second.close()


def test_a_cluster_that_is_away_is_told_by_java(jvm: Any) -> None:
    """With the cluster's name and what was tried, as everywhere."""
    nowhere = ClientProperties({"bootstrap.servers": f"{LOOPBACK}:{free_ports(1)[0]}"})
    with pytest.raises(ClusterUnavailable, match=r"cluster B .*could not fence earlier drivers"):
        fence_producers(jvm, "B", nowhere, ["kmirror-A-B-0"], timeout_s=1)
    writer = partial(JvmPositionWriter, jvm, "B", group="g", transactional_id="t", timeout_s=1)
    with closing(writer(nowhere)) as away:
        with pytest.raises(ClusterUnavailable, match=r"cluster B .*could not claim"):
            away.fence("claim")
        assert not away.is_usable
    wrong = ClientProperties({"bootstrap.servers": "no address"})
    with (
        closing(writer(wrong)) as none,
        pytest.raises(ClusterError, match=r"cluster B .*does not start: .*no address"),
    ):
        none.fence("claim")


def test_positions_are_read_only_when_they_are_decided(place: Place) -> None:
    """A position in an open transaction is neither the old one nor the new one."""
    tp, group = TopicPartition(place.topic, 1), position_group(place.flow)
    lane = place.slot_producer(0)
    consumer = Consumer({**place.config, "group.id": group})
    lane.begin_transaction()
    lane.send_offsets_to_transaction(
        [KafkaPartition(tp.topic, tp.partition, 42)], consumer.consumer_group_metadata(), 30
    )
    with (
        KafkaAdmin("B", place.config, timeout_s=1) as hasty,
        pytest.raises(ClusterUnavailable, match="a transaction that has not ended"),
    ):
        hasty.group_positions(group, [tp])
    assert place.admin.group_positions(group, [TopicPartition(place.topic, 0)]) == {}
    lane.commit_transaction(30)
    assert place.admin.group_positions(group, [tp])[tp].offset == 42
    consumer.close()
    lane.close()


def test_a_coordinator_that_is_away_holds_nobody_up(jvm: Any, tmp_path: Path) -> None:
    """No longer than the deadline; a claim after that writes positions again."""
    # Of this topic there is one copy: nobody else can be the group's coordinator.
    alone = Cluster("alone", tmp_path, brokers=3, config={"offsets.topic.replication.factor": "1"})
    flow, topic = Flow("A", "B"), "mm2-offsets.A.internal"
    config = {"bootstrap.servers": alone.bootstrap}
    positions = {TopicPartition(topic, 1): GroupPosition(offset=42, metadata="")}
    with started(alone), KafkaAdmin("B", config, timeout_s=30) as admin:
        create_internal_topic(admin, topic, partitions=2, replication_factor=3)
        place = Place(flow=flow, admin=admin, config=config, topic=topic, jvm=jvm, timeout_s=5)
        ownership = place.ownership()
        ownership.claim(owner(1))
        client = alone.admin()
        asked = client.describe_consumer_groups([position_group(flow)], request_timeout=30)
        alone.broker(asked[position_group(flow)].result(30).coordinator.id).kill()
        with pytest.raises(ClusterUnavailable, match=r"could not write positions of flow A->B"):
            call_within(60, lambda: ownership.write_positions(positions))
        assert not ownership.is_claimed
        with pytest.raises(ClusterError, match=r"the claim on flow .* was lost"):
            ownership.refresh()
        alone.heal()
        assert ownership.claim(owner(1)) == 2
        ownership.write_positions(positions)
        ownership.close()
        assert admin.group_positions(position_group(flow))[TopicPartition(topic, 1)].offset == 42


@pytest.mark.long
def test_what_is_kept_does_not_expire(jvm: Any, tmp_path: Path) -> None:
    """Positions that nobody commits, and the owner's entry; what nobody keeps is forgotten."""
    retention = {
        "offsets.retention.minutes": "1",
        "offsets.retention.check.interval.ms": "1000",
    }
    forgetful = Cluster("forgetful", tmp_path, config=retention)
    flow, topic = Flow("A", "B"), "mm2-offsets.A.internal"
    config = {"bootstrap.servers": forgetful.bootstrap}
    kept, left = TopicPartition(topic, 1), TopicPartition(topic, 2)
    with started(forgetful), KafkaAdmin("B", config, timeout_s=30) as admin:
        create_internal_topic(admin, topic, partitions=3, replication_factor=1)
        place = Place(flow=flow, admin=admin, config=config, topic=topic, jvm=jvm)
        ownership = place.ownership()
        ownership.claim(owner(1))
        at = GroupPosition(offset=42, metadata="{}")
        ownership.write_positions({kept: at, left: at})

        def is_forgotten() -> bool:
            ownership.refresh()
            ownership.keep_positions({kept})
            return left not in admin.group_positions(position_group(flow))

        wait_until(is_forgotten, "what nobody keeps has expired", timeout_s=180, pause_s=5)
        assert admin.group_positions(position_group(flow), [kept]) == {kept: at}
        ownership.check()
        ownership.keep_positions()
        place.ownership().claim(owner(2))
        with pytest.raises(Fenced, match="process 2 on here"):
            ownership.keep_positions({kept})
        ownership.close()


def test_a_producer_of_a_cluster_that_is_away_can_be_closed(tmp_path: Path) -> None:
    """The library would wait without end until it can abort what is open."""
    cluster = Cluster("alone", tmp_path)
    with started(cluster):
        topic = cluster.create_topic("open")
        # It lives on, and would tell of every try to connect for as long as the tests run.
        settings = {"bootstrap.servers": cluster.bootstrap, "log_level": 0}
        producer = Producer({**settings, "transactional.id": "open"})
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce(topic, b"never")
        assert producer.flush(30) == 0
        cluster.kill()
        call_within(30, lambda: close_producer(producer))

"""Brokers are restarted, moved and frozen as in any week of a cluster: the copy goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from tests.support.driver import Driver
from tests.support.kafka_tools import elect_preferred, move_replicas
from tests.support.mirrored import Mirrored, MirroredFactory
from tests.support.passing_time import pass_time

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.fault]

_PARTITIONS = 3
_SIDES = ["target", pytest.param("source", marks=pytest.mark.long)]


# A frozen broker answers when nobody waits for it any more.
_REQUEST_S, _FROZEN_S = 5, 15.0
_LINES = [
    *(
        f"{client}.request.timeout.ms = {_REQUEST_S * 1000}"
        for client in ("A.consumer", "RA.consumer", "B.producer", "RB.producer")
    ),
    # The target may have those of another source by the same name.
    "heartbeats.replication.enabled = false",
]


class _Serviced(NamedTuple):
    """A flow under load, and what of it is on the cluster that is being worked on."""

    flow: Mirrored
    driver: Driver
    topic: str
    hunted: str

    def goes_on(self) -> None:
        """See that more is copied."""
        self.flow.wait_more(self.driver, self.topic)


@pytest.fixture
def serviced(
    request: pytest.FixtureRequest,
    kafka_pair: ClusterPair,
    three_brokers: Cluster,
    mirrored: MirroredFactory,
    new_topic: Callable[..., str],
) -> _Serviced:
    """Give a flow from or to the three brokers."""
    source, target = (
        (kafka_pair.a, three_brokers)
        if request.param == "target"
        else (three_brokers, kafka_pair.b)
    )
    topic = new_topic(source, "serviced", partitions=_PARTITIONS)
    flow = mirrored(source, target, topic, extra_lines=_LINES)
    driver = flow.start_copying()
    # A producer of transactions may not outlive what happens to its own cluster.
    flow.write(topic, partitions=_PARTITIONS, abort_every=4 if request.param == "target" else 0)
    hunted = flow.copies[0].topics[topic] if request.param == "target" else topic
    found = _Serviced(flow, driver, topic, hunted)
    flow.wait_copied(driver, topic)
    return found


@pytest.mark.long
@pytest.mark.parametrize("serviced", _SIDES, indirect=True)
def test_brokers_are_restarted_and_leaders_move(
    serviced: _Serviced, three_brokers: Cluster
) -> None:
    """One broker after the other, in good order; then replicas move, and leaders go home."""
    for broker in three_brokers.brokers:
        broker.stop()
        serviced.goes_on()
        three_brokers.heal()
    before = {number: three_brokers.leader_of(serviced.hunted, number).node_id for number in (0, 1)}
    others = {
        number: [node for node in (1, 2, 3) if node != leader] for number, leader in before.items()
    }
    move_replicas(three_brokers, serviced.hunted, others)
    serviced.goes_on()
    home = {number: [before[number], *nodes] for number, nodes in others.items()}
    move_replicas(three_brokers, serviced.hunted, home)
    elect_preferred(three_brokers)
    for number, leader in before.items():
        assert three_brokers.leader_of(serviced.hunted, number).node_id == leader
    serviced.goes_on()
    serviced.flow.finish(serviced.driver)
    assert not serviced.flow.errors(serviced.driver), serviced.driver.text


@pytest.mark.parametrize("serviced", _SIDES, indirect=True)
def test_a_frozen_broker(serviced: _Serviced, three_brokers: Cluster) -> None:
    """It keeps its connections and answers nobody, until others lead; then it wakes up."""
    frozen = three_brokers.leader_of(serviced.hunted)
    frozen.pause()
    pass_time(_FROZEN_S)
    serviced.goes_on()
    frozen.resume()
    three_brokers.heal()
    serviced.goes_on()
    serviced.flow.finish(serviced.driver)

"""Holds on real brokers, with a driver that waits for their end."""

from __future__ import annotations

import secrets
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.admin.internal_topics import create_internal_topic
from kmirror.admin.owner_entry import THIS_PROCESS, this_process
from kmirror.admin.ownership import Ownership
from kmirror.clock import SystemClock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import load
from kmirror.ends.clients import open_clients, open_ownership
from kmirror.errors import Fenced, Held
from kmirror.model import Flow, TopicPartition
from kmirror.moves.hold import FlowHold
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.flow_names import position_group

pytestmark = pytest.mark.kafka

_ROUNDS = 4


def flow_of(pair: ClusterPair, folder: Path) -> FlowConfig:
    """Give a flow that nobody else uses."""
    source = f"H{secrets.token_hex(3)}"
    file = folder / "mm2.properties"
    file.write_text(
        f"clusters = {source}, B\n{source}.bootstrap.servers = {pair.a.bootstrap}\n"
        f"B.bootstrap.servers = {pair.b.bootstrap}\n{source}->B.enabled = true\n"
    )
    return load(file, environ={}).flow(Flow(source, "B"))


def test_a_release_does_not_fence_the_driver_that_waited(
    kafka_pair: ClusterPair, jvm: Any, tmp_path: Path
) -> None:
    """However fast that one is; and positions are there when the hold ends."""
    config, clock = flow_of(kafka_pair, tmp_path), SystemClock()
    with closing(open_clients(config, clock)) as clients:
        topic = config.offset_storage_topic
        create_internal_topic(clients.target, topic, partitions=2, replication_factor=1)
        kafka = JvmClients(jvm)
        hold = FlowHold(config, clients, kafka, clock)
        assert hold.owner() is None or not hold.owner()
        driver = open_ownership(config, clients, kafka, clock)
        driver.claim(this_process(clock, config.flow, slots=1))
        group, at = position_group(config.flow), TopicPartition(topic, 1)
        clients.target.set_group_positions(group, {at: GroupPosition(offset=7)})
        for _ in range(_ROUNDS):
            held = hold.take("failover")
            assert held.is_hold
            assert hold.owner() == held
            with pytest.raises((Held, Fenced)):
                driver.refresh()
            waiting = threading.Thread(target=_claim_when_free, args=(driver, config.flow))
            waiting.start()
            released = hold.release()
            waiting.join(60)
            now = hold.owner()
            assert now is not None
            assert now.owner != released
            driver.refresh()
            driver.check()
        assert clients.target.group_positions(group, [at])[at].offset == 7
        driver.close()


def test_a_hold_that_a_driver_has_missed_costs_it_nothing(
    kafka_pair: ClusterPair, jvm: Any, tmp_path: Path
) -> None:
    """Held and released between two looks: the driver goes on; one that lost the flow does not."""
    config, clock = flow_of(kafka_pair, tmp_path), SystemClock()
    with closing(open_clients(config, clock)) as clients:
        topic = config.offset_storage_topic
        create_internal_topic(clients.target, topic, partitions=2, replication_factor=1)
        kafka = JvmClients(jvm)
        hold = FlowHold(config, clients, kafka, clock)
        drivers = [open_ownership(config, clients, kafka, clock) for _ in range(2)]
        for driver, process in zip(drivers, (THIS_PROCESS, "another"), strict=True):
            driver.claim(replace(this_process(clock, config.flow, slots=1), driver=f"{process}-1"))
            hold.take("failover")
            hold.take("failover")
            hold.release()
            with pytest.raises(Held if process == THIS_PROCESS else Fenced) as over:
                driver.check()
            if isinstance(over.value, Held):
                assert driver.claim(this_process(clock, config.flow, slots=1)) == (
                    over.value.generation + 2
                )
        for driver in drivers:
            driver.close()


def _claim_when_free(driver: Ownership, flow: Flow) -> None:
    clock = SystemClock()
    deadline_s = clock.monotonic_s() + 60
    while clock.monotonic_s() < deadline_s:
        try:
            driver.claim(this_process(clock, flow, slots=1))
        except (Held, Fenced):
            continue
        return

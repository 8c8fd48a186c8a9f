"""Packets are lost between the driver and a cluster: a tenth of them, then half of them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator

import pytest
from kmirror_lab.net import NetLab, NetPlan, net_lab

from tests.support.mirrored import MirroredFactory
from tests.support.namespaces import needs_namespaces
from tests.support.passing_time import pass_time

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.spark,
    pytest.mark.fault,
    pytest.mark.long,
    needs_namespaces,
]

_PARTITIONS = 2
_HALF_LOST_S = 60.0
_SOME, _MORE = 300, 1000


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetLab]:
    """Give two clusters that reach each other over a link of packets."""
    token = secrets.token_hex(3)
    plan = NetPlan(names=(f"near-{token}", f"far-{token}"), heap_mb=256)
    with net_lab(tmp_path_factory.mktemp("lossy"), plan) as made:
        yield made


@pytest.mark.parametrize("far", ["target", "source"])
def test_packets_are_lost(
    net: NetLab, mirrored: MirroredFactory, new_topic: Callable[..., str], far: str
) -> None:
    """A tenth: the copy is slower. Half of them for a minute: it goes on when the link is well."""
    net.clear()
    here, there = (net.clusters[name] for name in net.names)
    source, target = (here, there) if far == "target" else (there, here)
    # The driver is on the near side, and whoever looks; producers are where the source is.
    with net.host(here.name).inside():
        topic = new_topic(source, "lossy", partitions=_PARTITIONS)
        flow = mirrored(source, target, topic)
        driver = flow.start_copying()
        with source.host.inside():
            flow.write(topic, partitions=_PARTITIONS, abort_every=4)
        flow.wait_copied(driver, topic, _MORE)
        net.set(loss="10%")
        flow.wait_more(driver, topic, _SOME)
        net.set(loss="50%")
        pass_time(_HALF_LOST_S)
        net.clear()
        flow.wait_more(driver, topic)
        flow.finish(driver)
        assert not flow.errors(driver), driver.text

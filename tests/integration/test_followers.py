"""A mirror that is told its rack reads from followers there (KIP-392); racks are checked."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from kmirror_lab.cluster.broker import Broker
from kmirror_lab.fixtures import ClusterFactory, ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.fill import fill

from tests.support.bounded import FlowCopier
from tests.support.commands import check_stretch

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_RECORDS = 20_000
_SIZE_BYTES = 1_000
_BY_RACK = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


@pytest.mark.parametrize("rack", ["near", "far"])
def test_the_follower_in_its_rack_is_read(
    start_cluster: ClusterFactory, kafka_pair: ClusterPair, copy_flow: FlowCopier, rack: str
) -> None:
    """All partitions, whoever leads them: the other broker sends next to nothing."""
    racks = ("near", "far")
    source = start_cluster(
        "racks", brokers=2, racks=racks, config={"replica.selector.class": _BY_RACK}
    )
    topic = source.create_topic(f"racks-{secrets.token_hex(4)}", partitions=4)
    assert {source.leader_of(topic, p).node_id for p in range(4)} == {1, 2}
    fill(source.bootstrap, topic, records=_RECORDS, size_bytes=_SIZE_BYTES, partitions=4)
    source.heal()  # every follower has everything
    before = [written_bytes(broker) for broker in source.brokers]
    alias = f"F{rack[0].upper()}"
    flow = f"{alias}A->{alias}B"
    pair = ClusterPair(source, kafka_pair.b)
    copied = copy_flow(pair, flow, topic, f"{alias}A.consumer.client.rack = {rack}")
    wrote = {
        name: written_bytes(broker) - count
        for name, broker, count in zip(racks, source.brokers, before, strict=True)
    }
    everything = _RECORDS * _SIZE_BYTES
    assert wrote.pop(rack) > everything
    assert sum(wrote.values()) < everything / 10
    answer = check_stretch(copied.file)
    assert "two racks, far (1), near (1)" in answer.text
    assert f"reads in its own rack, {rack}" in answer.text
    assert "in one rack: without it the data is gone" in answer.text  # the other cluster
    assert answer.code == 1
    verdict = check(source.bootstrap, pair.b.bootstrap, {topic: f"{alias}A.{topic}"})
    assert verdict.ok, str(verdict)


def written_bytes(broker: Broker) -> int:
    """Give all that a broker has written, into sockets and files (proc(5))."""
    assert broker.process is not None
    lines = Path(f"/proc/{broker.process.pid}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar:"))

"""Flows whose names look the same when source and target are joined by a dash."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.model import Flow
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_two_flows_that_read_alike(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Of one file, in one process: each copies, and each has its positions on its own target."""
    a, b = kafka_pair
    token = secrets.token_hex(3)
    flows = [Flow(f"us{token}", "east-dr"), Flow(f"us{token}-east", "dr")]
    ends = [(a, b), (b, a)]
    clusters = {
        alias: cluster
        for flow, (source, target) in zip(flows, ends, strict=True)
        for alias, cluster in ((flow.source, source), (flow.target, target))
    }
    topics = [f"near-{token}", f"far-{token}"]
    for topic, (source, _) in zip(topics, ends, strict=True):
        source.create_topic(topic, partitions=1)
        write(source, topic, numbered(topic, range(20)))
    lines = [
        line
        for flow, topic in zip(flows, topics, strict=True)
        # Groups of others on the same cluster may be worth a warning.
        for line in flow_lines(str(flow), topic, f"groups = {topic}")
    ]
    driver = warm_driver(mirror_file(tmp_path, clusters, *lines))
    for flow, topic, (source, target) in zip(flows, topics, ends, strict=True):
        copy = f"{flow.source}.{topic}"
        driver.wait_until_caught_up(source, target, {topic: copy}, flow=flow)
        assert read(target, copy) == numbered(topic, range(20))
    assert driver.stop() == 0, driver.text
    assert not driver.lines("WARNING|ERROR"), driver.text

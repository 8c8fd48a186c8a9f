"""A flow's parts for tests that have no cluster and no Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from kmirror.admin.fake import FakeAdmin
from kmirror.config.flows import FlowConfig
from kmirror.config.load import load
from kmirror.ends.clients import FlowClients, lane_admin, lane_consumer, lane_producer
from kmirror.jvm.key_stores import librdkafka_settings
from tests.support.driver import A_TO_B, write_properties

Part = TypeVar("Part")


def flow_config(folder: Path, target: str = "b:9092") -> FlowConfig:
    """
    Give a flow A->B.

    Args:
        folder: For its file.
        target: Where B is.
    """
    return load(write_properties(folder, "a:9092", target), environ={}).flow(A_TO_B)


def fake_clients(config: FlowConfig, source: FakeAdmin) -> FlowClients:
    """
    Give clients of clusters in memory.

    Args:
        config: The flow.
        source: Its source; the target is empty.
    """
    return FlowClients(
        source=source,
        target=FakeAdmin(),
        source_rdkafka=librdkafka_settings(config.source_admin),
        target_rdkafka=librdkafka_settings(config.target_admin),
        consumer=lane_consumer(config),
        producer=lane_producer(config),
        admin=lane_admin(config),
    )


def unused(kind: type[Part]) -> Part:
    """Give a part that a test does not reach: it was never made, so its first use fails."""
    return object.__new__(kind)

"""The clients of one flow, made from its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.kafka_clients import KafkaClients
from kmirror.admin.ownership import Ownership
from kmirror.clock import Clock
from kmirror.config.client_defaults import CONSUMER_DEFAULTS, producer_values, values
from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.wire.flow_names import client_id, owner_transactional_id, position_group

# What makes it correct; nothing overrides these.
CONSUMER_FIXED = {"auto.offset.reset": "none", "enable.auto.commit": "false"}
PRODUCER_FIXED = {"acks": "all", "enable.idempotence": "true"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowClients:
    """
    Control planes for both ends, and settings for what others open.

    Args:
        source, target: Control planes.
        source_rdkafka, target_rdkafka: librdkafka settings.
        consumer, producer, admin: Java client properties for the lanes.
    """

    source: ClusterAdmin
    target: ClusterAdmin
    source_rdkafka: Mapping[str, Any]
    target_rdkafka: Mapping[str, Any]
    consumer: ClientProperties
    producer: ClientProperties
    admin: ClientProperties

    def close(self) -> None:
        """Let go of both control planes."""
        self.source.close()
        self.target.close()


def open_ownership(
    config: FlowConfig, clients: FlowClients, kafka: KafkaClients, clock: Clock
) -> Ownership:
    """
    Make what claims a flow; it has not spoken to the target yet.

    Args:
        config: The flow.
        clients: Its clients.
        kafka: Opens Kafka's own.
        clock: Where time comes from.
    """
    flow = config.flow
    return Ownership(
        flow,
        clients.target,
        offsets_topic=config.offset_storage_topic,
        open_writer=partial(
            kafka.open_position_writer,
            flow.target,
            clients.admin,
            group=position_group(flow),
            transactional_id=owner_transactional_id(flow),
        ),
        fence=partial(kafka.fence, flow.target, clients.admin),
        clock=clock,
    )


def lane_consumer(config: FlowConfig) -> ClientProperties:
    """Return the properties of the consumers that read the records."""
    ours = values(CONSUMER_DEFAULTS) | _client_id(config)
    return config.source_consumer.with_defaults(ours).overridden_by(CONSUMER_FIXED)


def lane_producer(config: FlowConfig) -> ClientProperties:
    """Return the properties of the producers that write the records."""
    ours = producer_values(config.target_producer) | _client_id(config)
    return config.target_producer.with_defaults(ours).overridden_by(PRODUCER_FIXED)


def lane_admin(config: FlowConfig) -> ClientProperties:
    """Return the properties of the lanes' admin clients, for the target."""
    return config.target_admin.with_defaults(_client_id(config))


def _client_id(config: FlowConfig) -> dict[str, str]:
    return {"client.id": client_id(config.flow)}


def open_source(config: FlowConfig, clock: Clock) -> ClusterAdmin:
    """
    Make the control plane of a flow's source alone; it has not spoken to it yet.

    Args:
        config: The flow.
        clock: Where time comes from.
    """
    settings = librdkafka_settings(config.source_admin)
    timeout_s = config.admin_request_timeout_s
    return KafkaAdmin(config.flow.source, settings, timeout_s=timeout_s, clock=clock)


def open_clients(config: FlowConfig, clock: Clock, *, looks: bool = False) -> FlowClients:
    """
    Make the clients; none of them has spoken to a cluster yet.

    Args:
        config: The flow.
        clock: Where time comes from.
        looks: Nothing is made by asking, as `KafkaAdmin` says.
    """
    flow = config.flow
    # A cluster that does not answer for so long counts as away; asking goes on all the same.
    timeout_s = config.admin_request_timeout_s
    source_rdkafka = librdkafka_settings(config.source_admin)
    target_rdkafka = librdkafka_settings(config.target_admin)
    opened = partial(KafkaAdmin, timeout_s=timeout_s, clock=clock, looks=looks)
    return FlowClients(
        source=opened(flow.source, source_rdkafka),
        target=opened(flow.target, target_rdkafka),
        source_rdkafka=source_rdkafka,
        target_rdkafka=target_rdkafka,
        consumer=lane_consumer(config),
        producer=lane_producer(config),
        admin=lane_admin(config),
    )

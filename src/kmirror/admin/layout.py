"""Reads where a cluster's replicas are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    AdminClient,
    ConfigResource,
)

from kmirror.admin import _errors
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import connection_settings
from kmirror.plans.stretch import BrokerPlace, ClusterLayout, TopicLayout


def read_layout(
    alias: str, config: Mapping[str, Any], *, readers: Mapping[str, str], timeout_s: float
) -> ClusterLayout:
    """
    Give a cluster as far as racks matter.

    Args:
        alias: Its alias, for messages.
        config: librdkafka settings.
        readers: See `ClusterLayout`.
        timeout_s: Deadline of each question, seconds.

    Raises:
        ClusterError: It did not answer, or refused.
    """
    cause = _errors.ConnectionCause()
    with KafkaAdmin(alias, config, timeout_s=timeout_s) as admin:
        names = admin.topics()  # tells first, and well, when nobody answers
        settings = {
            name: {entry.name: entry.value or "" for entry in entries}
            for name, entries in admin.topic_configs(names).items()
        }
    try:
        client = AdminClient(connection_settings(config, cause))
        nodes = client.describe_cluster(request_timeout=timeout_s).result(timeout_s).nodes
        metadata = client.list_topics(timeout=timeout_s)
        brokers = tuple(
            BrokerPlace(
                id=node.id,
                rack=node.rack or "",
                settings=_broker_settings(client, node.id, timeout_s),
            )
            for node in sorted(nodes, key=lambda node: node.id)
        )
    except (KafkaException, TimeoutError) as error:
        raise _errors.translate(
            error, cluster=f"cluster {alias}", doing="read its layout", cause=cause
        ) from error
    return ClusterLayout(
        brokers=brokers,
        topics=tuple(
            TopicLayout(
                name=name,
                replicas=tuple(
                    tuple(partition.replicas) for _, partition in sorted(topic.partitions.items())
                ),
                settings=settings.get(name, {}),
            )
            for name, topic in sorted(metadata.topics.items())
            if topic.partitions
        ),
        readers=readers,
    )


def _broker_settings(client: AdminClient, broker: int, timeout_s: float) -> dict[str, str]:
    """Ask a broker for its settings: each answers for itself alone."""
    resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
    (answer,) = client.describe_configs([resource], request_timeout=timeout_s).values()
    return {name: entry.value or "" for name, entry in answer.result(timeout_s).items()}

"""What settings topics of real clusters have, and how somebody changes them there."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)
from kmirror_lab.cluster.cluster import Cluster

_ANSWER_S_MAX = 30.0


def change_settings(cluster: Cluster, topic: str, settings: Mapping[str, str | None]) -> None:
    """Give a topic values of its own; `None` takes one back."""
    changes = [
        ConfigEntry(
            name,
            value,
            incremental_operation=AlterConfigOpType.DELETE
            if value is None
            else AlterConfigOpType.SET,
        )
        for name, value in settings.items()
    ]
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=changes)
    admin = cluster.admin()
    admin.incremental_alter_configs([resource])[resource].result(_ANSWER_S_MAX)


def own_settings(cluster: Cluster, topic: str) -> dict[str, str]:
    """Give the values that a topic has of its own."""
    resource = ConfigResource(ResourceType.TOPIC, topic)
    # A client that nobody holds is gone before it has answered.
    admin = cluster.admin()
    entries = admin.describe_configs([resource])[resource].result(_ANSWER_S_MAX)
    return {
        entry.name: entry.value
        for entry in entries.values()
        if ConfigSource(entry.source) is ConfigSource.DYNAMIC_TOPIC_CONFIG
    }

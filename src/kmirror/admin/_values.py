"""confluent-kafka's values as ours, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, Uuid
from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    OffsetSpec,
    TopicDescription,
    TopicMetadata,
)

from kmirror.admin.coordinator_topics import GROUPS_TOPIC, TRANSACTIONS_TOPIC
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import (
    Broker,
    ClusterState,
    GroupPosition,
    TopicConfigEntry,
    TopicState,
)
from kmirror.plans.topic_settings import SettingChange

SPECS = {
    "earliest": OffsetSpec.earliest(),  # type: ignore[no-untyped-call]  # the library has no types here
    "latest": OffsetSpec.latest(),  # type: ignore[no-untyped-call]  # nor here
}


def since(at_ms: int) -> OffsetSpec:
    """Ask for the first record that is not older than this."""
    spec: OffsetSpec = OffsetSpec.for_timestamp(at_ms)
    return spec


NEWEST = OffsetSpec.max_timestamp()  # type: ignore[no-untyped-call]  # nor here

# The metadata that librdkafka gives out lacks the brokers' own mark; these are all they have.
_KAFKAS_OWN = frozenset({GROUPS_TOPIC, TRANSACTIONS_TOPIC, "__share_group_state"})


def cluster_state(metadata: Any) -> ClusterState:
    """Return what metadata say of a cluster: no racks."""
    brokers = (
        Broker(id=each.id, host=each.host, port=each.port) for each in metadata.brokers.values()
    )
    return ClusterState(
        cluster_id=metadata.cluster_id,
        brokers=tuple(sorted(brokers, key=lambda broker: broker.id)),
        controller=metadata.controller_id if metadata.controller_id >= 0 else None,
    )


def config_entry(entry: ConfigEntry) -> TopicConfigEntry:
    source = ConfigSource(entry.source)
    return TopicConfigEntry(
        name=entry.name,
        value=entry.value,
        is_default=source is ConfigSource.DEFAULT_CONFIG,
        source=source.name,
        read_only=entry.is_read_only,
        sensitive=entry.is_sensitive,
    )


def altered(topic: str, changes: Sequence[SettingChange]) -> ConfigResource:
    """Return what to change of a topic; whatever is not named stays."""
    return ConfigResource(
        ConfigResource.Type.TOPIC,
        topic,
        incremental_configs=[
            ConfigEntry(
                change.name,
                change.after,
                incremental_operation=AlterConfigOpType.DELETE
                if change.after is None
                else AlterConfigOpType.SET,
            )
            for change in changes
        ],
    )


def topic_states(topics: Mapping[str, TopicMetadata]) -> dict[str, TopicState]:
    """Return those that exist."""
    return {
        name: _topic_state(name, topic.partitions.values())
        for name, topic in topics.items()
        if topic.error is None or topic.error.code() == KafkaError.LEADER_NOT_AVAILABLE
    }


def described_topics(topics: Mapping[str, TopicDescription]) -> dict[str, TopicState]:
    """Return the same of topics that were asked for by name."""
    return {name: _topic_state(name, topic.partitions) for name, topic in topics.items()}


def _topic_state(name: str, partitions: Collection[Any]) -> TopicState:
    return TopicState(
        name=name,
        partitions=len(partitions),
        replicas=min((len(each.replicas) for each in partitions), default=1),
        internal=name in _KAFKAS_OWN,
    )


def leaders(topics: Mapping[str, TopicMetadata]) -> dict[TopicPartition, int]:
    """Return who leads the partitions of those that exist."""
    return {
        TopicPartition(name, number): each.leader
        for name, topic in topics.items()
        for number, each in topic.partitions.items()
    }


def uuid_text(uuid: Uuid) -> str:
    """Return the text that Java prints: URL-safe base64 without padding."""
    return str(uuid).rstrip("=").translate(str.maketrans("+/", "-_"))


def metadata_of(tp: KafkaPartition) -> str:
    """Return the metadata of a committed offset; empty if it is unknown."""
    try:
        return tp.metadata or ""
    except UnicodeDecodeError:
        # librdkafka takes it for a C string, and reads past the end of one without a NUL, such as
        # another client's. It was none of ours.
        return ""


def committed(tp: TopicPartition, at: GroupPosition) -> KafkaPartition:
    epoch = -1 if at.leader_epoch is None else at.leader_epoch
    return KafkaPartition(tp.topic, tp.partition, at.offset, at.metadata, epoch)


def place(tp: TopicPartition) -> KafkaPartition:
    """Return the library's partition."""
    return KafkaPartition(tp.topic, tp.partition)


def label(item: object) -> str:
    """Call what a request is about by the name that people know."""
    if isinstance(item, KafkaPartition):
        return f"{item.topic}-{item.partition}"
    return str(item.name) if isinstance(item, ConfigResource) else str(item)

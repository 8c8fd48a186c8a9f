"""confluent-kafka's values as ours, and back."""

from __future__ import annotations

from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka import Uuid
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but not in __all__
    ConfigEntry,
    ConfigResource,
    ConfigSource,
)

from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, TopicConfigEntry


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


def uuid_text(uuid: Uuid) -> str:
    """Give the text that Java prints: URL-safe base64 without padding."""
    return str(uuid).rstrip("=").translate(str.maketrans("+/", "-_"))


def metadata_of(tp: KafkaPartition) -> str:
    """The text beside a committed offset; empty when it cannot be told."""
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
    """Give the library's partition."""
    return KafkaPartition(tp.topic, tp.partition)


def label(item: object) -> str:
    """Name what was asked about."""
    if isinstance(item, KafkaPartition):
        return f"{item.topic}-{item.partition}"
    return item.name if isinstance(item, ConfigResource) else str(item)


def is_internal(topic: str) -> bool:
    """Tell whether a topic is Kafka's own: metadata that the library gives out does not say so."""
    return topic in {"__consumer_offsets", "__transaction_state", "__share_group_state"}

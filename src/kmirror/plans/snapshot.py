"""What a cluster said about itself at one moment: the input of every plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """One broker, at the address it advertises; its rack is empty where it names none."""

    id: int
    host: str
    port: int
    rack: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterState:
    """
    A cluster as its metadata describes it.

    Args:
        cluster_id: The id given when the cluster was formatted.
        brokers: The live brokers, by id.
        controller: The broker to send administrative requests to; `None` while there is none.
    """

    cluster_id: str
    brokers: tuple[Broker, ...]
    controller: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicState:
    """
    A topic as the metadata describes it.

    Args:
        name: Its name.
        partitions: How many partitions it has.
        replicas: How many replicas each partition has, or the least of them.
        internal: Whether Kafka itself owns it.
    """

    name: str
    partitions: int
    replicas: int = 1
    internal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicConfigEntry:
    """
    One setting of a topic.

    Args:
        name: `retention.ms`, for example.
        value: `None` when the broker keeps it to itself.
        is_default: Nobody has set it, neither for the topic nor for the brokers.
        source: Where the value comes from, as Kafka names it: `DYNAMIC_TOPIC_CONFIG`, ...
        read_only: It cannot be altered.
        sensitive: It holds a secret.
    """

    name: str
    value: str | None
    is_default: bool = False
    source: str = "DYNAMIC_TOPIC_CONFIG"
    read_only: bool = False
    sensitive: bool = False


def settings_of(entries: Iterable[TopicConfigEntry]) -> dict[str, str]:
    """Return the values of settings by name; what a broker keeps to itself is empty."""
    return {entry.name: entry.value or "" for entry in entries}


def is_compacted(entries: Iterable[TopicConfigEntry]) -> bool:
    """Whether a topic with these settings loses records that have a newer one of their key."""
    return "compact" in settings_of(entries).get("cleanup.policy", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPosition:
    """
    A committed group offset.

    Args:
        offset: The next offset.
        metadata: The text committed with it.
        leader_epoch: The leader epoch committed with it; `None` when there was none.
    """

    offset: int
    metadata: str = ""
    leader_epoch: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupState:
    """
    A group as its coordinator lists it.

    Args:
        name: Its name.
        kind: `Classic`, `Consumer`, `Share`, `Streams`; empty from brokers that do not say.
        protocol: What its members speak: `consumer`, or empty, for those with offsets.
        state: `Empty`, `Stable`, ...; empty from brokers that do not say.
    """

    name: str
    kind: str = ""
    protocol: str = ""
    state: str = ""

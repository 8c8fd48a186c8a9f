"""
Whether a cluster that is stretched over racks (zones, data centres) survives the loss of one; pure.

The rule behind it: a record that was acknowledged with `acks=all` lies on `min.insync.replicas`
replicas. It survives the loss of a rack for sure when these cannot all be in one rack, and writing
goes on when enough replicas are elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from kmirror.plans.text import first_few

_RACKS_MIN = 2
_RACKS_QUORUM = 3
_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


class Severity(Enum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    FINE = "fine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    The result of one check.

    Args:
        severity: How much it matters.
        subject: What it is about.
        words: What was seen, and what it means.
        advice: What to do; empty where all is well.
    """

    severity: Severity
    subject: str
    words: str
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerPlace:
    """A broker, its rack (empty when it names none) and its own settings."""

    id: int
    rack: str
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicLayout:
    """A topic's settings, and the brokers of each partition's replicas."""

    name: str
    replicas: tuple[tuple[int, ...], ...]
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterLayout:
    """
    A cluster's layout over racks.

    Args:
        brokers: By id.
        topics: By name, Kafka's own among them.
        readers: The `client.rack` of what reads from it by the file; empty where there is none.
    """

    brokers: tuple[BrokerPlace, ...]
    topics: tuple[TopicLayout, ...]
    readers: Mapping[str, str]


def check_stretch(layout: ClusterLayout) -> tuple[Finding, ...]:
    """
    Look at a stretched cluster.

    Args:
        layout: The cluster.
    """
    racks = {broker.id: broker.rack for broker in layout.brokers}
    return (
        *_check_racks(layout.brokers),
        *_check_topics(layout.topics, racks),
        *_check_elections(layout.topics),
        *_check_fetching(layout),
    )


def _check_racks(brokers: Collection[BrokerPlace]) -> Iterator[Finding]:
    nameless = sorted(broker.id for broker in brokers if not broker.rack)
    if nameless:
        yield Finding(
            severity=Severity.ERROR,
            subject="broker.rack",
            words=f"brokers {first_few(nameless)} name no rack: replicas are placed without regard",
            advice="set broker.rack on every broker, restart them one by one, reassign partitions",
        )
    sizes = Counter(broker.rack for broker in brokers if broker.rack)
    named = ", ".join(f"{rack} ({count})" for rack, count in sorted(sizes.items()))
    if len(sizes) < _RACKS_MIN:
        yield Finding(
            severity=Severity.ERROR,
            subject="racks",
            words=f"{'one rack' if sizes else 'no rack'}: {named or 'none is named'}; "
            "the cluster is not stretched",
            advice="place brokers in three racks",
        )
    elif len(sizes) < _RACKS_QUORUM:
        yield Finding(
            severity=Severity.WARNING,
            subject="racks",
            words=f"two racks, {named}: one of them holds a majority of the controllers, and "
            "without it nothing works",
            advice="place one controller more in a third rack; it needs no broker",
        )
    else:
        yield Finding(severity=Severity.FINE, subject="racks", words=f"{len(sizes)}: {named}")


def _check_topics(topics: Iterable[TopicLayout], racks: Mapping[int, str]) -> Iterator[Finding]:
    """Say what the loss of any one rack does to each topic; group topics with the same result."""
    found: dict[tuple[Severity, str, str], list[str]] = defaultdict(list)
    fine = 0
    for topic in topics:
        troubles = set(_troubles(topic, racks))
        for trouble in troubles:
            found[trouble].append(topic.name)
        fine += not troubles
    for (severity, words, advice), names in sorted(found.items(), key=lambda item: item[0][1]):
        yield Finding(
            severity=severity,
            subject=f"{len(names)} topics: {first_few(sorted(names))}",
            words=words,
            advice=advice,
        )
    if fine:
        yield Finding(
            severity=Severity.FINE,
            subject=f"{fine} topics",
            words="keep every acknowledged record, and go on, when any one rack is lost",
        )


def _troubles(topic: TopicLayout, racks: Mapping[int, str]) -> Iterator[tuple[Severity, str, str]]:
    in_sync = int(topic.settings.get("min.insync.replicas", "1"))
    spread = "kafka-reassign-partitions.sh, with replicas in different racks"
    for replicas in topic.replicas:
        held = Counter(racks.get(broker, "") for broker in replicas)
        most = max(held.values())
        if len(held) == 1:
            yield (
                Severity.ERROR,
                "all replicas of a partition are in one rack: without it the data is gone",
                spread if len(replicas) > 1 else "raise the replication factor",
            )
        elif in_sync <= most:
            yield (
                Severity.ERROR,
                f"min.insync.replicas = {in_sync}, and one rack holds {most} replicas of a "
                "partition: what was acknowledged may be in that rack alone",
                f"min.insync.replicas = {most + 1}, or replicas spread further",
            )
        elif len(replicas) - most < in_sync:
            yield (
                Severity.WARNING,
                f"when one rack is lost, {len(replicas) - most} replicas of a partition are left, "
                f"fewer than min.insync.replicas = {in_sync}: nothing is lost, but writing stops",
                "more racks or replicas, so that those left are enough",
            )


def _check_elections(topics: Iterable[TopicLayout]) -> Iterator[Finding]:
    unclean = sorted(
        topic.name
        for topic in topics
        if topic.settings.get("unclean.leader.election.enable") == "true"
    )
    if unclean:
        yield Finding(
            severity=Severity.ERROR,
            subject=f"{len(unclean)} topics: {first_few(unclean)}",
            words="unclean.leader.election.enable = true: a replica that lags may become leader, "
            "and acknowledged records are lost without a word",
            advice="set it to false",
        )


def _check_fetching(layout: ClusterLayout) -> Iterator[Finding]:
    """Check reading from the nearest replica (KIP-392), which saves traffic between racks."""
    without = sorted(
        broker.id
        for broker in layout.brokers
        if broker.settings.get("replica.selector.class") != _SELECTOR
    )
    if without:
        yield Finding(
            severity=Severity.WARNING,
            subject="replica.selector.class",
            words=f"brokers {first_few(without)} let consumers read from leaders only: most reads "
            "cross racks",
            advice=f"replica.selector.class = {_SELECTOR}",
        )
    racks = {broker.rack for broker in layout.brokers}
    for reader, rack in sorted(layout.readers.items()):
        if rack in racks and rack:
            yield Finding(
                severity=Severity.FINE, subject=reader, words=f"reads in its own rack, {rack}"
            )
        else:
            said = f"client.rack = {rack}, which no broker has" if rack else "names no client.rack"
            yield Finding(
                severity=Severity.WARNING,
                subject=reader,
                words=f"{said}: it reads from leaders, wherever they are",
                advice="client.rack = the rack that it runs in",
            )

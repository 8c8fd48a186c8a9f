"""What the API says of the file's clusters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerView:
    """
    A broker.

    Args:
        id: Its number.
        address: The `host:port` that it advertises.
        rack: Where it stands; empty where it does not say.
        is_controller: Whether administrative requests go there.
        unreachable: Why no connection to it comes about from here; empty where one does, null
            before somebody has looked.
    """

    id: int
    address: str
    rack: str
    is_controller: bool
    unreachable: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureView:
    """
    A finalized feature (KIP-584).

    Args:
        name: `metadata.version`, for example.
        level: Of all brokers.
    """

    name: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopicView:
    """
    A topic of kmirror's or of MirrorMaker 2's own.

    Args:
        topic: Its name.
        purpose: What it is for.
        partitions: How many it has.
        replicas: How many each has, or the least of them.
        records: How many offsets its logs hold; null when not known.
        bytes: What it takes on disks, all replicas together; null when not known.
        cleanup_policy: `delete`, `compact` or both; empty when not known.
        retention_ms: How long records are kept at least, milliseconds, -1 for ever; null when not
            known, or where nothing is deleted.
        min_in_sync: `min.insync.replicas`; null when not known.
        doubt: What is wrong with it; empty when nothing is.
    """

    topic: str
    purpose: str
    partitions: int
    replicas: int
    records: int | None
    bytes: int | None
    cleanup_policy: str
    retention_ms: int | None
    min_in_sync: int | None
    doubt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RightView:
    """
    A right that is missing.

    Args:
        words: Whose, which, and what for.
        without: What does not work without it.
        is_optional: Whether flows run all the same.
    """

    words: str
    without: str
    is_optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateView:
    """
    A certificate that a client of kmirror's uses.

    Args:
        kind: `client` or `authority`.
        ends_ms: When the first of them ends, milliseconds since the epoch.
    """

    kind: str
    ends_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterUse:
    """
    A flow that uses a cluster.

    Args:
        flow: `S->T`.
        end: `source` or `target`.
    """

    flow: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """
    A cluster of the file, as it looks from here.

    Args:
        alias: Its name in the file.
        bootstrap_servers: Where it is looked for.
        flows: Who uses it.
        answers: Whether it does; null while that is being found out.
        asked_ms: When it was asked last, milliseconds since the epoch; null for never.
        answered_ms: When it answered last; null for never.
        silent_since_ms: Since when it does not; null while it does.
        error: Why it does not; empty while it does.
        latency_ms: How long its last answer took, milliseconds.
        cluster_id: The id given when it was formatted; empty when not known.
        controller: The broker for administrative requests; null when not known.
        brokers: Those that live, by number.
        protocol_version: What brokers speak among each other (`inter.broker.protocol.version`);
            empty when not known: brokers from 4.0 on have no such setting.
        features: Finalized features; null when not known.
        looked_ms: When all that follows was looked at; null while nobody has.
        topics: How many topics are to be seen; null when not known.
        internal: The topics of kmirror and MirrorMaker 2.
        missing_rights: Rights that flows lack; null when not known.
        clock_ahead_s: At least so many seconds the clock of one of its brokers is ahead of that of
            the machine that asks; 0 when none is by more than a second, null when not known.
        clock_unknown: Why it is not known; empty when it is.
        certificates: Of kmirror's own clients.
        notes: What else is to be said.
    """

    alias: str
    bootstrap_servers: str
    flows: tuple[ClusterUse, ...]
    answers: bool | None
    asked_ms: int | None
    answered_ms: int | None
    silent_since_ms: int | None
    error: str
    latency_ms: float | None
    cluster_id: str
    controller: int | None
    brokers: tuple[BrokerView, ...]
    protocol_version: str
    features: tuple[FeatureView, ...] | None
    looked_ms: int | None
    topics: int | None
    internal: tuple[InternalTopicView, ...]
    missing_rights: tuple[RightView, ...] | None
    clock_ahead_s: float | None
    clock_unknown: str
    certificates: tuple[CertificateView, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessView:
    """
    A process of kmirror's.

    Args:
        name: Where it runs, and which one.
        role: What it is for.
        version: kmirror's; empty for one of Spark's.
        since_ms: When it began to serve the console, milliseconds since the epoch; null for another
            one, of which that is not known.
        heap_bytes, heap_max_bytes: Java's heap, and how large it can grow; null without Java.
        nonheap_bytes: Other memory of Java's; null without Java.
        threads: Java's threads; null without Java.
        gc_s: How many seconds Java has collected garbage so far; null without Java.
    """

    name: str
    role: str
    version: str = ""
    since_ms: int | None = None
    heap_bytes: int | None = None
    heap_max_bytes: int | None = None
    nonheap_bytes: int | None = None
    threads: int | None = None
    gc_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterList:
    """
    All clusters, in the order of the file.

    Args:
        now_ms: The server's clock, milliseconds since the epoch.
        clusters: They.
        processes: kmirror's own processes, as far as who answers knows them: itself, and Spark's.
    """

    now_ms: int
    clusters: tuple[ClusterView, ...]
    processes: tuple[ProcessView, ...] = ()

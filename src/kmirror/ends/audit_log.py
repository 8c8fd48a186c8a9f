"""Reads and writes what audits found of a flow's partitions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.reader import RecordReader
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.errors import NotAuthorized
from kmirror.model import TopicPartition
from kmirror.plans.audit_book import AuditBook
from kmirror.wire.audit_windows import AuditWindow
from kmirror.wire.audits import Audit, audit_topic


def read_audits(
    config: FlowConfig, clients: FlowClients, topics: Collection[str]
) -> Mapping[TopicPartition, Audit]:
    """
    Return what was found identical, by source partition; nothing without the right to read it.

    Args:
        config: The flow.
        clients: Its clients.
        topics: Those that the target has.

    Raises:
        ClusterError: The topic could not be read.
    """
    return read_audit_book(config, clients, topics).audits


def read_audit_book(
    config: FlowConfig,
    clients: FlowClients,
    topics: Collection[str],
    *,
    is_needed: bool = False,
) -> AuditBook:
    """
    Return all that audits found; nothing without the right to read it.

    Args:
        config: The flow.
        clients: Its clients.
        topics: Those that the target has.
        is_needed: Without the right nothing can be said: that is an error.

    Raises:
        ClusterError: The topic could not be read.
    """
    place = TopicPartition(audit_topic(config.flow), 0)
    book = AuditBook()
    if place.topic not in topics:
        return book

    def take(key: bytes | None, value: bytes | None, _at_ms: int) -> None:
        book.take(key, value)

    cluster, timeout_s = f"cluster {config.flow.target}", config.admin_timeout_s
    with RecordReader(clients.target_rdkafka, cluster=cluster, timeout_s=timeout_s) as reader:
        try:
            reader.read_on(clients.target, place, take)
        except NotAuthorized:
            if is_needed:
                raise
            return AuditBook()
    return book


def write_audits(
    config: FlowConfig,
    clients: FlowClients,
    audits: Iterable[Audit],
    *,
    windows: Iterable[AuditWindow] = (),
    gone: Iterable[bytes] = (),
) -> None:
    """
    Write down what was found, and wait until it is safe.

    Args:
        config: The flow.
        clients: Its clients.
        audits: What was found identical.
        windows: What was found of windows.
        gone: The keys of windows that say nothing any more.

    Raises:
        MirrorError: At least one was not written; writing all of them again does no harm.
    """
    cluster, timeout_s = f"cluster {config.flow.target}", config.admin_timeout_s
    with InternalWriter(clients.target_rdkafka, cluster=cluster, timeout_s=timeout_s) as writer:
        topic = InternalTopic(
            audit_topic(config.flow),
            clients.target,
            writer,
            replication_factor=config.offset_storage_replication_factor,
        )
        # The windows first: what a reader takes for identical has its reason beside it.
        encoded = [*(each.encode() for each in windows), *(each.encode() for each in audits)]
        records = [InternalRecord(key=key, value=value) for key, value in encoded]
        topic.write([*records, *(InternalRecord(key=key, value=None) for key in gone)])

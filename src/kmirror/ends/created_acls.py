"""Which ACLs a flow has created: remembered on the target, whoever drives the flow."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import astuple, fields
from typing import Any, Protocol

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.followed_topic import FollowedTopic
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.plans.acl_binding import AclBinding
from kmirror.wire.created_acls import (
    AclState,
    created_acl_key,
    created_acls_topic,
    decode_created_acl,
    encode_created_acl,
)

_NAMES = tuple(each.name for each in fields(AclBinding))


class AclMemory(Protocol):
    """Remembers which ACLs a flow has created."""

    def read(self) -> frozenset[AclBinding]:
        """
        Return those that were written down.

        Raises:
            ClusterError: They could not be read.
        """
        ...

    def note(self, bindings: Iterable[AclBinding], state: AclState) -> None:
        """
        Write ACLs down, and wait until that is safe.

        Raises:
            MirrorError: They could not be written.
        """
        ...

    def forget(self, bindings: Iterable[AclBinding]) -> None:
        """
        Take ACLs out again.

        Raises:
            MirrorError: That could not be written.
        """
        ...


class CreatedAcls:
    """
    An `AclMemory` in a topic. All of it belongs to one thread.

    Args:
        topic: The topic.
        admin: The control plane of the cluster that has it.
        reader: Reads it.
    """

    def __init__(self, topic: InternalTopic, admin: ClusterAdmin, reader: RecordReader) -> None:
        self._topic = topic
        self._followed = FollowedTopic(topic.name, admin, reader)
        self._found: set[AclBinding] = set()

    def read(self) -> frozenset[AclBinding]:
        """Return those that were written down, by whomever."""
        self._followed.read_if_there(self._take)
        return frozenset(self._found)

    def note(self, bindings: Iterable[AclBinding], state: AclState) -> None:
        """Write ACLs down."""
        records = (encode_created_acl(astuple(each), state) for each in bindings)
        self._write(InternalRecord(key=key, value=value) for key, value in records)

    def forget(self, bindings: Iterable[AclBinding]) -> None:
        """Take ACLs out again."""
        keys = (created_acl_key(astuple(each)) for each in bindings)
        self._write(InternalRecord(key=key, value=None) for key in keys)

    def _write(self, records: Iterable[InternalRecord]) -> None:
        listed = list(records)
        if listed:
            self._topic.write(listed)

    def _take(self, key: bytes | None, value: bytes | None, _at_ms: int) -> None:
        found = decode_created_acl(key, value or b"{}")
        if found is None:
            return
        binding = _binding(found)
        if value is None:
            self._found.discard(binding)
        else:
            self._found.add(binding)


def _binding(texts: tuple[str, ...]) -> AclBinding:
    named: dict[str, Any] = dict(zip(_NAMES, texts, strict=True))
    return AclBinding(**named)


def open_created_acls(
    opened: ExitStack, config: FlowConfig, clients: FlowClients, clock: Clock
) -> CreatedAcls | None:
    """
    Open what a flow remembers of its ACLs; the topic is made when it is first written to.

    Args:
        opened: Closes it.
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.

    Returns:
        The memory; `None` where nothing is ever taken away, so that none is needed.
    """
    if not config.acls.is_exact:
        return None
    cluster, timeout_s = f"cluster {config.flow.target}", config.admin_request_timeout_s
    reader = RecordReader(clients.target_rdkafka, cluster=cluster, timeout_s=timeout_s, clock=clock)
    opened.callback(reader.close)
    writer = InternalWriter(
        clients.target_rdkafka, cluster=cluster, timeout_s=timeout_s, clock=clock
    )
    opened.callback(writer.close)
    topic = InternalTopic(
        created_acls_topic(config.flow),
        clients.target,
        writer,
        replication_factor=config.offset_storage_replication_factor,
    )
    return CreatedAcls(topic, clients.target, reader)

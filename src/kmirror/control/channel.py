"""Reads and writes what was ordered of a flow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.followed_topic import FollowedTopic
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.reader import RecordReader, StoredRecord
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.errors import NotAuthorized
from kmirror.plans.pauses import Orders
from kmirror.wire.control_orders import (
    ControlRecord,
    control_topic,
    decode_control,
)

# Who ordered what stays readable for so long, although newer orders have taken its place.
_RECORD_MS = 90 * 24 * 3600 * 1000
_CONFIGS = (
    ("min.compaction.lag.ms", str(_RECORD_MS)),
    # It is read from its beginning, and what is in the newest segment is not compacted.
    ("segment.bytes", str(16 * 1024 * 1024)),
)


class ControlChannel:
    """
    The control topic of a flow. Reading belongs to one thread, writing to one.

    Args:
        config: The flow.
        admin: The target's control plane.
        reader: Reads the target.
        writer: Writes there.
    """

    def __init__(
        self,
        config: FlowConfig,
        admin: ClusterAdmin,
        reader: RecordReader,
        writer: InternalWriter,
    ) -> None:
        name = control_topic(config.flow)
        self._followed = FollowedTopic(name, admin, reader)
        self._topic = InternalTopic(
            name,
            admin,
            writer,
            replication_factor=config.offset_storage_replication_factor,
            configs=_CONFIGS,
        )
        self._orders = Orders()

    @property
    def orders(self) -> Orders:
        """What was ordered, as far as it was read; a new object after each change."""
        return self._orders

    def create(self) -> None:
        """
        Make the topic, unless it is there.

        Raises:
            MirrorError: The target refused.
        """
        self._topic.create()

    def look(self) -> None:
        """
        Read what was ordered since.

        Raises:
            ClusterError: The topic could not be read.
        """
        found: list[tuple[int, ControlRecord]] = []

        def take(stored: StoredRecord) -> None:
            record = decode_control(stored.key, stored.value)
            if record is not None:
                found.append((stored.offset, record))

        self._followed.read_records(take)
        if found:
            self._orders = self._orders.with_records(found)

    def write(self, records: Iterable[ControlRecord]) -> None:
        """
        Write orders, or what was done about them, and wait until they are safe.

        Raises:
            MirrorError: At least one was not written; writing all of them again does no harm.
        """
        encoded = (record.encode() for record in records)
        self._topic.write(InternalRecord(key=key, value=value) for key, value in encoded)


@contextmanager
def open_channel(
    config: FlowConfig,
    admin: ClusterAdmin,
    rdkafka: Mapping[str, Any],
    *,
    timeout_s: float,
    clock: Clock,
) -> Iterator[ControlChannel]:
    """
    Open a control channel with clients of its own, until the context ends.

    Args:
        config: The flow.
        admin: The target's control plane.
        rdkafka: librdkafka settings for the target.
        timeout_s: Deadline of each read and write, seconds.
        clock: Where time comes from.
    """
    cluster = f"cluster {config.flow.target}"
    with (
        RecordReader(rdkafka, cluster=cluster, timeout_s=timeout_s, clock=clock) as reader,
        InternalWriter(rdkafka, cluster=cluster, timeout_s=timeout_s, clock=clock) as writer,
    ):
        yield ControlChannel(config, admin, reader, writer)


def read_orders(
    config: FlowConfig,
    admin: ClusterAdmin,
    rdkafka: Mapping[str, Any],
    topics: Collection[str],
    clock: Clock,
) -> Orders:
    """
    Return what was ordered of a flow so far; without the right to read it, that is nothing.

    Args:
        config: The flow.
        admin: The target's control plane.
        rdkafka: librdkafka settings for the target.
        topics: Those that the target has.
        clock: Where time comes from.

    Raises:
        ClusterError: The topic could not be read.
    """
    if control_topic(config.flow) not in topics:
        return Orders()
    timeout_s = config.admin_timeout_s
    with open_channel(config, admin, rdkafka, timeout_s=timeout_s, clock=clock) as channel:
        with suppress(NotAuthorized):
            channel.look()
        return channel.orders

"""Reads and writes what is known of topics that were deleted on a flow's source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.followed_topic import FollowedTopic
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.reader import RecordReader
from kmirror.config.flows import FlowConfig
from kmirror.errors import NotAuthorized
from kmirror.plans.deletions import Deletions
from kmirror.wire.deletions import (
    GoneTopic,
    KnownSource,
    decode_deletion,
    deletions_topic,
    gone_topic_key,
)


class DeletionLog:
    """
    The topic of a flow. All of it belongs to one thread.

    Args:
        config: The flow.
        admin: The target's control plane.
        reader: Reads the target.
        writer: Writes there.
    """

    def __init__(
        self, config: FlowConfig, admin: ClusterAdmin, reader: RecordReader, writer: InternalWriter
    ) -> None:
        self._name = deletions_topic(config.flow)
        self._followed = FollowedTopic(self._name, admin, reader)
        self._topic = InternalTopic(
            self._name,
            admin,
            writer,
            replication_factor=config.offset_storage_replication_factor,
        )
        self._known = Deletions()

    def read(self, topics: Collection[str]) -> Deletions:
        """
        Return what is known by now.

        Args:
            topics: Those that the target has.

        Raises:
            ClusterError: The topic could not be read.
        """
        if self._name in topics:
            self._known = self._known.with_records(_read(self._followed))
        return self._known

    def write(self, records: Iterable[GoneTopic | KnownSource]) -> None:
        """
        Write down what was found, and wait until it is safe.

        Raises:
            MirrorError: At least one was not written; writing all of them again does no harm.
        """
        encoded = (record.encode() for record in records)
        self._topic.write(InternalRecord(key=key, value=value) for key, value in encoded)

    def forget(self, topics: Iterable[str]) -> None:
        """
        Forget topics that are there again.

        Raises:
            MirrorError: At least one was not written; writing all of them again does no harm.
        """
        self._topic.write(InternalRecord(key=gone_topic_key(name), value=None) for name in topics)


@contextmanager
def open_deletion_log(
    config: FlowConfig, admin: ClusterAdmin, rdkafka: Mapping[str, Any]
) -> Iterator[DeletionLog]:
    """
    Open the log with clients of its own, until the context ends.

    Args:
        config: The flow.
        admin: The target's control plane.
        rdkafka: librdkafka settings for the target.
    """
    cluster, timeout_s = f"cluster {config.flow.target}", config.admin_timeout_s
    with (
        RecordReader(rdkafka, cluster=cluster, timeout_s=timeout_s) as reader,
        InternalWriter(rdkafka, cluster=cluster, timeout_s=timeout_s) as writer,
    ):
        yield DeletionLog(config, admin, reader, writer)


def read_deletions(
    config: FlowConfig, admin: ClusterAdmin, rdkafka: Mapping[str, Any]
) -> Deletions:
    """
    Return what is known; without the right to read it, that is nothing.

    Args:
        config: The flow.
        admin: The target's control plane.
        rdkafka: librdkafka settings for the target.

    Raises:
        ClusterError: The topic could not be read.
    """
    topic = deletions_topic(config.flow)
    if config.policy.merges or admin.topic(topic) is None:
        return Deletions()
    cluster, timeout_s = f"cluster {config.flow.target}", config.admin_timeout_s
    with RecordReader(rdkafka, cluster=cluster, timeout_s=timeout_s) as reader:
        try:
            return Deletions().with_records(_read(FollowedTopic(topic, admin, reader)))
        except NotAuthorized:
            return Deletions()


def _read(topic: FollowedTopic) -> list[GoneTopic | KnownSource | str]:
    """Return what has come since it was read last."""
    found: list[GoneTopic | KnownSource | str] = []

    def take(key: bytes | None, value: bytes | None, _at_ms: int) -> None:
        record = decode_deletion(key, value)
        if record is not None:
            found.append(record)

    topic.read(take)
    return found

"""
Where Connect keeps a flow's positions: read to take over, and written so that it can take back.

MirrorMaker 2 as a connector may have several such topics: one of the connector's own
(`offsets.storage.topic`), and the workers' (`offset.storage.topic`), perhaps on a third cluster.
Connect looks into the connector's own first, and then into the workers'. So does this: what is
known of a partition is the first that is found. kmirror writes to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connect_offsets import (
    ConnectOffsetsWriter,
    StoredPositions,
    read_connect_offsets,
)
from kmirror.config.flows import FlowConfig
from kmirror.config.offsets_places import OffsetsPlace
from kmirror.ends.offsets_topic import make_offsets_topic
from kmirror.errors import ClusterError, ClusterUnavailable
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.wire.connect_offsets import ConnectOffset

_WORKERS = "the Connect workers' cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A cluster that has such a topic: its control plane, its settings, its name for messages."""

    admin: ClusterAdmin
    rdkafka: Mapping[str, Any]
    name: str


def read_copies(
    config: FlowConfig, target: ClusterAdmin, rdkafka: Mapping[str, Any]
) -> StoredPositions:
    """
    Return what Connect would know of a flow's positions.

    Args:
        config: The flow.
        target: The target's control plane.
        rdkafka: librdkafka settings for the target.

    Raises:
        ClusterError: One of the topics could not be read to its end: nothing is known then.
    """
    timeout_s = config.admin_timeout_s
    ours = read_connect_offsets(target, rdkafka, config.offset_storage_topic, timeout_s=timeout_s)
    positions = dict(ours.positions)
    for place in reversed(config.other_offsets_places):
        with _side(config, place, target, rdkafka) as side:
            found = read_connect_offsets(
                side.admin, side.rdkafka, place.topic, cluster=side.name, timeout_s=timeout_s
            )
        positions |= found.positions
    return replace(ours, positions=positions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondCopy:
    """
    What to write.

    Args:
        positions: Next source offsets by key; 0 removes a key's position.
        generation: The flow's generation, for the header.
        timeout_s: Deadline for each topic, seconds.
    """

    positions: Sequence[tuple[ConnectOffset, int]]
    generation: int
    timeout_s: float

    def write(self, side: _Side, topic: str, partitions: int) -> None:
        """Write it to one topic."""
        with ConnectOffsetsWriter(
            side.rdkafka,
            topic,
            partitions=partitions,
            generation=self.generation,
            cluster=side.name,
            timeout_s=self.timeout_s,
        ) as writer:
            writer.write(self.positions)


def write_copies(
    config: FlowConfig,
    target: ClusterAdmin,
    rdkafka: Mapping[str, Any],
    copy: SecondCopy,
    *,
    partitions: int,
) -> None:
    """
    Write positions wherever Connect would look for them, and wait until they are safe.

    Args:
        config: The flow.
        target: The target's control plane.
        rdkafka: librdkafka settings for the target.
        copy: What to write.
        partitions: How many partitions `offset_storage_topic` has.

    Raises:
        ClusterError: At least one was not written; writing all of them again does no harm.
    """
    ours = _Side(admin=target, rdkafka=rdkafka, name="target")
    copy.write(ours, config.offset_storage_topic, partitions)
    failed: list[ClusterError] = []
    # Where Connect looks first is written last: what is taken away is not found again elsewhere.
    for place in reversed(config.other_offsets_places):
        try:
            with _side(config, place, target, rdkafka) as side:
                copy.write(side, place.topic, _partitions(config, place, side))
        except ClusterError as error:
            failed.append(error)
    if failed:
        raise failed[0]


def _partitions(config: FlowConfig, place: OffsetsPlace, side: _Side) -> int:
    """Return how many a topic has; a connector's own is made, as Connect makes it."""
    if place.client is None:
        return make_offsets_topic(config, side.admin, place.topic)
    state = side.admin.topic(place.topic)
    if state is None:
        raise ClusterUnavailable(f"{side.name}: there is no topic {place.topic}")
    return state.partitions


@contextmanager
def _side(
    config: FlowConfig, place: OffsetsPlace, target: ClusterAdmin, rdkafka: Mapping[str, Any]
) -> Iterator[_Side]:
    if place.client is None:
        yield _Side(admin=target, rdkafka=rdkafka, name="target")
        return
    settings = librdkafka_settings(place.client)
    timeout_s = config.admin_request_timeout_s
    with KafkaAdmin("of the Connect workers", settings, timeout_s=timeout_s) as admin:
        yield _Side(admin=admin, rdkafka=settings, name=_WORKERS)

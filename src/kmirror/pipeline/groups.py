"""Consumer groups through Kafka's own admin client (`io.kmirror.Groups`): many in one request."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from kmirror.admin.groups import GroupOffsets
from kmirror.config.client_properties import ClientProperties
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.pipeline.java_errors import translated
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.plans.snapshot import GroupPosition, GroupState


class JvmGroups:
    """
    A `GroupAdmin` in a JVM.

    Args:
        jvm: The JVM, with the connector on its class path.
        alias: The cluster's alias, for messages.
        properties: Java client properties of an admin client.
        timeout_s: Deadline of every call, seconds.
    """

    @calling_jvm()
    def __init__(
        self, jvm: Any, alias: str, properties: ClientProperties, *, timeout_s: float
    ) -> None:
        self._name = f"cluster {alias} ({properties.get('bootstrap.servers', 'no address')})"
        settings = json.dumps(properties.reveal())
        self._groups = jvm.io.kmirror.Groups(settings, int(timeout_s * 1000))
        # A thousand groups have the same partitions.
        self._places: dict[tuple[str, int], TopicPartition] = {}

    @calling_jvm()
    def groups(self) -> Mapping[str, GroupState]:
        """Give every group that this principal may see."""
        answer = json.loads(self._groups.list())
        if isinstance(answer, dict):
            raise self._translated(answer, "list groups")
        return {
            entry["group"]: GroupState(
                name=entry["group"],
                kind=entry["type"],
                protocol=entry["protocol"],
                state=entry["state"],
            )
            for entry in answer
        }

    @calling_jvm()
    def offsets(self, groups: Collection[str]) -> GroupOffsets:
        """Give the committed offsets of *groups*."""
        answer = json.loads(self._groups.offsets(json.dumps(sorted(groups))))
        positions, failed = {}, {}
        for group, rows in answer.items():
            if isinstance(rows, dict):
                failed[group] = self._translated(rows, f"read the offsets of group {group}")
            else:
                positions[group] = dict(map(self._position, rows))
        return GroupOffsets(positions=positions, failed=failed)

    @calling_jvm()
    def commit(
        self, positions: Mapping[str, Mapping[TopicPartition, GroupPosition]]
    ) -> Mapping[str, ClusterError]:
        """Commit offsets for groups without members."""
        order = {
            group: [[tp.topic, tp.partition, at.offset, at.metadata] for tp, at in offsets.items()]
            for group, offsets in positions.items()
        }
        answer = json.loads(self._groups.commit(json.dumps(order)))
        return {
            group: self._translated(failure, f"commit offsets for group {group}")
            for group, failure in answer.items()
        }

    @calling_jvm()
    def close(self) -> None:
        """Let go of connections."""
        self._groups.close()

    def _position(self, row: list[Any]) -> tuple[TopicPartition, GroupPosition]:
        topic, partition, offset, metadata, epoch = row
        place = self._places.get((topic, partition))
        if place is None:
            place = self._places[topic, partition] = TopicPartition(topic, partition)
        return place, GroupPosition(
            offset=offset, metadata=metadata, leader_epoch=None if epoch < 0 else epoch
        )

    def _translated(self, failure: Mapping[str, str], doing: str) -> ClusterError:
        return translated(failure, self._name, doing)

"""Consumer groups through Kafka's own admin client (`io.kmirror.Groups`): many in one request."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from kmirror.admin.connection import cluster_name
from kmirror.admin.group_admin import GroupOffsets
from kmirror.config.client_properties import ClientProperties
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.pipeline.java_errors import translated
from kmirror.pipeline.jvm_calls import CallThread, calling_jvm
from kmirror.plans.snapshot import GroupPosition, GroupState
from kmirror.waits import waiting


class JvmGroups:
    """
    A `GroupAdmin` in a JVM.

    Args:
        jvm: The JVM, with the connector on its class path.
        alias: The cluster's alias, for messages.
        properties: Java client properties of an admin client.
        timeout_s: Deadline of every call, seconds.
    """

    def __init__(
        self, jvm: Any, alias: str, properties: ClientProperties, *, timeout_s: float
    ) -> None:
        self._name = cluster_name(alias, properties)
        settings = json.dumps(properties.reveal())
        timeout_ms = int(timeout_s * 1000)
        self._thread = CallThread(
            "kmirror-groups", lambda: jvm.io.kmirror.Groups(settings, timeout_ms)
        )
        with calling_jvm(), waiting("for Java", "start Kafka's own client"):
            self._thread.call(lambda _: None)
        # A thousand groups have the same partitions.
        self._places: dict[tuple[str, int], TopicPartition] = {}

    def groups(self) -> Mapping[str, GroupState]:
        """Return every group that this principal may see."""
        answer = self._call("list groups", lambda groups: groups.list())
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

    def offsets(self, groups: Collection[str]) -> GroupOffsets:
        """Return the committed offsets of *groups*."""
        doing = f"read the offsets of {len(groups)} groups"
        names = json.dumps(sorted(groups))
        answer = self._call(doing, lambda asked: asked.offsets(names))
        positions, failed = {}, {}
        for group, rows in answer.items():
            if isinstance(rows, dict):
                failed[group] = self._translated(rows, f"read the offsets of group {group}")
            else:
                positions[group] = dict(map(self._position, rows))
        return GroupOffsets(positions=positions, failed=failed)

    def commit(
        self, positions: Mapping[str, Mapping[TopicPartition, GroupPosition]]
    ) -> Mapping[str, ClusterError]:
        """Commit offsets for groups without members."""
        order = {
            group: [[tp.topic, tp.partition, at.offset, at.metadata] for tp, at in offsets.items()]
            for group, offsets in positions.items()
        }
        doing = f"commit offsets for {len(order)} groups"
        text = json.dumps(order)
        answer = self._call(doing, lambda asked: asked.commit(text))
        return {
            group: self._translated(failure, f"commit offsets for group {group}")
            for group, failure in answer.items()
        }

    def close(self) -> None:
        """Let go of connections, unless an answer is still waited for: they end with the JVM."""
        self._thread.close()

    def _call(self, doing: str, call: Callable[[Any], str]) -> Any:
        with calling_jvm(), waiting(f"for {self._name}", doing):
            return json.loads(self._thread.call(call))

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

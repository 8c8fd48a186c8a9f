"""A replication policy behind which transforms give the copies other names."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.policy.replication import ReplicationPolicy
from kmirror.policy.routes import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedPolicy:
    """
    What routes make of the names of another policy, which goes on to read names of the source.

    A copy's name no longer tells where it came from, so it is treated as with identity names: in a
    circle of flows records would go round, and no copy is ever deleted. Heartbeats keep the names
    by which MirrorMaker 2's clients find clusters, and do not mix with the target's own.

    Args:
        base: The policy of the flow.
        routes: In the order in which they are applied.
    """

    base: ReplicationPolicy
    routes: tuple[Route, ...]

    @property
    def names_carry_source(self) -> bool:
        return False

    @property
    def merges(self) -> bool:
        return False

    def format_remote_topic(self, source_alias: str, topic: str) -> str:
        name = self.base.format_remote_topic(source_alias, topic)
        if not self.base.is_heartbeats_topic(topic):
            for route in self.routes:
                name = route.renamed(name)
        return name

    def topic_source(self, topic: str) -> str | None:
        return self.base.topic_source(topic)

    def upstream_topic(self, topic: str) -> str | None:
        return self.base.upstream_topic(topic)

    def original_topic(self, topic: str) -> str:
        return self.base.original_topic(topic)

    def offset_syncs_topic(self, other_alias: str) -> str:
        return self.base.offset_syncs_topic(other_alias)

    def checkpoints_topic(self, source_alias: str) -> str:
        return self.base.checkpoints_topic(source_alias)

    def is_heartbeats_topic(self, topic: str) -> bool:
        return self.base.is_heartbeats_topic(topic)

    def is_checkpoints_topic(self, topic: str) -> bool:
        return self.base.is_checkpoints_topic(topic)

    def is_mm2_internal_topic(self, topic: str) -> bool:
        return self.base.is_mm2_internal_topic(topic)

    def is_internal_topic(self, topic: str) -> bool:
        return self.base.is_internal_topic(topic)

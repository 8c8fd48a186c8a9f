"""Which topics a flow copies, and in words why it does not copy the others."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.model import Flow
from kmirror.policy.filters import NameFilter
from kmirror.policy.replication import ReplicationPolicy
from kmirror.policy.upstream import sources_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSelection:
    """
    The topics of one flow (`MirrorSourceConnector.shouldReplicateTopic`).

    Args:
        flow: From where to where.
        filter: What the user named.
        policy: How topics are called.
        heartbeats_replication: Copy heartbeats topics whatever the filter says (KIP-1089).
    """

    flow: Flow
    filter: NameFilter
    policy: ReplicationPolicy
    heartbeats_replication: bool = True

    def selects(self, topic: str) -> bool:
        """Whether *topic* of the source is copied."""
        return self.refusal(topic) is None

    def remote_topic(self, topic: str) -> str:
        """Return the name of *topic* on the target."""
        return self.policy.format_remote_topic(self.flow.source, topic)

    def is_cycle(self, topic: str) -> bool:
        """
        Whether *topic* has been on the target, or on the source, before.

        The target is MM2's old rule; the source came with Kafka 4.4 (KAFKA-9914), for
        policies whose names tell.
        """
        ends = {self.flow.target}
        if self.policy.names_carry_source:
            ends.add(self.flow.source)
        return any(source in ends for source in sources_of(topic, self.policy))

    def refusal(self, topic: str) -> str | None:
        """Why *topic* is not copied, in words; None when it is."""
        heartbeats = self.heartbeats_replication and self.policy.is_heartbeats_topic(topic)
        if not heartbeats and self.filter.excludes(topic):
            return "topics.exclude names it"
        if not heartbeats and not self.filter.includes(topic):
            return "topics does not name it"
        if self.policy.is_internal_topic(topic):
            return "it is an internal topic"
        if self.is_cycle(topic):
            return (
                f"it came from {self.flow.target} or {self.flow.source}: copying it would be a loop"
            )
        return None

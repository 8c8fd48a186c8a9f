"""Which topics a flow copies, and in words why it does not copy the others."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kmirror.model import Flow
from kmirror.policy.filters import NameFilter
from kmirror.policy.poison import is_dlq_topic
from kmirror.policy.replication import ReplicationPolicy
from kmirror.policy.upstream import sources_of

EVENTS_TOPIC = "kmirror-events"
"""Where kmirror tells of gaps, on a target: it never goes elsewhere."""


CANARY_PREFIX = "__kmirror-canary-"
"""What the topic of a flow's canary begins with, on the source: no other flow takes it on."""


def generation_name(first: str, number: int) -> str:
    """
    Return the name of a generation of a copy.

    Args:
        first: The first one's name.
        number: Which one.
    """
    return first if number == 1 else f"{first}.g{number}"


def is_generation_name(name: str) -> bool:
    """Whether *name* may be that of a later generation of some copy."""
    return re.search(r"\.g[1-9][0-9]*$", name) is not None


def generation_names(first: str, number: int) -> tuple[str, ...]:
    """Return the names of all generations up to one, without the first one's."""
    return tuple(generation_name(first, each) for each in range(2, number + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSelection:
    """
    The topics of one flow (`MirrorSourceConnector.shouldReplicateTopic`).

    Args:
        flow: From where to where.
        filter: What the user named.
        policy: How topics are called.
        heartbeats_replication: Copy heartbeats topics whatever the filter says (KIP-1089).
        canary_topic: The topic of the flow's own canary, copied whatever the filter says; may be
            empty.
        generations: Topics of the source whose copies are not the first ones, with the numbers of
            these.
    """

    flow: Flow
    filter: NameFilter
    policy: ReplicationPolicy
    heartbeats_replication: bool = True
    canary_topic: str = ""
    generations: tuple[tuple[str, int], ...] = ()

    def selects(self, topic: str) -> bool:
        """Whether *topic* of the source is copied."""
        return self.refusal(topic) is None

    def remote_topic(self, topic: str) -> str:
        """Return the name of *topic* on the target, in the generation that its copy is in."""
        return generation_name(self.first_copy(topic), self.generation(topic))

    def first_copy(self, topic: str) -> str:
        """Return the name that the first copy of *topic* has on the target."""
        return self.policy.format_remote_topic(self.flow.source, topic)

    def generation(self, topic: str) -> int:
        """Return the number of the generation that the copy of *topic* is in."""
        return next((number for name, number in self.generations if name == topic), 1)

    def upstream_topic(self, copy: str) -> str:
        """Return the topic of the source that a topic of the target is a copy of."""
        for topic, number in self.generations:
            if copy in generation_names(self.first_copy(topic), number):
                return topic
        return self.policy.upstream_topic(copy) or copy

    def _taken_by(self, topic: str) -> str | None:
        """Return the other topic of whose copy a generation has the name that *topic* would."""
        copy = self.first_copy(topic)
        for other, number in self.generations:
            if other != topic and copy in generation_names(self.first_copy(other), number):
                return other
        return None

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
        if CANARY_PREFIX in topic:
            is_own = topic == self.canary_topic
            return self._clash(topic) if is_own else "it is the topic of another flow's canary"
        heartbeats = self.heartbeats_replication and self.policy.is_heartbeats_topic(topic)
        if not heartbeats and self.filter.excludes(topic):
            return "topics.exclude names it"
        if not heartbeats and not self.filter.includes(topic):
            return "topics does not name it"
        return self._internal(topic) or self._clash(topic)

    def _internal(self, topic: str) -> str | None:
        """Why nobody wants *topic* elsewhere."""
        if self.policy.is_internal_topic(topic) or topic == EVENTS_TOPIC:
            return "it is an internal topic"
        return "it is a topic for dead letters" if is_dlq_topic(topic) else None

    def _clash(self, topic: str) -> str | None:
        """Why *topic* must not be copied although somebody wants it."""
        if (other := self._taken_by(topic)) is not None:
            return f"its name on the target is that of a generation of the copy of {other}"
        if self.is_cycle(topic):
            return (
                f"it came from {self.flow.target} or {self.flow.source}: copying it would be a loop"
            )
        return None

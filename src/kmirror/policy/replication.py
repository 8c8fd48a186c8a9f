"""
How topics are named on the target, and what a name says about where a topic came from.

The rules are those of Kafka's `ReplicationPolicy`, `DefaultReplicationPolicy` and
`IdentityReplicationPolicy`, version 4.3, quirks included: names decide what is copied,
so a difference here would be data copied twice or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

HEARTBEATS_TOPIC = "heartbeats"


class ReplicationPolicy(Protocol):
    """The names of topics on both sides of a flow."""

    @property
    def names_carry_source(self) -> bool:
        """Whether a remote topic's name says which cluster it came from."""
        ...

    @property
    def merges(self) -> bool:
        """Whether several topics become one."""
        ...

    def format_remote_topic(self, source_alias: str, topic: str) -> str:
        """Return the name on the target of *topic* of *source_alias*."""
        ...

    def topic_source(self, topic: str) -> str | None:
        """Return the alias that *topic* came from; None if it does not look remote."""
        ...

    def upstream_topic(self, topic: str) -> str | None:
        """Return the name of *topic* on the cluster it came from; None if it looks local."""
        ...

    def original_topic(self, topic: str) -> str:
        """Return the name of *topic* on the cluster where it was first written."""
        ...

    def offset_syncs_topic(self, other_alias: str) -> str:
        """Return the offset-syncs topic on one end of a flow, by the alias of the *other* end."""
        ...

    def checkpoints_topic(self, source_alias: str) -> str:
        """Return the topic on the target that holds checkpoints of the source's groups."""
        ...

    def is_heartbeats_topic(self, topic: str) -> bool:
        """Whether *topic* is a heartbeats topic, of this cluster or of one upstream."""
        ...

    def is_checkpoints_topic(self, topic: str) -> bool:
        """Whether *topic* holds MM2's checkpoints."""
        ...

    def is_mm2_internal_topic(self, topic: str) -> bool:
        """Whether *topic* belongs to MM2 itself."""
        ...

    def is_internal_topic(self, topic: str) -> bool:
        """Whether *topic* is never mirrored: MM2's own, `__…` or `.…`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultReplicationPolicy:
    """
    Remote topics are named `<source alias><separator><topic>`.

    Args:
        separator: `replication.policy.separator`.
        internal_separator: What stands between the parts of internal topic names: the
            separator, or `.` with `replication.policy.internal.topic.separator.enabled=false`.
    """

    separator: str = "."
    internal_separator: str = "."

    def __post_init__(self) -> None:
        assert self.separator, "an empty separator separates nothing"

    @property
    def names_carry_source(self) -> bool:
        return True

    @property
    def merges(self) -> bool:
        return False

    def format_remote_topic(self, source_alias: str, topic: str) -> str:
        return f"{source_alias}{self.separator}{topic}"

    def topic_source(self, topic: str) -> str | None:
        # Java's split drops trailing empty parts, not leading ones: `a.` is not remote, `.b` is.
        parts = topic.split(self.separator)
        while parts and not parts[-1]:
            parts.pop()
        return parts[0] if len(parts) > 1 else None

    def upstream_topic(self, topic: str) -> str | None:
        source = self.topic_source(topic)
        return None if source is None else topic[len(source) + len(self.separator) :]

    def original_topic(self, topic: str) -> str:
        upstream = self.upstream_topic(topic)
        while upstream is not None and upstream != topic:
            topic, upstream = upstream, self.upstream_topic(upstream)
        return topic

    def offset_syncs_topic(self, other_alias: str) -> str:
        between = self.internal_separator
        return f"mm2-offset-syncs{between}{other_alias}{between}internal"

    def checkpoints_topic(self, source_alias: str) -> str:
        between = self.internal_separator
        return f"{source_alias}{between}checkpoints{between}internal"

    def is_heartbeats_topic(self, topic: str) -> bool:
        return self.original_topic(topic) == HEARTBEATS_TOPIC

    def is_checkpoints_topic(self, topic: str) -> bool:
        return topic.endswith(
            f"{self.internal_separator}checkpoints{self.internal_separator}internal"
        )

    def is_mm2_internal_topic(self, topic: str) -> bool:
        ours = topic.startswith("mm2") and topic.endswith(f"{self.internal_separator}internal")
        return ours or self.is_checkpoints_topic(topic)

    def is_internal_topic(self, topic: str) -> bool:
        return self.is_mm2_internal_topic(topic) or topic.startswith(("__", "."))


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityReplicationPolicy(DefaultReplicationPolicy):
    """
    Remote topics keep their names; only heartbeats are prefixed.

    Any name *ending* in `heartbeats` counts as heartbeats, as in Kafka, so a topic
    `my-heartbeats` is prefixed too.

    Args:
        source_alias: The source of the flow; every other topic is taken to come from it.
    """

    source_alias: str | None = None

    @property
    def names_carry_source(self) -> bool:
        return False

    # No zero-argument super() below: it does not work in the copy that `slots=True` makes.
    def format_remote_topic(self, source_alias: str, topic: str) -> str:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultReplicationPolicy.format_remote_topic(self, source_alias, topic)
        return topic

    def topic_source(self, topic: str) -> str | None:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultReplicationPolicy.topic_source(self, topic)
        return self.source_alias

    def upstream_topic(self, topic: str) -> str | None:
        if topic.endswith(HEARTBEATS_TOPIC):
            return DefaultReplicationPolicy.upstream_topic(self, topic)
        return topic


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasPolicy(DefaultReplicationPolicy):
    """
    Every topic becomes a part of one topic of the same cluster.

    Args:
        name: That topic.
    """

    name: str

    @property
    def names_carry_source(self) -> bool:
        return False

    @property
    def merges(self) -> bool:
        return True

    def format_remote_topic(self, source_alias: str, topic: str) -> str:  # noqa: ARG002  # of the protocol
        return self.name

    def topic_source(self, topic: str) -> str | None:  # noqa: ARG002  # of the protocol
        return None

    def upstream_topic(self, topic: str) -> str | None:  # noqa: ARG002  # of the protocol
        return None

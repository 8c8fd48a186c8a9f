"""What a cluster's topic names say about the clusters upstream (`MirrorClient`); pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kmirror.policy.replication import ReplicationPolicy


def sources_of(topic: str, policy: ReplicationPolicy) -> Iterator[str]:
    """Yield the clusters that *topic* came through, the nearest first."""
    while (source := policy.topic_source(topic)) is not None:
        yield source
        upstream = policy.upstream_topic(topic)
        if upstream is None or upstream == topic:  # names that stay the same do not tell
            return
        topic = upstream


def heartbeats_topics(topics: Iterable[str], policy: ReplicationPolicy) -> tuple[str, ...]:
    """Return the heartbeats topics, by name."""
    return tuple(sorted(filter(policy.is_heartbeats_topic, topics)))


def upstream_clusters(topics: Iterable[str], policy: ReplicationPolicy) -> tuple[str, ...]:
    """Return the clusters whose heartbeats have come here, by alias."""
    beats = heartbeats_topics(topics, policy)
    return tuple(sorted({source for topic in beats for source in sources_of(topic, policy)}))


def replication_hops(topics: Iterable[str], policy: ReplicationPolicy, alias: str) -> int | None:
    """Return the number of flows from *alias* to this cluster; `None` if there is no way."""
    ways = (list(sources_of(topic, policy)) for topic in heartbeats_topics(topics, policy))
    return min((way.index(alias) + 1 for way in ways if alias in way), default=None)


def remote_topics(
    topics: Iterable[str], policy: ReplicationPolicy, source: str | None = None
) -> tuple[str, ...]:
    """Return the topics that came from elsewhere, or from *source*, by name."""
    return tuple(
        sorted(
            topic
            for topic in topics
            if not policy.is_internal_topic(topic)
            and (came_from := policy.topic_source(topic)) is not None
            and source in {None, came_from}
        )
    )

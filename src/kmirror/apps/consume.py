"""
How an application reads a topic that is mirrored: its local part and the parts from elsewhere.

    pattern = subscription("payment-events", clusters=["kafka-a", "kafka-b"])
    consumer.subscribe([pattern])                    # confluent-kafka
    consumer.subscribe(Pattern.compile(pattern))     # Java, after str.removeprefix("^")

On each cluster the same pattern means all of the topic's records, whatever came from where; so an
application that moves to another cluster takes it along unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kmirror.policy.replication import DefaultReplicationPolicy, ReplicationPolicy
from kmirror.policy.upstream import sources_of


def subscription(
    topic: str, *, clusters: Sequence[str], separator: str = ".", hops_max: int = 1
) -> str:
    """
    Return the regular expression of a topic and its copies from other clusters.

    Args:
        topic: Its name where it is written.
        clusters: The aliases it may come from; others' topics of that name are left out.
        separator: `replication.policy.separator`.
        hops_max: Over how many flows it may have come.

    Returns:
        A pattern that matches whole names, beginning with `^`, as librdkafka wants it; it means
        the same in Python, Java and Go.

    Raises:
        ValueError: There is no such topic name, or no alias, or no hop.
    """
    _check_topic(topic)
    if not clusters or not all(re.fullmatch(r"[A-Za-z0-9._-]+", alias) for alias in clusters):
        raise ValueError(f"expected aliases of clusters, not {list(clusters)!r}")
    if hops_max < 1:
        raise ValueError(f"expected one hop at least, not {hops_max}")
    # An alias may begin like another one.
    longest_first = sorted(set(clusters), key=lambda alias: (-len(alias), alias))
    aliases = "|".join(map(_quoted, longest_first))
    return f"^(({aliases}){_quoted(separator)}){{0,{hops_max}}}{_quoted(topic)}$"


def exactly(topic: str) -> str:
    """
    Return the regular expression of one topic: where copies have the name of the original.

    Args:
        topic: Its name.

    Raises:
        ValueError: There is no such topic name.
    """
    _check_topic(topic)
    return f"^{_quoted(topic)}$"


def parts(
    topic: str, topics: Iterable[str], *, policy: ReplicationPolicy | None = None
) -> dict[tuple[str, ...], str]:
    """
    Return the parts of a topic that a cluster has.

    Args:
        topic: Its name where it is written.
        topics: The cluster's topics.
        policy: How remote topics are named; MirrorMaker 2's default without.

    Returns:
        Its names by the clusters they came through, the nearest first; the local one by `()`.
    """
    naming = policy or DefaultReplicationPolicy()
    found: dict[tuple[str, ...], str] = {}
    for name in topics:
        if name == topic:
            found[()] = name
        elif naming.original_topic(name) == naming.original_topic(topic) and name.endswith(topic):
            found[tuple(sources_of(name.removesuffix(topic) + "t", naming))] = name
    return found


def _check_topic(topic: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,249}", topic):
        raise ValueError(f"{topic!r} is no topic's name")


def _quoted(text: str) -> str:
    """Quote what means something in any dialect; `re.escape` quotes more than Java takes."""
    return re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", text)

"""Whether a cluster's clocks go ahead of this machine's, as far as its brokers write times."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.plans.clocks import SKEW_MS, STAMP_SETTING, STAMPED_BY_BROKERS, ahead_ms
from kmirror.plans.snapshot import TopicState, settings_of

TOPICS_MAX = 200
PARTITIONS_MAX = 1_000
"""Of more, those that come first by name are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterClock:
    """
    What is known of the clocks of a cluster's brokers.

    Args:
        ahead_s: At least so many seconds one of them is ahead of this machine's; 0 where none is
            by more than a second, `None` where that is not known.
        why_unknown: Why it is not; empty where it is.
    """

    ahead_s: float | None = None
    why_unknown: str = ""


def ask_clock(admin: ClusterAdmin, clock: Clock) -> ClusterClock:
    """
    Ask a cluster for the newest times that its brokers have written.

    Args:
        admin: Its control plane.
        clock: Where time comes from.

    Raises:
        ClusterError: It does not answer, or does not tell which topics it has.
    """
    topics = admin.topics()
    names = [name for name in sorted(topics) if not topics[name].internal][:TOPICS_MAX]
    entries = admin.readable_topic_configs(names).entries
    types = {name: settings_of(found).get(STAMP_SETTING) for name, found in entries.items()}
    stamped = [topics[name] for name, kind in types.items() if kind == STAMPED_BY_BROKERS]
    if not stamped:
        return ClusterClock(
            why_unknown=f"brokers write no times: no topic has {STAMP_SETTING} = "
            f"{STAMPED_BY_BROKERS}, or its settings may not be read"
        )
    newest = newest_times(admin, stamped, PARTITIONS_MAX)
    if not newest:
        return ClusterClock(
            why_unknown=f"topics with {STAMP_SETTING} = {STAMPED_BY_BROKERS} hold no records, or "
            "brokers older than 3.0 cannot tell (KIP-734)"
        )
    now_ms = clock.wall_ms()
    most_ms = max(ahead_ms(at_ms, types[name], now_ms) or 0 for name, at_ms in newest.items())
    return ClusterClock(ahead_s=most_ms / 1000 if most_ms > SKEW_MS else 0.0)


def newest_times(
    admin: ClusterAdmin, topics: Collection[TopicState], partitions_max: int | None = None
) -> Mapping[str, int]:
    """
    Return the largest timestamps of topics; those without records are left out.

    Args:
        admin: The control plane of their cluster.
        topics: They.
        partitions_max: Of more partitions, those that come first are asked; `None` for all.
    """
    found: dict[str, int] = {}
    partitions = [TopicPartition(t.name, at) for t in topics for at in range(t.partitions)]
    try:
        for place, at_ms in admin.newest_ms(partitions[:partitions_max]).items():
            found[place.topic] = max(at_ms, found.get(place.topic, at_ms))
    except ClusterError:
        return {}  # brokers older than 3.0 cannot tell (KIP-734)
    return found

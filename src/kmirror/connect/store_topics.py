"""Makes the three topics of a Connect cluster as Connect does, and refuses what it refuses."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_topics import create_internal_topic
from kmirror.clock import Clock
from kmirror.config.worker import StorageTopic
from kmirror.errors import ClusterUnavailable, EnvironmentProblem
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import settings_of
from kmirror.plans.worker_rules import (
    ANOTHER_TOPIC,
    CLEANUP_POLICY,
    COMPACT,
    Storage,
    is_compacted_only,
    wrong_partitions,
    wrong_policy,
)

_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTopics:
    """
    Where a Connect cluster keeps its state, all on the workers' own cluster.

    Args:
        config, offset, status: Its topics.
    """

    config: StorageTopic
    offset: StorageTopic
    status: StorageTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePartitions:
    """
    What these topics have.

    Args:
        config: The one partition of the settings.
        offset, status: How many partitions the others have.
    """

    config: TopicPartition
    offset: tuple[TopicPartition, ...]
    status: tuple[TopicPartition, ...]


def prepare_topics(
    admin: ClusterAdmin, topics: StoreTopics, *, timeout_s: float, clock: Clock
) -> StorePartitions:
    """
    Make the topics that are not there, and look at those that are.

    Args:
        admin: The control plane of the workers' cluster.
        topics: They.
        timeout_s: How long to wait until all brokers know what was made, seconds.
        clock: Where time comes from.

    Raises:
        EnvironmentProblem: One of them cannot hold what it has to; Connect has the same words.
        MirrorError: The cluster refused, or did not answer.
    """
    for kind, topic in (
        (Storage.CONFIG, topics.config),
        (Storage.OFFSET, topics.offset),
        (Storage.STATUS, topics.status),
    ):
        _prepare(admin, kind, topic)
    names = [topic.name for topic in (topics.config, topics.offset, topics.status)]
    counts = _counts(admin, names, timeout_s, clock)
    config, offset, status = (
        tuple(TopicPartition(name, number) for number in range(counts[name])) for name in names
    )
    if len(config) != 1:
        words = wrong_partitions(topics.config.name, len(config))
        raise EnvironmentProblem(words, hint=ANOTHER_TOPIC)
    return StorePartitions(config=config[0], offset=offset, status=status)


def _prepare(admin: ClusterAdmin, kind: Storage, topic: StorageTopic) -> None:
    """Make a topic, unless it is there and as it has to be."""
    create_internal_topic(
        admin,
        topic.name,
        partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        # As in Connect, nobody's setting takes compaction away.
        configs=tuple(each for each in topic.settings if each[0] != CLEANUP_POLICY),
    )
    # Who may not read its settings goes on without: so does Connect.
    entries = admin.readable_topic_configs([topic.name]).entries.get(topic.name, ())
    policy = settings_of(entries).get(CLEANUP_POLICY, COMPACT)
    if not is_compacted_only(policy):
        raise EnvironmentProblem(wrong_policy(kind, topic.name, policy), hint=ANOTHER_TOPIC)


def _counts(
    admin: ClusterAdmin, names: Sequence[str], timeout_s: float, clock: Clock
) -> Mapping[str, int]:
    """Return how many partitions topics have; one that was just made may take a moment."""
    never = threading.Event()
    deadline_s = clock.monotonic_s() + timeout_s
    while True:
        known = admin.topics()
        missing = [name for name in names if name not in known]
        if not missing:
            return {name: known[name].partitions for name in names}
        if clock.monotonic_s() >= deadline_s:
            raise ClusterUnavailable(
                f"the cluster does not tell of {', '.join(missing)}",
                hint="grant Describe on these topics",
            )
        clock.wait(never, _PAUSE_S)

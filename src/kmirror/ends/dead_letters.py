"""The topic for dead letters: what copies from a cluster go on without, and keep."""

from __future__ import annotations

from kmirror.admin.base import ClusterAdmin
from kmirror.config.flows import FlowConfig
from kmirror.errors import ClusterUnavailable, MirrorError, NotAuthorized
from kmirror.plans.topics import NewTopic
from kmirror.policy.poison import dlq_topic

# A record that was too large for its own topic shall fit; brokers take requests up to 100 MiB.
_MESSAGE_BYTES_MAX = 100_000_000
_RETENTION_MS = 365 * 24 * 3600 * 1000
_CONFIGS = (("cleanup.policy", "delete"), ("retention.ms", str(_RETENTION_MS)))


def make_dlq_topic(config: FlowConfig, target: ClusterAdmin) -> str:
    """
    Make the topic for dead letters, unless it is there.

    Args:
        config: A flow from the source.
        target: The target's control plane.

    Returns:
        Its name.

    Raises:
        MirrorError: The target refused.
    """
    topic = dlq_topic(config.flow.source)
    if target.topic(topic) is not None:
        return topic
    large = ("max.message.bytes", str(_MESSAGE_BYTES_MAX))
    try:
        _create(topic, config, target, (*_CONFIGS, large))
    except (NotAuthorized, ClusterUnavailable):
        raise
    except MirrorError:
        # Some clusters limit that setting; what does not fit is cut off then.
        _create(topic, config, target, _CONFIGS)
    return topic


def _create(
    topic: str, config: FlowConfig, target: ClusterAdmin, configs: tuple[tuple[str, str], ...]
) -> None:
    brokers = len(target.describe().brokers)
    new = NewTopic(
        name=topic,
        partitions=1,
        replication_factor=min(config.replication_factor, max(brokers, 1)),
        configs=configs,
    )
    for error in target.create_topics([new]).values():
        raise error

"""When a flow's driver gave a sign of life, as far as its target tells."""

from __future__ import annotations

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.owner_entry import OwnerEntry
from kmirror.config.flows import FlowConfig
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition


def last_sign_ms(config: FlowConfig, target: ClusterAdmin, entry: OwnerEntry | None) -> int | None:
    """
    Return when a driver of a flow last gave a sign of life, milliseconds since the epoch.

    Drivers write the second copy of their positions once a minute, and one that has just begun has
    given a sign, too. `None` when nothing is known, whether a driver runs or not: nothing was ever
    copied, or the brokers are older than Kafka 3.0 (KIP-734).

    Args:
        config: The flow.
        target: The target's control plane.
        entry: Whose the flow is; `None` when nobody ever had it.
    """
    wrote_ms = _wrote_ms(target, config.offset_storage_topic)
    driver = None if entry is None else entry.driver
    return wrote_ms if wrote_ms is None or driver is None else max(wrote_ms, driver.started_ms)


def _wrote_ms(target: ClusterAdmin, topic: str) -> int | None:
    try:
        # It may have been there with another number of partitions than the file wants.
        state = target.topic(topic)
        places = [TopicPartition(topic, n) for n in range(state.partitions if state else 0)]
        return max(target.newest_ms(places).values(), default=None)
    except ClusterError:
        return None

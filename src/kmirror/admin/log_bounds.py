"""Where the log of a partition that exists begins and ends."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from kmirror.admin.base import ClusterAdmin, Isolation
from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable
from kmirror.model import TopicPartition

_LEADER_S_MAX = 5.0
_PAUSE_S = 0.05


def log_start(admin: ClusterAdmin, partition: TopicPartition) -> int:
    """
    Return the first offset of a log.

    Args:
        admin: The control plane of its cluster.
        partition: It; somebody has seen that it exists.

    Raises:
        ClusterUnavailable: Nobody tells, as for a moment after a partition was created: it must
            not be taken for empty.
        ClusterError: The cluster has refused.
    """
    return told(admin.offsets([partition], "earliest"), partition)


def log_end(
    admin: ClusterAdmin, partition: TopicPartition, isolation: Isolation = "read_committed"
) -> int:
    """
    Return the next offset of a log, as its readers see it.

    Args:
        admin, partition: As of `log_start`.
        isolation: Of whom reads it; with `read_committed` it ends before open transactions.

    Raises:
        ClusterError: As `log_start`.
    """
    return told(admin.offsets([partition], isolation=isolation), partition)


def log_end_of_new(admin: ClusterAdmin, partition: TopicPartition, clock: Clock) -> int:
    """
    Return the next offset of a log for readers of committed records, of one that may be just made.

    It has no leader for a moment, which is no trouble of the cluster's.

    Args:
        admin, partition: As of `log_start`.
        clock: Where time comes from.

    Raises:
        ClusterError: As `log_start`.
    """
    deadline_s = clock.monotonic_s() + _LEADER_S_MAX
    never = threading.Event()
    while True:
        ends = admin.offsets([partition], isolation="read_committed")
        if partition in ends or clock.monotonic_s() >= deadline_s:
            return told(ends, partition)
        clock.wait(never, _PAUSE_S)


def told(offsets: Mapping[TopicPartition, int], partition: TopicPartition) -> int:
    """
    Return what a cluster has told of a partition that exists.

    Args:
        offsets: Its answer.
        partition: The partition.

    Raises:
        ClusterUnavailable: There is nothing about it in the answer.
    """
    if partition not in offsets:
        raise ClusterUnavailable(f"no broker tells the offsets of {partition}")
    return offsets[partition]

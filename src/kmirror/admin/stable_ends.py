"""
The ends of partitions once no transaction is pending on what they hold.

A commit is answered before its markers reach every partition: for some milliseconds the records are
decided, but a read_committed reader does not see them yet. Whoever concludes anything from the last
record of a partition has to wait for that, or for an open transaction to end.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.clock import Clock
from kmirror.model import TopicPartition

_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class StableEnds:
    """
    Next offsets as a read_committed reader sees them.

    Args:
        ends: By partition; those that no broker knew are left out.
        pending: Partitions on which a transaction was still open at the deadline.
    """

    ends: Mapping[TopicPartition, int]
    pending: frozenset[TopicPartition]


def stable_ends(
    admin: ClusterAdmin,
    partitions: Iterable[TopicPartition],
    *,
    timeout_s: float,
    clock: Clock,
    partial: bool = False,
) -> StableEnds:
    """
    Wait until everything that is in the logs now is committed or aborted.

    A topic that was created a moment ago has no leader yet: that is waited for, too, unless the
    answer may be *partial*.

    Args:
        admin: The cluster's control plane.
        partitions: Which partitions.
        timeout_s: How long to wait for open transactions and for leaders, seconds.
        clock: Where time comes from.
        partial: Leave out at once what no broker knows: it may be of topics that do not exist.

    Raises:
        ClusterError: The offsets could not be read.
    """
    tps = list(partitions)
    deadline_s = clock.monotonic_s() + timeout_s
    never = threading.Event()
    written: dict[TopicPartition, int] = {}
    while True:
        new = [tp for tp in tps if tp not in written]
        if new:
            written |= admin.offsets(new, "latest", isolation="read_uncommitted", partial=True)
        committed = admin.offsets(tps, "latest", isolation="read_committed", partial=True)
        pending = frozenset(tp for tp, end in committed.items() if end < written.get(tp, 0))
        is_whole = partial or len(committed) == len(tps)
        if (is_whole and not pending) or clock.monotonic_s() >= deadline_s:
            return StableEnds(ends=committed, pending=pending)
        clock.wait(never, _PAUSE_S)

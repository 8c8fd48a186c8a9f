"""The questions and orders that kmirror has for a cluster's consumer groups, many at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from kmirror.config.client_properties import ClientProperties
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, GroupState


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOffsets:
    """
    What groups have committed.

    Args:
        positions: By group, then by partition; a group that was never heard of has none.
        failed: Groups that could not be asked, and why.
    """

    positions: Mapping[str, Mapping[TopicPartition, GroupPosition]]
    failed: Mapping[str, ClusterError]


class GroupAdmin(Protocol):
    """One cluster's consumer groups. Every call has a deadline; one group's trouble is its own."""

    def groups(self) -> Mapping[str, GroupState]:
        """
        Return every group that this principal may see.

        Raises:
            ClusterError: The cluster did not answer, or refused.
        """
        ...

    def offsets(self, groups: Collection[str]) -> GroupOffsets:
        """Return the committed offsets of *groups*; what is pending in transactions is left out."""
        ...

    def commit(
        self, positions: Mapping[str, Mapping[TopicPartition, GroupPosition]]
    ) -> Mapping[str, ClusterError]:
        """
        Commit offsets for groups without members; brokers refuse those that have some.

        Args:
            positions: By group, then by partition.

        Returns:
            The groups that failed, and why.
        """
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


OpenGroups = Callable[[str, ClientProperties, float], GroupAdmin]
"""Opens the groups of a cluster: its name, its clients' properties, and a time-out in seconds."""

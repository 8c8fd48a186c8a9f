"""What the logs of a cluster can be asked besides their offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from kmirror.model import TopicPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceInLog:
    """
    A place in a log, and what tells it from the same place in another log.

    Args:
        offset: The next offset.
        leader_epoch: The leader epoch of what lies right before it.
    """

    offset: int
    leader_epoch: int


class LogAdmin(Protocol):
    """Knows whether the logs of one cluster are still those that were seen before (KIP-320)."""

    def kept(self, places: Mapping[TopicPartition, PlaceInLog]) -> Mapping[TopicPartition, int]:
        """
        Return the offset up to which logs still hold what they held before a place.

        Returns:
            The place's offset, or a smaller one when the log was truncated since; -1 when it is
            another log altogether. A partition whose leader did not answer in time is left out.

        Raises:
            ClusterError: The cluster could not be asked.
        """
        ...

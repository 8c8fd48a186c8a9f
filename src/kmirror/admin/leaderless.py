"""Partitions whose leader does not answer: they are not asked about for a moment."""

from __future__ import annotations

from collections.abc import Iterable

from kmirror.clock import Clock
from kmirror.model import TopicPartition

# While a request waits for a dead leader, librdkafka (2.16) connects to it thousands of times a
# second, on two threads, and keeps back the answers of all the others.
_PAUSE_S = 5.0


class Leaderless:
    """
    What one client has found to be without a leader lately.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until_s: dict[TopicPartition, float] = {}

    def without(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Return those that may be asked about, in order."""
        now_s = self._clock.monotonic_s()
        return sorted(tp for tp in set(partitions) if self._until_s.get(tp, 0.0) <= now_s)

    def note(self, partition: TopicPartition) -> None:
        """Its leader did not answer."""
        self._until_s[partition] = self._clock.monotonic_s() + _PAUSE_S

    def clear(self, partition: TopicPartition) -> None:
        """Its leader answered."""
        self._until_s.pop(partition, None)

"""Partitions whose leader does not answer: they are not asked about for a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kmirror.clock import Clock
from kmirror.model import TopicPartition

# While a request waits for a dead leader, librdkafka (2.16) connects to it a hundred thousand times
# a second, on two threads, and keeps back the answers of all the others. So who stays silent is
# asked less and less often.
_PAUSE_S, _PAUSE_S_MAX = 5.0, 20.0
_NO_LEADER = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pause:
    """One of them, and how long the next one is."""

    until_s: float
    next_s: float


class Leaderless:
    """
    What one client has found to be without a leader lately.

    Args:
        clock: Where time comes from.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pauses: dict[TopicPartition, _Pause] = {}

    def answerable(
        self,
        partitions: Iterable[TopicPartition],
        leaders: Callable[[], Mapping[TopicPartition, int]],
    ) -> list[TopicPartition]:
        """
        Leave out who was silent lately, and who was before and has no leader still.

        Args:
            partitions: Whom somebody wants to ask about.
            leaders: Asks which broker leads each partition; -1 for none now.
        """
        asked = self.without(partitions)
        doubtful = self.noted(asked)
        if not doubtful:
            return asked
        told = leaders()
        headless = {tp for tp in doubtful if told.get(tp, _NO_LEADER) == _NO_LEADER}
        for partition in headless:
            self.note(partition)
        return [tp for tp in asked if tp not in headless]

    def without(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Return those that may be asked about, in order."""
        now_s = self._clock.monotonic_s()
        return sorted(tp for tp in set(partitions) if not self._rests(tp, now_s))

    def _rests(self, partition: TopicPartition, now_s: float) -> bool:
        # One look, and no loop over all of them: other threads of the client note theirs.
        pause = self._pauses.get(partition)
        return pause is not None and now_s < pause.until_s

    def noted(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Return those of which nothing was heard since their leader did not answer."""
        return [tp for tp in partitions if tp in self._pauses]

    def note(self, partition: TopicPartition) -> None:
        """Its leader did not answer."""
        before = self._pauses.get(partition)
        pause_s = _PAUSE_S if before is None else before.next_s
        self._pauses[partition] = _Pause(
            until_s=self._clock.monotonic_s() + pause_s, next_s=min(2 * pause_s, _PAUSE_S_MAX)
        )

    def clear(self, partition: TopicPartition) -> None:
        """Its leader answered."""
        self._pauses.pop(partition, None)

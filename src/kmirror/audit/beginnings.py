"""Where first windows begin, while the exact offset map does not know it yet."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from kmirror.audit.next_window import AuditFacts, PlaceFrom
from kmirror.clock import Clock
from kmirror.ends.translation import Translator
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.offsets.exact import Pair
from kmirror.wire.offset_runs import CHUNK_RECORDS_MAX

# A lane looks every second for whole chunks that it owes the map, and commits them.
_CHUNKS_S_MAX = 5.0
_LOOK_S = 0.25


class Beginnings:
    """
    Finds out where first windows begin.

    What a lane has copied last is written to the exact offset map minutes later, or, when it is a
    whole chunk, within a second or two. Less than a chunk is read on both sides meanwhile. More
    than that is not read: it was copied before there was a map.

    Args:
        translator: Knows the map, and reads both sides.
        clock: Where time comes from.
    """

    def __init__(self, translator: Translator, clock: Clock) -> None:
        self._translator = translator
        self._clock = clock
        # A side may not be read; their windows say that it is not known.
        self._refused: set[TopicPartition] = set()

    def of(self, facts: Iterable[AuditFacts], *, is_over: Callable[[], bool]) -> PlaceFrom:
        """
        Return what looks into the map, and finds out what it lacks of beginnings.

        Args:
            facts: Of the partitions.
            is_over: Whether nothing is to be found out any more: then the map alone is asked.

        Raises:
            ClusterError: What is returned could not read a side.
        """
        starts = {
            each.source: each.log_start for each in facts if each.next is None and each.is_copied
        }
        until_s: float | None = None

        def place_from(partition: TopicPartition, offset: int) -> Pair | None:
            nonlocal until_s
            if starts.get(partition) == offset and not is_over():
                if self._unknown(partition, offset) > CHUNK_RECORDS_MAX:
                    if until_s is None:
                        until_s = self._clock.monotonic_s() + _CHUNKS_S_MAX
                    self._await_chunks(partition, offset, until_s, is_over)
                self._find(partition, offset)
            return self._translator.place_from(partition, offset)

        return place_from

    def _unknown(self, partition: TopicPartition, log_start: int) -> int:
        """Return how many offsets from the log's start on the map does not know."""
        known = self._translator.place_from(partition, log_start)
        return 0 if known is None else known.source - log_start

    def _await_chunks(
        self,
        partition: TopicPartition,
        log_start: int,
        until_s: float,
        is_over: Callable[[], bool],
    ) -> None:
        """Wait until less than a chunk is unknown; all partitions' chunks come together."""
        never = threading.Event()
        while (
            self._unknown(partition, log_start) > CHUNK_RECORDS_MAX
            and self._clock.monotonic_s() < until_s
            and not is_over()
        ):
            self._clock.wait(never, _LOOK_S)
            self._translator.refresh()

    def _find(self, partition: TopicPartition, log_start: int) -> None:
        ask = self._translator
        if not 0 < self._unknown(partition, log_start) <= CHUNK_RECORDS_MAX:
            return
        ask.to_target(partition, log_start)
        if ask.is_settled or partition in self._refused:
            return  # it was asked before, and nobody can tell
        try:
            ask.refresh()
        except ClusterError as error:
            if error.retriable:
                raise
            self._refused.add(partition)

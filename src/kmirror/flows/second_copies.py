"""The second copy of a flow's positions, which MirrorMaker 2 can read: kept up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kmirror.clock import Clock
from kmirror.model import TopicPartition

# Somebody may have made their topic anew.
_WHOLE_INTERVAL_S = 3600.0

WritePositions = Callable[[Mapping[TopicPartition, int]], object]
"""Writes positions, or raises `ClusterError`."""


class SecondCopies:
    """
    The second copy that one generation of a flow writes.

    Args:
        write: Writes it; 0 is no position, and is left out.
        clock: Where time comes from.
    """

    def __init__(self, write: WritePositions, clock: Clock) -> None:
        self._write = write
        self._clock = clock
        self._written: dict[TopicPartition, int] = {}
        self._whole_s: float | None = None

    def write(self, positions: Mapping[TopicPartition, int], *, whole: bool = False) -> None:
        """
        Write what has changed; all of it for the first time, and once an hour.

        Args:
            positions: Next source offsets of all source partitions.
            whole: Write all of it: there will be no other time.

        Raises:
            ClusterError: At least one was not written; it will be the next time.
        """
        now_s = self._clock.monotonic_s()
        whole = whole or self._whole_s is None or now_s - self._whole_s >= _WHOLE_INTERVAL_S
        due = dict(positions) if whole else self._changed(positions)
        self._write(due)
        self._written = dict(positions)
        if whole:
            self._whole_s = now_s

    def _changed(self, positions: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        written = self._written
        changed = {tp: at for tp, at in positions.items() if at and written.get(tp) != at}
        # Those who look on take the newest record for the driver's sign of life.
        return changed or dict([item for item in positions.items() if item[1]][:1])

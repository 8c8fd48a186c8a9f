"""The second copy of a flow's positions, which MirrorMaker 2 can read: kept up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kmirror.clock import Clock
from kmirror.errors import ClusterError
from kmirror.events.emit import emit
from kmirror.events.table import POSITION_COPY_FAILED
from kmirror.model import Flow, TopicPartition

# Somebody may have made their topic anew.
_WHOLE_INTERVAL_S = 3600.0

WritePositions = Callable[[Mapping[TopicPartition, int]], object]
"""Writes positions, or raises `ClusterError`."""


class SecondCopies:
    """
    The second copy that one generation of a flow writes.

    Args:
        flow: The flow.
        write: Writes it; 0 is no position, and is left out.
        check: Raises `Fenced` when a newer driver owns the flow: its copy is not written over.
        clock: Where time comes from.
    """

    def __init__(
        self, flow: Flow, write: WritePositions, *, check: Callable[[], object], clock: Clock
    ) -> None:
        self._flow = flow
        self._write = write
        self._check = check
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
            Fenced: A newer driver owns the flow.
            ClusterError: At least one was not written; it will be the next time.
        """
        self._check()
        now_s = self._clock.monotonic_s()
        whole = whole or self._whole_s is None or now_s - self._whole_s >= _WHOLE_INTERVAL_S
        due = dict(positions) if whole else self._changed(positions)
        self._write(due)
        self._written = dict(positions)
        if whole:
            self._whole_s = now_s

    def write_last(self, positions: Mapping[TopicPartition, int]) -> None:
        """Write all of it; there is no later try, and the group's own positions are what counts."""
        try:
            self.write(positions, whole=True)
        except ClusterError as error:
            emit(POSITION_COPY_FAILED, flow=self._flow, error=error)

    def _changed(self, positions: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        written = self._written
        changed = {tp: at for tp, at in positions.items() if at and written.get(tp) != at}
        # Those who look on take the newest record for the driver's sign of life.
        return changed or dict([item for item in positions.items() if item[1]][:1])

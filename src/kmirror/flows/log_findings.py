"""What lanes have found out about logs, until it is decided."""

from __future__ import annotations

from kmirror.model import TopicPartition
from kmirror.plans.parking import ParkCode
from kmirror.state.status import ParkedPartition

_KINDS = frozenset(
    code.value for code in (ParkCode.DATA_GAP, ParkCode.LOG_TRUNCATED, ParkCode.TARGET_LOST_RECORDS)
)


class LogFindings:
    """Partitions that were parked for a loss, each of which is decided once."""

    def __init__(self) -> None:
        self._open: set[TopicPartition] = set()
        self._decided: set[TopicPartition] = set()

    def __bool__(self) -> bool:
        return bool(self._open)

    def note(
        self, parked: tuple[ParkedPartition, ...], before: tuple[ParkedPartition, ...]
    ) -> None:
        """Add what was parked for a loss since *before*."""
        if parked is not before:
            known = {each.partition for each in before} | self._decided
            self._open |= {each.partition for each in parked if each.kind in _KINDS} - known

    def decided(self) -> None:
        """Note that all of it was decided."""
        self._decided |= self._open
        self._open.clear()

    def forget(self) -> None:
        """Have whatever is found from now on decided again."""
        self._decided.clear()

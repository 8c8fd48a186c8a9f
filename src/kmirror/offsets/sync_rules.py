"""When MirrorMaker 2 would write an offset sync (`OffsetSyncWriter`)."""

from __future__ import annotations

from kmirror.wire.offset_runs import Run


class SyncRules:
    """
    The rules for one partition.

    Args:
        lag_max: `offset.lag.max`: how many target offsets may pass without one.
    """

    def __init__(self, lag_max: int) -> None:
        self._lag_max = lag_max
        self._source = self._target = self._last_sync = -1

    def wants(self, source: int, target: int) -> bool:
        """
        Return whether the record at *source*, which went to *target*, is worth an offset sync.

        It is when it is the first one, when *lag_max* offsets have passed, when records are missing
        before it in the source, and when the target has begun anew.
        """
        due = (
            self._last_sync == -1
            or target - (self._last_sync + 1) >= self._lag_max
            or source - self._source != 1
            or target < self._target
        )
        self._source, self._target = source, target
        if due:
            self._last_sync = target
        return due

    def wants_of(self, run: Run) -> tuple[tuple[int, int], ...]:
        """
        Return the pairs of offsets of a run that are worth one: its first and its last at most.

        MirrorMaker 2 looks at every record, and then writes ten at a time at most; a run is what
        one transaction copied, a tenth of a second.
        """
        found = [(run.source, run.target)] if self.wants(run.source, run.target) else []
        if run.count > 1:
            last = (run.source_end - 1, run.target_end - 1)
            self._source, self._target = last[0] - 1, last[1] - 1
            if self.wants(*last):
                found.append(last)
        return tuple(found)

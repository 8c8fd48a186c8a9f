"""Runs in little memory: millions of them may be known, and few are asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, overload

from kmirror.wire.offset_runs import Run


class RunArray(Sequence[Run]):
    """A sequence of runs, in order. Each takes 24 bytes, and becomes an object when read."""

    __slots__ = ("_counts", "_sources", "_targets")

    def __init__(self, runs: Iterable[Run] = ()) -> None:
        self._sources, self._targets, self._counts = array("q"), array("q"), array("q")
        for run in runs:
            self.append(run)

    def append(self, run: Run) -> None:
        """Add a run behind the others; one that goes on where the last one ends makes it longer."""
        if self._counts:
            last = self[-1]
            if (last.source_end, last.target_end) == (run.source, run.target):
                self._counts[-1] += run.count
                return
        self._sources.append(run.source)
        self._targets.append(run.target)
        self._counts.append(run.count)

    def forget_before(self, source: int) -> None:
        """Drop the runs that end at or before a source offset."""
        drop = self._first_behind(self._sources, source)
        for column in (self._sources, self._targets, self._counts):
            del column[:drop]

    def at_source(self, offset: int) -> Run | None:
        """Return the run that a source offset lies in, or before; `None` behind all of them."""
        return self._at(self._first_behind(self._sources, offset))

    def at_target(self, offset: int) -> Run | None:
        """Return the run that a target offset lies in, or before; `None` behind all of them."""
        return self._at(self._first_behind(self._targets, offset))

    def _first_behind(self, begins: array[int], offset: int) -> int:
        """Return the first run that ends behind an offset of one side; without making objects."""
        at = bisect_right(begins, offset)
        is_inside = at > 0 and offset < begins[at - 1] + self._counts[at - 1]
        return at - 1 if is_inside else at

    def _at(self, at: int) -> Run | None:
        return self[at] if at < len(self) else None

    def __len__(self) -> int:
        return len(self._sources)

    @overload
    def __getitem__(self, at: int) -> Run: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Run]: ...

    def __getitem__(self, at: Any) -> Run | Sequence[Run]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        return Run(self._sources[at], self._targets[at], self._counts[at])

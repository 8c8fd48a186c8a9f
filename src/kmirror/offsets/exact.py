"""
The exact offset map of one partition: any source offset to its target offset, and back.

It is made of chunks (see `wire.offset_runs`). What they cover is answered at once. There may be
holes between them, where a driver died before it had written down what was committed; in a hole the
answer is the nearest pairs on both sides of it, from which records are to be counted, forwards or
backwards.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from kmirror.wire.offset_runs import Chunk, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """
    The same place in both logs: whatever was copied lies before it in both, or in neither.

    Args:
        source: An offset of the source partition.
        target: An offset of the target partition.
    """

    source: int
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """
    Nothing is known of a place, except its neighbours.

    Args:
        before: The last known place before it; `None` when there is none.
        after: The first known place behind it; `None` when there is none.
    """

    before: Pair | None
    after: Pair | None


class ExactMap:
    """
    What is known of one partition.

    Args:
        chunks: Chunks of the same topics, in any order.
        positions: Places that are known besides: what the flow has committed last.
    """

    def __init__(self, chunks: Iterable[Chunk], positions: Iterable[Pair] = ()) -> None:
        written = (_Stretch(c.start, c.end, list(c.runs)) for c in chunks if c.runs)
        places = (_Stretch(p.source, p.source, [Run(p.source, p.target, 0)]) for p in positions)
        self._stretches = _joined(sorted(chain(written, places), key=attrgetter("start", "end")))

    def to_target(self, source: int) -> Pair | Hole:
        """Say where on the target the first copied record at or behind *source* is."""
        at = bisect_right(self._stretches, source, key=attrgetter("start")) - 1
        if at >= 0 and source <= self._stretches[at].end:
            runs = self._stretches[at].runs
            next_run = bisect_right(runs, source, key=attrgetter("source_end"))
            if next_run == len(runs):
                return Pair(source=source, target=runs[-1].target_end)
            run = runs[next_run]
            return Pair(source=source, target=run.target + max(0, source - run.source))
        return self._hole_after(at)

    def to_source(self, target: int) -> Pair | Hole:
        """Say where in the source the first copied record at or behind *target* is."""
        at = bisect_right(self._stretches, target, key=attrgetter("target")) - 1
        if at >= 0 and target <= self._stretches[at].target_end:
            runs = self._stretches[at].runs
            next_run = bisect_right(runs, target, key=attrgetter("target_end"))
            if next_run == len(runs):
                return Pair(source=self._stretches[at].end, target=target)
            run = runs[next_run]
            return Pair(source=run.source + max(0, target - run.target), target=target)
        return self._hole_after(at)

    def _hole_after(self, at: int) -> Hole:
        before = self._stretches[at] if at >= 0 else None
        after = self._stretches[at + 1] if at + 1 < len(self._stretches) else None
        return Hole(
            before=None if before is None else Pair(source=before.end, target=before.target_end),
            after=None if after is None else Pair(source=after.start, target=after.target),
        )


@dataclass(slots=True)
class _Stretch:
    """Source offsets without a hole, from *start* to *end*; at least one run."""

    start: int
    end: int
    runs: list[Run]

    @property
    def target(self) -> int:
        return self.runs[0].target

    @property
    def target_end(self) -> int:
        return self.runs[-1].target_end


def _joined(stretches: Iterable[_Stretch]) -> list[_Stretch]:
    joined: list[_Stretch] = []
    for stretch in stretches:
        last = joined[-1] if joined else None
        if last is None or last.end < stretch.start:
            joined.append(stretch)
        elif last.end == stretch.start:
            last.runs.extend(stretch.runs)
            last.end = stretch.end
        # Otherwise it is an old position, in the middle of what is known.
    return joined

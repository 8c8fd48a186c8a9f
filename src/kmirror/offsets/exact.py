"""
The exact offset map of one partition: any source offset to its target offset, and back.

It is made of chunks (see `wire.offset_runs`). What they cover is answered at once. There may be
holes between them, where a driver died before it had written down what was committed; in a hole the
answer is the nearest pairs on both sides of it, from which records are to be counted, forwards or
backwards.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
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
        written = (_stretch(chunk) for chunk in chunks if chunk.runs)
        places = ([Run(pair.source, pair.target, 0)] for pair in positions)
        self._stretches = _joined(sorted(chain(written, places), key=_borders))

    def to_target(self, source: int) -> Pair | Hole:
        """Say where on the target one goes on who has everything before *source*."""
        run = self._run_at(source, attrgetter("source"), attrgetter("source_end"))
        if isinstance(run, Hole):
            return run
        return Pair(source=source, target=run.target + max(0, source - run.source))

    def to_source(self, target: int) -> Pair | Hole:
        """Say where in the source one goes on who has everything before *target*."""
        run = self._run_at(target, attrgetter("target"), attrgetter("target_end"))
        if isinstance(run, Hole):
            return run
        return Pair(source=run.source + max(0, target - run.target), target=target)

    def _run_at(
        self, offset: int, begin: Callable[[Run], int], end: Callable[[Run], int]
    ) -> Run | Hole:
        """Find the run that *offset* of one side lies in, or before."""
        at = bisect_right(self._stretches, offset, key=lambda runs: begin(runs[0])) - 1
        if at >= 0 and offset <= end(self._stretches[at][-1]):
            runs = self._stretches[at]
            return runs[min(bisect_right(runs, offset, key=end), len(runs) - 1)]
        behind = self._stretches[at + 1 : at + 2]
        return Hole(
            before=_end(self._stretches[at][-1]) if at >= 0 else None,
            after=Pair(source=behind[0][0].source, target=behind[0][0].target) if behind else None,
        )


def _stretch(chunk: Chunk) -> list[Run]:
    """Give a chunk's runs between two empty ones: its borders."""
    begin = Run(chunk.start, chunk.runs[0].target, 0)
    return [begin, *chunk.runs, Run(chunk.end, chunk.runs[-1].target_end, 0)]


def _borders(runs: list[Run]) -> tuple[int, int]:
    return (runs[0].source, runs[-1].source_end)


def _end(run: Run) -> Pair:
    return Pair(source=run.source_end, target=run.target_end)


def _joined(stretches: Iterable[list[Run]]) -> list[list[Run]]:
    """Put those together between which there is no hole."""
    joined: list[list[Run]] = []
    for runs in stretches:
        begin = runs[0].source
        if not joined or joined[-1][-1].source_end < begin:
            joined.append(runs)
        elif joined[-1][-1].source_end == begin:
            joined[-1].extend(runs)
        # Otherwise it is an old position, in the middle of what is known.
    return [_without_borders_inside(runs) for runs in joined]


def _without_borders_inside(runs: list[Run]) -> list[Run]:
    outer = (0, len(runs) - 1)
    return [run for at, run in enumerate(runs) if run.count or at in outer]

"""
The exact offset map of one partition: any source offset to its target offset, and back.

It is made of stretches: chunks (see `wire.offset_runs`), and what lanes have told since. What they
cover is answered at once. There may be gaps between them, where a driver died before it had
written down what was committed; in a gap the answer is the nearest pairs on both sides of it, from
which records are to be counted, forwards or backwards.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

from kmirror.offsets.runs import RunArray
from kmirror.wire.offset_runs import Run

_TAIL_RUNS_MAX = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """
    The same place in both logs: a copied record lies before it in both, or in neither.

    Args:
        source: An offset of the source partition.
        target: An offset of the target partition.
    """

    source: int
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """
    A place about which only its neighbours are known.

    Args:
        before: The last known place before it; `None` when there is none.
        after: The first known place behind it; `None` when there is none.
    """

    before: Pair | None
    after: Pair | None


class Stretch(Protocol):
    """A range of source offsets that is known completely."""

    @property
    def start(self) -> int:
        """The first source offset."""
        ...

    @property
    def end(self) -> int:
        """The source offset behind it."""
        ...

    @property
    def runs(self) -> RunArray:
        """What of it is on the target; at least one run, which may be empty."""
        ...


class Tail:
    """
    What was committed last, as lanes report it; it grows at its end.

    Args:
        begin: Where it begins.
    """

    def __init__(self, begin: Pair) -> None:
        self.start = self.end = begin.source
        self.runs = RunArray([Run(begin.source, begin.target, 0)])

    def append(self, end: int, runs: Iterable[Run]) -> None:
        """Add what was committed since: everything up to source offset *end*."""
        for run in runs:
            self.runs.append(run)
        self.end = end
        if len(self.runs) > _TAIL_RUNS_MAX:
            self.forget_before(self.runs[len(self.runs) // 2].source)

    def forget_before(self, source: int) -> None:
        """Drop the beginning, up to a source offset that it goes beyond."""
        last = self.runs[-1]
        self.runs.forget_before(source)
        if not self.runs:
            self.runs.append(Run(last.source_end, last.target_end, 0))
        self.start = max(self.start, source)


class ExactMap:
    """
    The offset map of one partition.

    Args:
        stretches: Chunks of the same topics, in any order; empty ones say nothing.
        positions: Places that are known besides: what the flow has committed last.
    """

    def __init__(self, stretches: Iterable[Stretch] = (), positions: Iterable[Pair] = ()) -> None:
        self._stretches: list[Stretch] = []
        for stretch in stretches:
            if stretch.runs:
                self.add(stretch)
        for pair in positions:
            self.add(Tail(pair))

    def add(self, stretch: Stretch) -> None:
        """Add a stretch, unless another one covers it; it replaces those that it covers."""
        at = bisect_right(self._stretches, stretch.start, key=attrgetter("start"))
        if at and self._stretches[at - 1].end >= stretch.end:
            return
        at = bisect_left(self._stretches, stretch.start, key=attrgetter("start"))
        self._stretches[at : self._behind(at, stretch.end)] = [stretch]
        self._cut_tails(stretch)

    def grown(self, tail: Tail) -> None:
        """Take out what a tail of this map has come to cover: committed positions, as a rule."""
        at = bisect_right(self._stretches, tail.start, key=attrgetter("start"))
        del self._stretches[at : self._behind(at, tail.end)]

    def _behind(self, at: int, end: int) -> int:
        """Return the first stretch from *at* on that goes beyond an end."""
        while at < len(self._stretches) and self._stretches[at].end <= end:
            at += 1
        return at

    def _cut_tails(self, stretch: Stretch) -> None:
        """Start a tail after the part of it that the map already has."""
        # None covers another, so that they end in the order in which they begin.
        at = bisect_right(self._stretches, stretch.start, key=attrgetter("start"))
        while at < len(self._stretches) and self._stretches[at].start < stretch.end:
            if isinstance(other := self._stretches[at], Tail):
                other.forget_before(stretch.end)
            at += 1

    def drop_before(self, source: int, target: int) -> list[Stretch]:
        """
        Take out the stretches that lie before both offsets; the last one stays.

        Args:
            source: What the source begins with.
            target: What the target begins with.
        """
        behind = 0
        while behind < len(self._stretches) - 1:
            end = self._stretches[behind].end
            # The other side is only looked at when it matters: it may have to be decoded.
            if end > source or _end(self._stretches[behind]).target > target:
                break
            behind += 1
        dropped, self._stretches = self._stretches[:behind], self._stretches[behind:]
        return dropped

    def drop_chunk(self, start: int) -> None:
        """Take out the chunk that begins at a source offset: it is no longer true."""
        self._stretches = [
            known for known in self._stretches if known.start != start or isinstance(known, Tail)
        ]

    @property
    def end(self) -> Pair | None:
        """The last place that is known; `None` when none is."""
        return _end(self._stretches[-1]) if self._stretches else None

    def to_target(self, source: int) -> Pair | Gap:
        """Say where on the target one goes on who has everything before *source*."""
        at = bisect_right(self._stretches, source, key=attrgetter("start")) - 1
        if at < 0 or source > self._stretches[at].end:
            return self._gap(at)
        run = self._stretches[at].runs.at_source(source) or self._run_after(at)
        if run is None:
            return Pair(source=source, target=self._stretches[at].runs[-1].target_end)
        return Pair(source=source, target=run.target + max(0, source - run.source))

    def to_source(self, target: int) -> Pair | Gap:
        """Say where in the source one goes on who has everything before *target*."""
        at = bisect_right(self._stretches, target, key=lambda known: _begin(known).target) - 1
        if at < 0:
            return self._gap(at)
        run = self._stretches[at].runs.at_target(target) or self._run_after(at)
        if run is not None:
            return Pair(source=run.source + max(0, target - run.target), target=target)
        end = _end(self._stretches[at])
        return Pair(source=end.source, target=target) if target <= end.target else self._gap(at)

    def _run_after(self, at: int) -> Run | None:
        """Return the first run of the next stretch, if that one goes on where this one ends."""
        following = self._stretches[at + 1 : at + 2]
        meets = bool(following) and following[0].start <= self._stretches[at].end
        return following[0].runs[0] if meets else None

    def _gap(self, at: int) -> Gap:
        """Return the gap behind a stretch, or before all of them."""
        behind = self._stretches[at + 1 : at + 2]
        return Gap(
            before=_end(self._stretches[at]) if at >= 0 else None,
            after=_begin(behind[0]) if behind else None,
        )


def _begin(stretch: Stretch) -> Pair:
    first = stretch.runs[0]
    return Pair(source=stretch.start, target=first.target + max(0, stretch.start - first.source))


def _end(stretch: Stretch) -> Pair:
    return Pair(source=stretch.end, target=stretch.runs[-1].target_end)

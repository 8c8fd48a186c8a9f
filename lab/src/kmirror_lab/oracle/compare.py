"""
Two streams in lock step, and what kind of difference it is when they part.

As long as both agree whole slices are compared at once. When they part, a window of records of
either side is looked at: a record that appears later on the other side tells a loss from a
change of order. Whether a surplus record is a duplicate is looked up among all earlier ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice

from kmirror.model import TopicPartition
from kmirror_lab.oracle.stream import Row, Stream, fingerprint
from kmirror_lab.oracle.verdict import Difference, Fault, PartitionVerdict

_WINDOW_RECORDS = 5_000
_PAIRS_MAX = 200_000


class Comparison:
    """
    The comparison of one source partition with its target partition.

    Args:
        source: The source partition's stream.
        target: The target partition's stream.
        places: The two partitions.
        earlier: Reads the source's fingerprints again from the start; only called when the
            target has a record that the source does not have where it should.
    """

    def __init__(
        self,
        source: Stream,
        target: Stream,
        places: tuple[TopicPartition, TopicPartition],
        earlier: Callable[[], Iterable[int]],
    ) -> None:
        self._source = source
        self._target = target
        self._places = places
        self._earlier = earlier
        self._seen: set[int] | None = None
        self._counts: Counter[Fault] = Counter()
        self._first: Difference | None = None
        self._pairs = _ChangedPairs()

    def run(self) -> PartitionVerdict:
        """Read both streams to their ends."""
        source, target = self._source, self._target
        while source.more() and target.more():
            length = min(source.left, target.left)
            ours = source.rows[source.at : source.at + length]
            theirs = target.rows[target.at : target.at + length]
            if ours == theirs:
                self._take_equal(length)
                continue
            self._take_equal(next(i for i in range(length) if ours[i] != theirs[i]))
            self._sort_out()
        self._sort_out()
        return PartitionVerdict(
            source=self._places[0],
            target=self._places[1],
            source_records=source.taken,
            target_records=target.taken,
            counts={fault: count for fault, count in self._counts.items() if count},
            first=self._first,
        )

    def note(self, fault: Fault, detail: str, *, source: bool = True, target: bool = True) -> None:
        """Count a difference at the current place of either side."""
        self._counts[fault] += 1
        if self._first is None:
            here, there = self._source, self._target
            self._first = Difference(
                fault=fault,
                source=self._places[0],
                source_offset=here.offsets[here.at] if source and here.left else None,
                target=self._places[1],
                target_offset=there.offsets[there.at] if target and there.left else None,
                detail=detail,
            )

    def _take_equal(self, count: int) -> None:
        if self._seen is not None:
            rows = self._source.rows[self._source.at : self._source.at + count]
            self._seen.update(map(fingerprint, rows))
        self._source.take(count)
        self._target.take(count)

    def _sort_out(self) -> None:
        """Name the differences, until a whole window has been without one."""
        source, target = _Window(self._source), _Window(self._target)
        moved: Counter[int] = Counter()
        calm = 0
        while calm < _WINDOW_RECORDS:
            ours, theirs = source.head(), target.head()
            if theirs is not None and moved[theirs] > 0:
                # Its twin was counted as out of order when it was missed.
                moved[theirs] -= 1
                target.take()
            elif ours is None and theirs is None:
                return
            elif ours == theirs:
                calm += 1
                self._remember(source.take())
                target.take()
            else:
                calm = 0
                self._name(source, target, moved)

    def _name(self, source: _Window, target: _Window, moved: Counter[int]) -> None:
        ours, theirs = source.head(), target.head()
        if self._pairs.part_source(theirs):
            # What had become "changed" was pushed back by a long run that does not belong here.
            self._rename(Fault.INVENTED)
            target.take()
            return
        if self._pairs.part_target(ours):
            self._rename(Fault.LOST)
            self._remember(source.take())
            return
        ours_later = ours is not None and ours in target
        theirs_later = theirs is not None and theirs in source
        if ours is not None and ours_later and theirs_later:
            self.note(Fault.REORDERED, "the target has it later")
            moved[ours] += 1
            self._remember(source.take())
        elif theirs is not None and (ours is None or ours_later or self._was_seen(theirs)):
            if self._was_seen(theirs):
                self.note(Fault.DUPLICATED, "the target had it before", source=False)
            else:
                self.note(Fault.INVENTED, "the source has no such record here", source=False)
            target.take()
        elif theirs is None or theirs_later:
            self.note(Fault.LOST, "the target goes on without it")
            self._remember(source.take())
        else:
            self.note(Fault.CHANGED, _what_differs(source.row(), target.row()))
            mark = source.take()
            self._remember(mark)
            self._pairs.add(mark, target.take())

    def _rename(self, fault: Fault) -> None:
        """Call one difference, that was taken for a changed record, *fault*."""
        self._counts[Fault.CHANGED] -= 1
        self._counts[fault] += 1
        if self._first is not None and self._first.fault is Fault.CHANGED:
            detail = f"a run of more than {_WINDOW_RECORDS} records"
            self._first = replace(self._first, fault=fault, detail=detail)

    def _was_seen(self, theirs: int) -> bool:
        if self._seen is None:
            # What was taken so far, read again: nothing is kept while both sides agree.
            self._seen = set(islice(self._earlier(), self._source.taken))
        return theirs in self._seen

    def _remember(self, ours: int) -> None:
        if self._seen is not None:
            self._seen.add(ours)


class _ChangedPairs:
    """
    Records that stood at the same place and differed, by fingerprint.

    When one of them is found on the other side after all, beyond the window, it was not changed.
    """

    def __init__(self) -> None:
        self._by_source: dict[int, int] = {}
        self._by_target: dict[int, int] = {}

    def add(self, ours: int, theirs: int) -> None:
        """Remember a pair, unless there are so many that everything is different."""
        if len(self._by_source) < _PAIRS_MAX:
            self._by_source[ours] = theirs
            self._by_target[theirs] = ours

    def part_source(self, mark: int | None) -> bool:
        """Forget the pair whose source record is *mark*; tell whether there was one."""
        return _part(self._by_source, self._by_target, mark)

    def part_target(self, mark: int | None) -> bool:
        """Forget the pair whose target record is *mark*; tell whether there was one."""
        return _part(self._by_target, self._by_source, mark)


def _part(pairs: dict[int, int], reverse: dict[int, int], mark: int | None) -> bool:
    if mark is None or mark not in pairs:
        return False
    reverse.pop(pairs.pop(mark), None)
    return True


class _Window:
    """The next records of a stream, by fingerprint."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._marks: list[int] = []
        self._at = 0
        self._count: Counter[int] = Counter()

    def __contains__(self, mark: int) -> bool:
        return self._count[mark] > 0

    def head(self) -> int | None:
        """Return the next record's fingerprint, None at the end."""
        if len(self._marks) - self._at < _WINDOW_RECORDS // 2:
            self._fill()
        return self._marks[self._at] if self._at < len(self._marks) else None

    def row(self) -> Row:
        """Return the next record."""
        return self._stream.rows[self._stream.at]

    def take(self) -> int:
        """Go past the next record and give its fingerprint."""
        mark = self._marks[self._at]
        self._at += 1
        self._count[mark] -= 1
        self._stream.take()
        return mark

    def _fill(self) -> None:
        del self._marks[: self._at]
        self._at = 0
        self._stream.more(_WINDOW_RECORDS)
        begin = self._stream.at + len(self._marks)
        end = self._stream.at + _WINDOW_RECORDS
        fresh = list(map(fingerprint, self._stream.rows[begin:end]))
        self._marks += fresh
        self._count.update(fresh)


def _what_differs(ours: Row, theirs: Row) -> str:
    names = ("timestamp", "key", "value", "headers")
    parts = [
        f"{name} {_short(ours[i])} became {_short(theirs[i])}"
        for i, name in enumerate(names)
        if ours[i] != theirs[i]
    ]
    return "; ".join(parts)


def _short(part: object) -> str:
    text = repr(part)
    return text if len(text) <= 80 else f"{text[:70]}... ({len(text)} characters)"

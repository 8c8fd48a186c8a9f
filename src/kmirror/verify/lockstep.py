"""
Compares two streams of records, batch by batch, in lock step; pure.

Offsets are never compared: transactions leave markers that count in them. Rows are plain tuples, so
that Python compares whole batches at C speed; the order-sensitive hash is taken over the same rows,
once for both sides as long as they are equal.
"""

from __future__ import annotations

import hashlib
import marshal
import zlib
from collections.abc import Iterator, Sequence
from itertools import repeat

from kmirror.verify.result import Difference, Kind, records, reordered

Row = tuple[bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...], int]
"""Key, value, headers, timestamp in milliseconds."""

_Batch = tuple[Sequence[Row], Sequence[int]]

_FIELDS: tuple[Kind, ...] = ("key", "value", "headers", "timestamp")
# Format 2 is the last one without references, whose bytes depend on the interpreter's memory.
MARSHAL_VERSION = 2


class _Side:
    """What was read from one cluster and not yet compared."""

    def __init__(self) -> None:
        self.rows: Sequence[Row] = ()
        self.offsets: Sequence[int] = ()
        self.records = 0
        self.ended = False

    @property
    def wants_more(self) -> bool:
        return not self.rows and not self.ended

    def feed(self, rows: Sequence[Row], offsets: Sequence[int]) -> None:
        assert self.wants_more, "the last batch has not been compared yet, or was the last one"
        assert len(rows) == len(offsets), "every row has its offset"
        self.rows, self.offsets = rows, offsets
        self.records += len(rows)

    def drop(self, count: int) -> None:
        self.rows, self.offsets = self.rows[count:], self.offsets[count:]


class _Occurrences:
    """How often one row comes on one side from the first difference on, and first after what."""

    def __init__(self, row: Row) -> None:
        self._row = row
        self._seen = 0
        self.count = 0
        self.distance = 0
        self.offset = -1

    def look(self, rows: Sequence[Row], offsets: Sequence[int]) -> None:
        found = rows.count(self._row)
        if found and not self.count:
            at = rows.index(self._row)
            self.distance, self.offset = self._seen + at, offsets[at]
        self.count += found
        self._seen += len(rows)


class _Mismatch:
    """
    The first two rows that are not equal.

    What they mean is known at the end: a row that the other side has, too, is at another place.

    Args:
        index: How many rows before them were equal.
        ours, theirs: The source's row, and the target's.
        source_offset, target_offset: Their offsets.
    """

    def __init__(
        self, *, index: int, ours: Row, theirs: Row, source_offset: int, target_offset: int
    ) -> None:
        self._index = index
        self._ours, self._theirs = ours, theirs
        self._offsets = source_offset, target_offset
        self._ours_on_source = _Occurrences(ours)
        self._ours_on_target = _Occurrences(ours)
        self._theirs_on_source = _Occurrences(theirs)
        self._theirs_on_target = _Occurrences(theirs)

    def look(self, source: _Side, target: _Side, count: int) -> None:
        """Look at the next *count* rows of both sides."""
        # What is lost is known from as many source rows as the target has.
        self._ours_on_source.look(source.rows[:count], source.offsets[:count])
        self.look_at_source(source, count)
        self.look_at_target(target, count)

    def look_at_source(self, side: _Side, count: int) -> None:
        """Look at rows that the source has beyond the end of the target."""
        self._theirs_on_source.look(side.rows[:count], side.offsets[:count])

    def look_at_target(self, side: _Side, count: int) -> None:
        """Look at rows that the target has beyond the end of the source."""
        rows, offsets = side.rows[:count], side.offsets[:count]
        self._ours_on_target.look(rows, offsets)
        self._theirs_on_target.look(rows, offsets)

    def describe(self) -> Difference:
        """Say what it is, by what was looked at."""
        later, earlier = self._ours_on_target, self._theirs_on_source
        is_lost = later.count < self._ours_on_source.count
        is_extra = earlier.count < self._theirs_on_target.count
        at, copy_at = self._offsets
        if not is_lost and not is_extra:
            # One of the two has moved; the others have only made way for it.
            if later.distance >= earlier.distance:
                return reordered(self._index, at, later.offset, later=later.distance)
            return reordered(self._index, earlier.offset, copy_at, earlier=earlier.distance)
        kind: Kind
        if not is_extra:
            gone = records(earlier.distance)
            kind, words = "missing", f"{gone} from source offset {at} on missing on the target"
        elif not is_lost:
            more = records(later.distance)
            kind, words = "extra", f"{more} from target offset {copy_at} on not in the source there"
        else:
            kind, words = _field_difference(self._ours, self._theirs)
            words = f"source offset {at}, target offset {copy_at}: {words}"
        return Difference(
            kind=kind, index=self._index, source_offset=at, target_offset=copy_at, words=words
        )


class LockStep:
    """
    A running comparison: `run` it, or feed it as long as it needs records.

    Args:
        target_may_be_ahead: What the target has beyond the end of the source is counted, and is no
            difference.
    """

    def __init__(self, *, target_may_be_ahead: bool = False) -> None:
        self._target_may_be_ahead = target_may_be_ahead
        self._source = _Side()
        self._target = _Side()
        self._source_hash = hashlib.blake2b(digest_size=16)
        self._target_hash = self._source_hash
        self._mismatch: _Mismatch | None = None
        self._extra: Difference | None = None
        self._behind = 0
        self._behind_from: int | None = None
        self._newer_on_target = 0
        self.equal_records = 0

    @property
    def source_records(self) -> int:
        """How many source records were fed."""
        return self._source.records

    @property
    def target_records(self) -> int:
        """How many target records were fed."""
        return self._target.records

    @property
    def source_hash(self) -> str:
        """Hash of the source records compared so far."""
        return self._source_hash.hexdigest()

    @property
    def target_hash(self) -> str:
        """Hash of the target records compared so far."""
        return self._target_hash.hexdigest()

    @property
    def difference(self) -> Difference | None:
        """The first difference; what it is is certain when both sides have ended."""
        return self._extra if self._mismatch is None else self._mismatch.describe()

    @property
    def behind(self) -> int:
        """How many source records the target does not have yet, when all of its own are equal."""
        return 0 if self.difference else self._behind

    @property
    def behind_from(self) -> int | None:
        """The source offset of the first of these; `None` when there are none."""
        return None if self.difference else self._behind_from

    @property
    def newer_on_target(self) -> int:
        """How many records the target may have beyond the source's end, and has."""
        return 0 if self.difference else self._newer_on_target

    def run(self, source: Iterator[_Batch], target: Iterator[_Batch]) -> None:
        """Compare two streams to their ends."""
        while self.needs_source or self.needs_target:
            if self.needs_source:
                batch = next(source, None)
                self.end_source() if batch is None else self.feed_source(*batch)
            if self.needs_target:
                batch = next(target, None)
                self.end_target() if batch is None else self.feed_target(*batch)

    @property
    def needs_source(self) -> bool:
        """Whether the next source batch, or the source's end, is wanted."""
        return self._source.wants_more

    @property
    def needs_target(self) -> bool:
        """Whether the next target batch, or the target's end, is wanted."""
        return self._target.wants_more

    def feed_source(self, rows: Sequence[Row], offsets: Sequence[int]) -> None:
        """Take the next source records, and compare what both sides have."""
        self._source.feed(rows, offsets)
        self._compare()

    def feed_target(self, rows: Sequence[Row], offsets: Sequence[int]) -> None:
        """Take the next target records, and compare what both sides have."""
        self._target.feed(rows, offsets)
        self._compare()

    def end_source(self) -> None:
        """Say that the source has no more records."""
        self._source.ended = True
        self._compare()

    def end_target(self) -> None:
        """Say that the target has no more records."""
        self._target.ended = True
        self._compare()

    def _compare(self) -> None:
        source, target = self._source, self._target
        count = min(len(source.rows), len(target.rows))
        if count and self._mismatch is None:
            count -= self._take_equal(count)
        if count:
            self._take_unequal(count)
        if source.rows and target.ended:
            self._take_rest_of_source()
        elif target.rows and source.ended:
            self._take_rest_of_target()

    def _take_equal(self, count: int) -> int:
        """Take the first of *count* rows of both sides that are equal; tell how many those are."""
        ours, theirs = self._source.rows[:count], self._target.rows[:count]
        equal = count
        if ours != theirs:
            equal = next(at for at in range(count) if ours[at] != theirs[at])
        self._source_hash.update(_packed(ours[:equal]))
        self.equal_records += equal
        self._source.drop(equal)
        self._target.drop(equal)
        return equal

    def _take_unequal(self, count: int) -> None:
        """Take *count* rows of both sides, the first difference or what comes behind it."""
        source, target = self._source, self._target
        if self._mismatch is None:
            self._mismatch = _Mismatch(
                index=self.equal_records,
                ours=source.rows[0],
                theirs=target.rows[0],
                source_offset=source.offsets[0],
                target_offset=target.offsets[0],
            )
            self._split_hashes()
        self._source_hash.update(_packed(source.rows[:count]))
        self._target_hash.update(_packed(target.rows[:count]))
        self._mismatch.look(source, target, count)
        source.drop(count)
        target.drop(count)

    def _take_rest_of_source(self) -> None:
        side, count = self._source, len(self._source.rows)
        self._split_hashes()
        self._source_hash.update(_packed(side.rows))
        if self._behind_from is None:
            self._behind_from = side.offsets[0]
        self._behind += count
        if self._mismatch is not None:
            self._mismatch.look_at_source(side, count)
        side.drop(count)

    def _take_rest_of_target(self) -> None:
        side, count = self._target, len(self._target.rows)
        if self._target_may_be_ahead:
            self._newer_on_target += count
        else:
            self._split_hashes()
            self._target_hash.update(_packed(side.rows))
        if self._mismatch is not None:
            self._mismatch.look_at_target(side, count)
        elif not self._target_may_be_ahead and self._extra is None:
            self._extra = Difference(
                kind="extra",
                index=self.equal_records,
                source_offset=None,
                target_offset=side.offsets[0],
                words=f"the target goes on at offset {side.offsets[0]}, "
                "the source has no more records",
            )
        side.drop(count)

    def _split_hashes(self) -> None:
        """From here on the two sides have different contents."""
        if self._source_hash is self._target_hash:
            self._target_hash = self._source_hash.copy()


def _packed(rows: Sequence[Row]) -> bytes:
    return b"".join(map(marshal.dumps, rows, repeat(MARSHAL_VERSION)))


def _field_difference(ours: Row, theirs: Row) -> tuple[Kind, str]:
    differing = [at for at in range(len(_FIELDS)) if ours[at] != theirs[at]]
    assert differing, "equal rows have no difference"
    if len(differing) >= 3:
        return "record", "different records"
    parts = [
        f"{_FIELDS[at]} is {_sketch(ours[at])} on the source, {_sketch(theirs[at])} on the target"
        for at in differing
    ]
    return _FIELDS[differing[0]], "; ".join(parts)


def _sketch(part: object) -> str:
    """Describe a part of a record without showing it."""
    if part is None:
        return "null"
    if isinstance(part, bytes):
        return f"{len(part)} bytes (crc32 {zlib.crc32(part):08x})"
    if isinstance(part, tuple):
        return f"{len(part)} headers (crc32 {zlib.crc32(repr(part).encode()):08x})"
    return str(part)

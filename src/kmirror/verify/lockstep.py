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
from collections.abc import Sequence
from itertools import repeat

from kmirror.verify.result import Difference, Kind

Row = tuple[bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...], int]
"""Key, value, headers, timestamp in milliseconds."""

_FIELDS: tuple[Kind, ...] = ("key", "value", "headers", "timestamp")
_RESYNC_RECORDS_MAX = 1000  # how far to look for the record that the other side has now
# Format 2 is the last one without references, whose bytes depend on the interpreter's memory.
MARSHAL_VERSION = 2


class _Side:
    """What was read from one cluster and not yet compared."""

    def __init__(self) -> None:
        self.rows: Sequence[Row] = ()
        self.offsets: Sequence[int] = ()
        self.records = 0

    def feed(self, rows: Sequence[Row], offsets: Sequence[int]) -> None:
        assert not self.rows, "the last batch has not been compared yet"
        assert len(rows) == len(offsets), "every row has its offset"
        self.rows, self.offsets = rows, offsets
        self.records += len(rows)

    def drop(self, count: int) -> None:
        self.rows, self.offsets = self.rows[count:], self.offsets[count:]


class LockStep:
    """A comparison under way."""

    def __init__(self) -> None:
        self._source = _Side()
        self._target = _Side()
        self._source_hash = hashlib.blake2b(digest_size=16)
        self._target_hash = self._source_hash
        self.equal_records = 0
        self.difference: Difference | None = None

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
    def needs_source(self) -> bool:
        """Whether the next source batch is wanted."""
        return not self._source.rows

    @property
    def needs_target(self) -> bool:
        """Whether the next target batch is wanted."""
        return not self._target.rows

    def feed_source(self, rows: Sequence[Row], offsets: Sequence[int]) -> None:
        """Take the next source records, and compare what both sides have."""
        self._source.feed(rows, offsets)
        self._compare()

    def feed_target(self, rows: Sequence[Row], offsets: Sequence[int]) -> None:
        """Take the next target records, and compare what both sides have."""
        self._target.feed(rows, offsets)
        self._compare()

    def take_rest(self, *, of_source: bool, hashed: bool = True) -> int:
        """
        Count what one side has beyond the end of the other.

        Args:
            of_source: Whose.
            hashed: Whether it belongs to what is compared, and so into the hash.
        """
        side = self._source if of_source else self._target
        count = len(side.rows)
        if hashed and count:
            if self._source_hash is self._target_hash:
                # From here on the two sides have different contents.
                self._target_hash = self._source_hash.copy()
            digest = self._source_hash if of_source else self._target_hash
            digest.update(_packed(side.rows))
        side.drop(count)
        return count

    def extra_on_target(self) -> None:
        """Say that the target goes on where the source has ended."""
        if self.difference is None and self._target.rows:
            offset = self._target.offsets[0]
            self.difference = Difference(
                kind="extra",
                index=self.equal_records,
                source_offset=None,
                target_offset=offset,
                words=f"the target goes on at offset {offset}, the source has no more records",
            )

    def _compare(self) -> None:
        source, target = self._source, self._target
        count = min(len(source.rows), len(target.rows))
        if count == 0:
            return
        ours, theirs = source.rows[:count], target.rows[:count]
        if self.difference is not None:
            # Only counts and hashes are of interest behind the first difference.
            self._source_hash.update(_packed(ours))
            self._target_hash.update(_packed(theirs))
        elif ours == theirs:
            self._source_hash.update(_packed(ours))
            self.equal_records += count
        else:
            equal = next(at for at in range(count) if ours[at] != theirs[at])
            self._source_hash.update(_packed(ours[:equal]))
            self.equal_records += equal
            self.difference = self._describe(equal)
            self._target_hash = self._source_hash.copy()
            self._source_hash.update(_packed(ours[equal:]))
            self._target_hash.update(_packed(theirs[equal:]))
        source.drop(count)
        target.drop(count)

    def _describe(self, at: int) -> Difference:
        """Say what differs at index *at* of the two batches."""
        source, target = self._source, self._target
        ours, theirs = source.rows[at], target.rows[at]
        offsets = source.offsets[at], target.offsets[at]
        missing = _distance(theirs, source.rows, at)
        extra = _distance(ours, target.rows, at)
        kind: Kind
        # The shorter distance explains the difference with fewer wrong records.
        if missing and (not extra or missing <= extra):
            kind = "missing"
            words = f"{_records(missing)} from source offset {offsets[0]} on missing on the target"
        elif extra:
            kind = "extra"
            words = f"{_records(extra)} from target offset {offsets[1]} on not in the source there"
        else:
            kind, words = _field_difference(ours, theirs)
            words = f"source offset {offsets[0]}, target offset {offsets[1]}: {words}"
        return Difference(
            kind=kind,
            index=self.equal_records,
            source_offset=offsets[0],
            target_offset=offsets[1],
            words=words,
        )


def _packed(rows: Sequence[Row]) -> bytes:
    return b"".join(map(marshal.dumps, rows, repeat(MARSHAL_VERSION)))


def _distance(row: Row, rows: Sequence[Row], at: int) -> int:
    """Tell how many records behind *at* an equal row comes; 0 when none does soon."""
    ahead = rows[at + 1 : at + 1 + _RESYNC_RECORDS_MAX]
    return ahead.index(row) + 1 if row in ahead else 0


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"


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

"""
Compares two partitions of which either may forget the older records of a key.

Compaction leaves other holes on each side, at another time. What both must agree on all the same
is the last record of every key, and the order of the records that are still on both. A tombstone
may be gone on one side: it says the same as no record at all.

Digests of the records go to a temporary SQLite database, about 100 bytes each, which spills to the
temporary folder: memory does not grow with the records, nor with the keys.
"""

from __future__ import annotations

import hashlib
import marshal
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kmirror.verify.lockstep import MARSHAL_VERSION, Row
from kmirror.verify.pairs import PartitionPair
from kmirror.verify.result import Difference, Kind, PartitionResult, reordered

_CACHE_KIB = 32 * 1024
_DIGEST_BYTES = 16

_LOGS = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -{cache_kib};
CREATE TABLE source (at INTEGER PRIMARY KEY, key BLOB, row BLOB, dead INTEGER);
CREATE TABLE target (at INTEGER PRIMARY KEY, key BLOB, row BLOB, dead INTEGER);
CREATE TABLE source_later (key BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE target_later (key BLOB PRIMARY KEY) WITHOUT ROWID;
"""
# Equal records are paired from the end: compaction takes the older ones first.
_TABLES = """
CREATE TABLE source_last AS SELECT key, max(at) AS at, row, dead FROM source GROUP BY key;
CREATE UNIQUE INDEX source_last_key ON source_last (key);
CREATE TABLE target_last AS SELECT key, max(at) AS at, row, dead FROM target GROUP BY key;
CREATE UNIQUE INDEX target_last_key ON target_last (key);
CREATE TABLE source_nth AS SELECT row, at,
    row_number() OVER (PARTITION BY row ORDER BY at DESC) AS nth FROM source;
CREATE UNIQUE INDEX source_nth_row ON source_nth (row, nth);
CREATE TABLE pair AS SELECT s.at AS source_at, t.at AS target_at FROM (
    SELECT row, at, row_number() OVER (PARTITION BY row ORDER BY at DESC) AS nth FROM target
) AS t JOIN source_nth AS s ON s.row = t.row AND s.nth = t.nth;
"""
_BY_SOURCE = "SELECT source_at, target_at FROM pair ORDER BY source_at"
_BY_TARGET = "SELECT source_at, target_at FROM pair ORDER BY target_at"
_ENDS = """
SELECT count(*), min(source_at), max(source_at), min(target_at), max(target_at) FROM pair
"""
_KEYS = "SELECT count(*) FROM (SELECT key FROM source_last UNION SELECT key FROM target_last)"
# Keys whose last records differ, as far as the source has them; then those only the target has.
_UNLIKE = """
SELECT s.at, s.dead, t.at, t.dead, EXISTS (SELECT 1 FROM target_later AS l WHERE l.key = s.key)
FROM source_last AS s LEFT JOIN target_last AS t ON t.key = s.key
WHERE t.row IS NOT s.row ORDER BY s.at
"""
_TARGET_ONLY = """
SELECT t.at, t.dead, EXISTS (SELECT 1 FROM source_later AS l WHERE l.key = t.key)
FROM target_last AS t LEFT JOIN source_last AS s ON s.key = t.key
WHERE s.key IS NULL ORDER BY t.at
"""


@dataclass(slots=True)
class _Found:
    """What the unlike keys amount to."""

    behind: int = 0
    newer_on_target: int = 0
    older_on_source: int = 0
    older_on_target: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    """The records that are on both sides: how many, and the offsets of the first and the last."""

    records: int
    source_first: int
    source_last: int
    target_first: int
    target_last: int


class _Unlike(NamedTuple):
    """A difference, by the offsets on both sides; there may be as many as records."""

    kind: Kind
    at: int | None
    copy: int | None
    words: str


class CompactedLogs:
    """Both logs of one pair, in a database that goes when it is closed."""

    def __init__(self) -> None:
        # The empty name is SQLite's for a private file that nobody else sees.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.executescript(_LOGS.format(cache_kib=_CACHE_KIB))
        self._db.execute("BEGIN")

    def close(self) -> None:
        """Delete everything."""
        self._db.close()

    def add(
        self,
        side: Literal["source", "target"],
        rows: Sequence[Row],
        offsets: Sequence[int],
        *,
        end: int,
    ) -> None:
        """
        Take the next records of one side.

        Args:
            side: Whose.
            rows: The records.
            offsets: Their offsets.
            end: What is compared ends before this offset; later records only say that a key has a
                newer one, for which compaction may have removed what is missing before.
        """
        inside, later = [], []
        for row, at in zip(rows, offsets, strict=True):
            if at < end:
                inside.append((at, _digest(row[0]), _digest(row), row[1] is None))
            else:
                later.append((_digest(row[0]),))
        self._db.executemany(f"INSERT INTO {side} VALUES (?, ?, ?, ?)", inside)
        self._db.executemany(f"INSERT OR IGNORE INTO {side}_later VALUES (?)", later)

    def compare(self, pair: PartitionPair, *, source_forgets: bool) -> PartitionResult:
        """
        Say what differs.

        Args:
            pair: The two partitions.
            source_forgets: The source's log does not begin at 0: what only the target has from
                before is no difference.
        """
        for statement in filter(str.strip, _TABLES.split(";")):
            self._db.execute(statement)
        count, *ends = self._one(_ENDS)
        first, last, copy_first, copy_last = ends if count else (-1, -1, -1, -1)
        common = _Common(
            records=count,
            source_first=first,
            source_last=last,
            target_first=copy_first,
            target_last=copy_last,
        )
        found = _Found()
        ahead = pair.target_may_be_ahead
        candidates = (
            self._reordered(),
            self._first(self._unlike(common, found, ahead=ahead)),
            self._first(self._target_only(common, found, ahead=ahead, forgets=source_forgets)),
        )
        differences = [difference for difference in candidates if difference is not None]
        return PartitionResult(
            source=pair.source,
            target=pair.target,
            source_records=self._one("SELECT count(*) FROM source")[0],
            target_records=self._one("SELECT count(*) FROM target")[0],
            equal_records=common.records,
            compacted_keys=self._one(_KEYS)[0],
            older_on_source=found.older_on_source,
            older_on_target=found.older_on_target,
            behind=found.behind,
            newer_on_target=found.newer_on_target,
            difference=min(differences, key=lambda each: each.index, default=None),
        )

    def _unlike(self, common: _Common, found: _Found, *, ahead: bool) -> Iterator[_Unlike]:
        """Sort the keys whose last source record is not the target's last one."""
        for at, dead, copy_at, copy_dead, has_later in self._db.execute(_UNLIKE):
            behind_common = copy_at is not None and copy_at > common.target_last
            if copy_at is None and (dead or has_later):
                continue
            if behind_common and ahead:
                found.newer_on_target += 1
            elif at > common.source_last and not behind_common:
                found.behind += 1
            elif copy_at is not None:
                which = "tombstone" if dead or copy_dead else "record"
                words = f"the last {which} of a key is another one: source offset {at}, "
                yield _Unlike("record", at, copy_at, f"{words}target offset {copy_at}")
            elif at < common.source_first:
                found.older_on_source += 1
            else:
                words = f"the key of source offset {at} is missing on the target"
                yield _Unlike("missing", at, None, words)

    def _target_only(
        self, common: _Common, found: _Found, *, ahead: bool, forgets: bool
    ) -> Iterator[_Unlike]:
        """Sort the keys that only the target has."""
        for copy_at, dead, has_later in self._db.execute(_TARGET_ONLY):
            if dead or has_later:
                continue
            if forgets and (copy_at < common.target_first or not common.records):
                found.older_on_target += 1
            elif ahead and copy_at > common.target_last:
                found.newer_on_target += 1
            else:
                words = f"the key of target offset {copy_at} is not in the source"
                yield _Unlike("extra", None, copy_at, words)

    def _reordered(self) -> Difference | None:
        """Find the first place where the records that are on both sides have another order."""
        ours, theirs = self._db.execute(_BY_SOURCE), self._db.execute(_BY_TARGET)
        pairs = enumerate(zip(ours, theirs, strict=True))
        first = next(((at, here, there) for at, (here, there) in pairs if here != there), None)
        if first is None:
            return None
        index, here, there = first
        # One of the two has moved; the others have only made way for it.
        later = self._before("target_at", here[1]) - index
        earlier = self._before("source_at", there[0]) - index
        if later >= earlier:
            return reordered(index, *here, later=later)
        return reordered(index, *there, earlier=earlier)

    def _first(self, unlike: Iterator[_Unlike]) -> Difference | None:
        """Describe the first; the others are looked at for what they count."""
        first = next(unlike, None)
        for _ in unlike:
            pass
        if first is None:
            return None
        column, at = ("source_at", first.at) if first.at is not None else ("target_at", first.copy)
        return Difference(
            kind=first.kind,
            index=self._before(column, at),
            source_offset=first.at,
            target_offset=first.copy,
            words=first.words,
        )

    def _before(self, column: str, at: int | None) -> int:
        """Count the records on both sides that come before an offset of one of them."""
        return self._one(f"SELECT count(*) FROM pair WHERE {column} < {at}")[0]

    def _one(self, query: str) -> tuple[int, ...]:
        answer: tuple[int, ...] = self._db.execute(query).fetchone()
        return answer


def _digest(part: Row | bytes | None) -> bytes:
    packed = marshal.dumps(part, MARSHAL_VERSION)
    return hashlib.blake2b(packed, digest_size=_DIGEST_BYTES).digest()

"""What compaction may do to either side, and what it may not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing

import pytest

from kmirror.model import TopicPartition
from kmirror.verify.compacted import CompactedLogs
from kmirror.verify.lockstep import Row
from kmirror.verify.pairs import PartitionPair
from kmirror.verify.report import describe
from kmirror.verify.result import PartitionResult

PAIR = PartitionPair(source=TopicPartition("t", 0), target=TopicPartition("A.t", 0))
Log = list[tuple[int, Row]]


def row(key: str, value: str | None, time_ms: int = 0) -> Row:
    """Give a record."""
    return key.encode(), None if value is None else value.encode(), (), time_ms


def log(*records: str) -> Log:
    """Give a log of `key=value`, or `key` for a tombstone."""
    found: Log = []
    for at, text in enumerate(records):
        key, _, value = text.partition("=")
        found.append((at, row(key, value or None)))
    return found


def compare(
    source: Log,
    target: Log,
    *,
    source_end: int = 10**9,
    target_end: int = 10**9,
    pair: PartitionPair = PAIR,
    forgets: bool = False,
) -> PartitionResult:
    """Compare two logs as if they had been read."""
    with closing(CompactedLogs()) as logs:
        logs.add("source", *columns(source), end=source_end)
        logs.add("target", *columns(target), end=target_end)
        return logs.compare(pair, source_forgets=forgets)


def columns(records: Log) -> tuple[Sequence[Row], Sequence[int]]:
    """Give rows and offsets."""
    return [each for _, each in records], [at for at, _ in records]


def compacted(records: Log, dirty: int, *, drop_tombstones: bool) -> Log:
    """Do what the brokers' cleaner does up to, not including, record number *dirty*."""
    newest = {entry[0]: at for at, entry in records[:dirty]}
    return [
        (at, entry)
        for number, (at, entry) in enumerate(records)
        if number >= dirty
        or (newest[entry[0]] == at and not (drop_tombstones and entry[1] is None))
    ]


@pytest.mark.parametrize("seed", range(30))
def test_compaction_is_no_difference(seed: int) -> None:
    """Whatever was cleaned on which side, tombstones included; a loss always is one."""
    rng = random.Random(seed)
    source: Log = []
    for at in range(300):
        value = rng.choice((None, f"{at}", "same"))
        source.append((at, row(f"{rng.randrange(40)}", value)))
    # The target's offsets have gaps of their own.
    copy = [(2 * at + at // 7, entry) for at, entry in source]
    ours = compacted(source, rng.randrange(301), drop_tombstones=rng.random() < 0.5)
    theirs = compacted(copy, rng.randrange(301), drop_tombstones=rng.random() < 0.5)
    result = compare(ours, theirs)
    assert result.identical, result
    assert 0 < (result.compacted_keys or 0) <= 40
    newest = {entry[0]: at for at, entry in theirs if at < theirs[-1][0]}
    alive = [at for at, entry in theirs if newest.get(entry[0]) == at and entry[1] is not None]
    lost = rng.choice(alive)
    assert not compare(ours, [each for each in theirs if each[0] != lost]).identical


def test_what_is_reported() -> None:
    """The number of keys, and what could be compared of the order."""
    result = compare(log("a=1", "b=1", "a=2"), log("a=1", "b=1", "a=2")[1:])
    assert describe(result) == (
        "t-0 -> A.t-0: identical, 2 records on both sides; "
        "compacted: compared the last record of 2 keys"
    )


@pytest.mark.parametrize(
    ("source", "target", "kind", "offsets"),
    [
        (log("a=1", "b=1", "c=1"), log("a=1", "b=2", "c=1"), "record", (1, 1)),
        (log("a=1", "b=1", "c=1"), log("a=1", "c=1"), "missing", (1, None)),
        (log("a=1", "c=1"), log("a=1", "b=1", "c=1"), "extra", (None, 1)),
        (log("a=1", "c=1"), log("a=1", "c=1", "c=2"), "record", (1, 2)),
        (log("a=1", "b=1", "c=1"), log("a=1", "c=1", "b=1"), "reordered", (1, 2)),
        (log("a=1", "b=1", "c=1"), log("c=1", "a=1", "b=1"), "reordered", (2, 0)),
        (log("a=1", "a=2", "b=1"), log("a=2", "a=1", "b=1"), "reordered", (0, 1)),
        (log("a=1", "a", "c=1"), log("a=1", "c=1"), "record", (1, 0)),
        (log("a=1", "c=1"), log("a=1", "a", "c=1"), "record", (0, 1)),
        (log("a=1", "b=1"), log("b=1", "c=9"), "extra", (None, 1)),
    ],
)
def test_differences(
    source: Log, target: Log, kind: str, offsets: tuple[int | None, int | None]
) -> None:
    """Each is named with its offsets; contents are not shown."""
    difference = compare(source, target).difference
    assert difference is not None
    assert difference.kind == kind
    assert (difference.source_offset, difference.target_offset) == offsets
    assert "=" not in difference.words


def test_a_target_that_is_behind() -> None:
    """What comes after the last record on both sides is not copied yet, and no difference."""
    # The source's newer record of `a` made it forget the one that was copied.
    result = compare(log("b=1", "a=2", "c=1"), log("a=1", "b=1"))
    assert result.difference is None
    assert (result.behind, result.identical) == (2, False)


def test_up_to_a_position() -> None:
    """Records behind it explain what compaction has removed before it, and are not compared."""
    result = compare(log("b=1", "a=2", "c=1"), log("a=1", "b=1"), source_end=1)
    assert result.identical, result
    missing = compare(log("b=1", "a=1"), log("b=1", "x=1", "a=2"), target_end=1)
    assert missing.identical, missing
    by_hand = PartitionPair(source=PAIR.source, target=PAIR.target, source_end=2)
    ahead = compare(log("a=1", "b=1"), log("a=1", "b=1", "b=2", "c=1"), pair=by_hand)
    assert ahead.identical, ahead
    assert ahead.newer_on_target == 2


def test_retention_beside_compaction() -> None:
    """`compact,delete` on the source: the target may keep what is older than its log."""
    source, target = log("c=1", "d=1"), log("a=1", "b=1", "c=1", "d=1")
    assert compare(source, target).difference is not None
    result = compare(source, target, forgets=True)
    assert result.identical
    assert result.older_on_target == 2
    late = compare(target, source)
    assert (late.older_on_source, late.difference, late.identical) == (2, None, False)


def test_empty_logs() -> None:
    """Nothing is nothing; everything missing is behind."""
    assert compare([], []).identical
    assert compare(log("a=1", "b"), []).behind == 1
    assert compare([], log("a=1")).difference is not None

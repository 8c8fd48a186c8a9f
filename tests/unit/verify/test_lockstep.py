"""What the comparison says about every way in which two streams can differ."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kmirror.verify.lockstep import LockStep, Row


def row(number: int) -> Row:
    """Give a record."""
    return b"k%d" % number, b"v%d" % number, (("h", b"x"), ("h", None)), number


def compare(source: Sequence[Row], target: Sequence[Row], batch: int = 7) -> LockStep:
    """Compare two streams in batches, as long as both have records."""
    step = LockStep()
    at, copied = 0, 0
    while True:
        if step.needs_source:
            if at >= len(source):
                break
            rows = source[at : at + batch]
            step.feed_source(rows, [100 + at + n for n in range(len(rows))])
            at += len(rows)
        if step.needs_target:
            if copied >= len(target):
                break
            # The other side's batches have another size.
            rows = target[copied : copied + batch + 3]
            step.feed_target(rows, [500 + 2 * (copied + n) for n in range(len(rows))])
            copied += len(rows)
    return step


def test_equal_streams() -> None:
    """Offsets do not matter, batches do not matter."""
    records = [row(number) for number in range(100)]
    step = compare(records, records)
    assert step.difference is None
    assert step.equal_records == step.source_records == step.target_records == 100
    assert step.source_hash == step.target_hash == compare(records, records, 50).source_hash


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        (
            (None, b"v50", (("h", b"x"), ("h", None)), 50),
            "key",
            "on the source, null on the target",
        ),
        ((b"k50", b"", (("h", b"x"), ("h", None)), 50), "value", "0 bytes"),
        ((b"k50", b"v50", (("h", None), ("h", b"x")), 50), "headers", "2 headers"),
        ((b"k50", b"v50", (("h", b"x"), ("h", None)), 51), "timestamp", "51 on the target"),
        ((b"a", b"b", (), 50), "record", "different records"),
    ],
)
def test_a_changed_record(changed: Row, kind: str, words: str) -> None:
    """Both offsets are named, the contents are not shown."""
    source = [row(number) for number in range(100)]
    target = [*source[:50], changed, *source[51:]]
    step = compare(source, target)
    assert step.difference is not None
    assert step.difference.kind == kind
    assert (step.difference.source_offset, step.difference.target_offset) == (150, 600)
    assert words in step.difference.words
    assert "v50" not in step.difference.words
    assert step.equal_records == step.difference.index == 50
    assert step.source_hash != step.target_hash


@pytest.mark.parametrize("lost", [1, 3])
def test_missing_records(lost: int) -> None:
    """A loss is called a loss."""
    source = [row(number) for number in range(100)]
    step = compare(source, source[:40] + source[40 + lost :], 100)
    assert step.difference is not None
    assert step.difference.kind == "missing"
    assert "from source offset 140 on missing on the target" in step.difference.words


def test_a_duplicate() -> None:
    """A record that is there twice is extra."""
    source = [row(number) for number in range(100)]
    step = compare(source, [*source[:40], source[39], *source[40:]], 100)
    assert step.difference is not None
    assert step.difference.kind == "extra"
    assert "1 record from target offset 580 on not in the source there" in step.difference.words


def test_swapped_records() -> None:
    """Order counts."""
    source = [row(number) for number in range(100)]
    step = compare(source, [*source[:40], source[41], source[40], *source[42:]], 100)
    assert step.difference is not None
    assert step.difference.index == 40


def test_null_is_not_empty() -> None:
    """A tombstone is not a record without bytes."""
    assert compare([(None, None, (), 1)], [(None, b"", (), 1)]).difference is not None


def test_the_rest_of_one_side() -> None:
    """It is counted and hashed."""
    records = [row(number) for number in range(100)]
    step = compare(records, records[:60], 100)
    assert step.difference is None
    assert step.take_rest(of_source=True) == 40
    assert step.target_hash == compare(records[:60], records[:60]).source_hash
    assert step.source_hash == compare(records, records).source_hash
    step = compare(records[:60], records, 100)
    step.extra_on_target()
    assert step.difference is not None
    assert step.difference.source_offset is None
    assert step.difference.target_offset == 620

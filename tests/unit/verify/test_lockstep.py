"""What the comparison says about every way in which two streams can differ."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from kmirror.verify.lockstep import LockStep, Row


def row(number: int) -> Row:
    """Give a record."""
    return b"k%d" % number, b"v%d" % number, (("h", b"x"), ("h", None)), number


def compare(
    source: Sequence[Row], target: Sequence[Row], batch: int = 7, *, may_be_ahead: bool = False
) -> LockStep:
    """Compare two streams in batches, to their ends."""
    step = LockStep(target_may_be_ahead=may_be_ahead)
    at, copied = 0, 0
    while step.needs_source or step.needs_target:
        if step.needs_source:
            rows = source[at : at + batch]
            at += len(rows)
            if rows:
                step.feed_source(rows, [100 + at - len(rows) + n for n in range(len(rows))])
            else:
                step.end_source()
        if step.needs_target:
            # The other side's batches have another size.
            rows = target[copied : copied + batch + 3]
            copied += len(rows)
            if rows:
                first = copied - len(rows)
                step.feed_target(rows, [500 + 2 * (first + n) for n in range(len(rows))])
            else:
                step.end_target()
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


@pytest.mark.parametrize("lost", [1, 3, 30])
def test_missing_records(lost: int) -> None:
    """A loss is called a loss, wherever batches end."""
    source = [row(number) for number in range(100)]
    step = compare(source, source[:40] + source[40 + lost :])
    assert step.difference is not None
    assert step.difference.kind == "missing"
    gone = "1 record" if lost == 1 else f"{lost} records"
    assert f"{gone} from source offset 140 on missing on the target" in step.difference.words


def test_a_duplicate() -> None:
    """A record that is there twice is extra."""
    source = [row(number) for number in range(100)]
    step = compare(source, [*source[:40], source[39], *source[40:]])
    assert step.difference is not None
    assert step.difference.kind == "extra"
    assert "1 record from target offset 580 on not in the source there" in step.difference.words


def moved(records: list[Row], place: int, to: int) -> list[Row]:
    """Give the same records, one of them at another place."""
    left = records[:place] + records[place + 1 :]
    return [*left[:to], records[place], *left[to:]]


@pytest.mark.parametrize(
    ("place", "to", "words"),
    [
        (40, 41, "source offset 140 comes 1 record later on the target, at offset 582"),
        (40, 95, "source offset 140 comes 55 records later on the target, at offset 690"),
        (99, 40, "source offset 199 comes 59 records earlier on the target, at offset 580"),
        (0, 99, "source offset 100 comes 99 records later on the target, at offset 698"),
    ],
)
@pytest.mark.parametrize("behind", [0, 10])
def test_a_reordered_record(place: int, to: int, words: str, behind: int) -> None:
    """It is no loss and no invention, also where the target is behind."""
    source = [row(number) for number in range(100)]
    step = compare(
        source + [row(100 + number) for number in range(behind)], moved(source, place, to)
    )
    assert step.difference is not None
    assert step.difference.kind == "reordered"
    assert words in step.difference.words
    assert step.equal_records == step.difference.index == min(place, to)
    assert step.behind == 0


def test_two_records_that_changed_places() -> None:
    """However far apart."""
    source = [row(number) for number in range(100)]
    target = [*source[:20], source[80], *source[21:80], source[20], *source[81:]]
    difference = compare(source, target).difference
    assert difference is not None
    assert difference.kind == "reordered"
    assert (difference.source_offset, difference.target_offset) == (120, 660)


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("babababc", "missing"),
        ("aabababc", "missing"),
        ("aababababc", "extra"),
        ("abbababab" + "c", "extra"),
        ("baabababc", "reordered"),
        ("ababababxc", "extra"),
        ("xbabababc", "record"),
        ("ababab", None),
    ],
)
def test_records_that_look_the_same(target: str, kind: str | None) -> None:
    """What is lost or invented is told from what moved by how often it is there."""

    def rows(text: str) -> list[Row]:
        return [(each.encode(), each.encode(), (), ord(each)) for each in text]

    difference = compare(rows("ababababc"), rows(target), 3).difference
    assert kind == (None if difference is None else difference.kind)


def test_null_is_not_empty() -> None:
    """A tombstone is not a record without bytes."""
    assert compare([(None, None, (), 1)], [(None, b"", (), 1)]).difference is not None


def test_the_rest_of_one_side() -> None:
    """It is counted and hashed; what the target may have in front is not."""
    records = [row(number) for number in range(100)]
    step = compare(records, records[:60])
    assert step.difference is None
    assert (step.behind, step.equal_records) == (40, 60)
    assert step.target_hash == compare(records[:60], records[:60]).source_hash
    assert step.source_hash == compare(records, records).source_hash
    step = compare(records[:60], records)
    assert step.difference is not None
    assert step.difference.source_offset is None
    assert step.difference.target_offset == 620
    step = compare(records[:60], records, may_be_ahead=True)
    assert step.difference is None
    assert step.newer_on_target == 40
    assert step.source_hash == step.target_hash


@pytest.mark.parametrize("seed", range(40))
def test_random_changes(seed: int) -> None:
    """One change to records of which many look the same is called by its name."""
    rng = random.Random(seed)
    source = [row(number) for number in range(200)]
    at, other = rng.sample(range(200), 2)
    change, expected = rng.choice(
        [
            (source[:at] + source[at + 1 :], "missing"),
            ([*source[:at], source[other], *source[at:]], "extra"),
            (moved(source, at, other), "reordered"),
            ([*source[:at], row(1000), *source[at + 1 :]], "record"),
        ]
    )
    step = compare(source, change, rng.randrange(1, 50))
    if expected == "missing" and at == 199:
        assert (step.difference, step.behind) == (None, 1)
        return
    assert step.difference is not None
    assert step.difference.kind == expected, (at, other)

"""Where two partitions begin to be the same."""

from __future__ import annotations

from kmirror.verify.align import find_prefix
from kmirror.verify.lockstep import Row

Batches = list[tuple[list[Row], list[int]]]


def row(number: int) -> Row:
    """Give a record."""
    return None, b"%d" % number, (), 0


def batches(numbers: list[int], size: int = 3) -> Batches:
    """Give a stream whose offsets are ten times the index."""
    rows = [row(number) for number in numbers]
    return [
        (rows[at : at + size], [10 * (at + n) for n in range(len(rows[at : at + size]))])
        for at in range(0, len(rows), size)
    ]


def test_found_across_batches() -> None:
    """The records may lie in several batches."""
    stream = batches(list(range(20)))
    assert find_prefix(stream, [row(number) for number in range(7, 14)]) == (7, 70)


def test_one_equal_record_is_not_enough() -> None:
    """The whole beginning must fit."""
    assert find_prefix(batches([1, 2, 1, 2, 3, 9]), [row(1), row(2), row(3)]) == (2, 20)


def test_the_end_of_the_stream_cuts_the_match_short() -> None:
    """The other side may be longer."""
    assert find_prefix(batches([5, 6, 7]), [row(6), row(7), row(8), row(9)]) == (1, 10)


def test_not_found() -> None:
    """Nothing fits."""
    assert find_prefix(batches([1, 2, 3]), [row(4)]) is None
    assert find_prefix([], [row(4)]) is None
    assert find_prefix(batches([4, 5, 1, 2]), [row(4), row(1)]) is None

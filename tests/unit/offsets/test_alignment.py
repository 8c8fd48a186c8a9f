"""Holes are filled by comparing both sides; what is not certain is not said."""

from __future__ import annotations

from kmirror.offsets.alignment import Seen, align
from kmirror.wire.offset_runs import Run


def log(text: str, *, begin: int = 0, markers: str = "|") -> list[Seen]:
    """Give one record for each letter; a marker takes an offset and is no record."""
    return [Seen(begin + at, each) for at, each in enumerate(text) if each not in markers]


def test_the_same_on_both_sides() -> None:
    """Only markers lie between."""
    assert list(align(log("abcdef"), log("ab|cd|ef", begin=10)) or ()) == [
        Run(0, 10, 2),
        Run(2, 13, 2),
        Run(4, 16, 2),
    ]


def test_what_a_filter_left_out() -> None:
    """Records that are not on the target are in no run."""
    runs = align(log("abcdef"), log("bd|e"))
    assert list(runs or ()) == [Run(1, 0, 1), Run(3, 1, 1), Run(4, 3, 1)]


def test_what_compaction_removed_from_the_source() -> None:
    """Records that are only on the target are in no run either."""
    assert list(align(log("ace"), log("abcde")) or ()) == [Run(0, 0, 1), Run(1, 2, 1), Run(2, 4, 1)]


def test_equal_records() -> None:
    """All are there: each is the next one. One is missing: nobody knows which."""
    assert list(align(log("aaa"), log("aaa")) or ()) == [Run(0, 0, 3)]
    assert align(log("aaa"), log("aa")) is None


def test_twice_on_the_target() -> None:
    """An older mirror may have copied some twice: the first copy is not beyond any of them."""
    assert list(align(log("abc"), log("ababc")) or ()) == [Run(0, 0, 2), Run(2, 4, 1)]


def test_nothing_there() -> None:
    """Empty sides are no trouble."""
    assert list(align([], log("a")) or ()) == []
    assert list(align(log("a"), []) or ()) == []

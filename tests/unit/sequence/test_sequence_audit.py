"""The audit of a sequence: what is lost, there twice, out of order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.sequence.audit import Arrival, Counts, SequenceAudit


def _of(*numbers: int, first: int = 0) -> SequenceAudit:
    audit = SequenceAudit(first=first)
    for number in numbers:
        audit.add(number)
    return audit


@pytest.mark.parametrize(
    ("numbers", "duplicated", "reordered", "lost"),
    [
        ((), 0, 0, 0),
        ((0, 1, 2), 0, 0, 0),
        ((0, 2, 3), 0, 0, 1),
        ((0, 0, 1, 1, 0), 3, 0, 0),
        ((0, 2, 1), 0, 1, 0),
        ((5,), 0, 0, 5),
        ((0, 5, 2, 2, 6), 1, 1, 3),
        ((3, 1, 0, 2), 0, 3, 0),
    ],
)
def test_what_a_sequence_comes_to(
    numbers: tuple[int, ...], duplicated: int, reordered: int, lost: int
) -> None:
    """A late record is no longer lost, and a second one of a number is a duplicate."""
    counts = _of(*numbers).counts
    assert (counts.duplicated, counts.reordered, counts.lost) == (duplicated, reordered, lost)
    assert counts.arrived == len(numbers)
    assert counts.is_exact is (numbers in {(), (0, 1, 2)})


def test_each_arrival_is_judged_at_once() -> None:
    """New, late, and again."""
    audit = SequenceAudit()
    found = [audit.add(number) for number in (0, 2, 1, 1, 3)]
    late, again, new = Arrival.LATE, Arrival.AGAIN, Arrival.NEW
    assert found == [new, new, late, again, new]


def test_gaps_are_told_by_their_ends() -> None:
    """First number and end of each run, in order; a run is split where something came."""
    audit = _of(0, 10, 4, 20)
    assert audit.missing == ((1, 4), (5, 10), (11, 20))
    assert audit.next_number == 21
    assert [audit.has(number) for number in (0, 1, 4, 10, 21)] == [True, False, True, True, False]


def test_who_comes_later_does_not_miss_what_was_before() -> None:
    """Numbers below the first one are no loss, and count as there."""
    audit = _of(7, 8, first=7)
    assert audit.counts.is_exact
    assert audit.has(3)


def test_sums() -> None:
    """Of several partitions."""
    total = _of(0, 2).counts + _of(0, 0).counts
    assert total == Counts(arrived=4, distinct=3, duplicated=1, reordered=0, lost=1)


@settings(deadline=None)
@given(st.lists(st.integers(min_value=0, max_value=40), max_size=80))
def test_it_agrees_with_counting_by_hand(numbers: list[int]) -> None:
    """Whatever comes, in whatever order."""
    audit, seen, latest, reordered = SequenceAudit(), set[int](), -1, 0
    for number in numbers:
        audit.add(number)
        reordered += number not in seen and number < latest
        seen.add(number)
        latest = max(latest, number)
    counts = audit.counts
    assert counts.distinct == len(seen)
    assert counts.duplicated == len(numbers) - len(seen)
    assert counts.reordered == reordered
    assert counts.lost == latest + 1 - len(seen)
    missing = {number for start, end in audit.missing for number in range(start, end)}
    assert missing == set(range(latest + 1)) - seen
    assert all(audit.has(number) == (number in seen) for number in range(42))

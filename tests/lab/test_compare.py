"""The comparison names every difference and counts it once, without any broker."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from kmirror_lab.oracle.compare import Comparison
from kmirror_lab.oracle.stream import Row, Stream, fingerprint
from kmirror_lab.oracle.verdict import Fault

from kmirror.model import TopicPartition

PLACES = (TopicPartition("t", 0), TopicPartition("A.t", 0))
RECORDS = 12_000


def row(number: int) -> Row:
    """Give a record that is like no other."""
    return (number, b"%d" % number, b"value", None)


def compare(source: list[Row], target: list[Row]) -> dict[Fault, int]:
    """Compare two lists of records as if they had been read."""

    def read(rows: list[Row]) -> Stream:
        stream = Stream("", None, 0)
        stream.rows, stream.offsets = list(rows), list(range(len(rows)))
        return stream

    again = map(fingerprint, source)
    return Comparison(read(source), read(target), PLACES, lambda: again).run().counts


@pytest.mark.parametrize("seed", range(20))
def test_scattered_differences_of_every_kind(seed: int) -> None:
    """As many differences are found as were planted, kind by kind."""
    rng = random.Random(seed)
    source = [row(number) for number in range(RECORDS)]
    target: list[Row] = []
    harmed: set[int] = set()
    planted: Counter[Fault] = Counter()
    number = 0
    while number < RECORDS:
        if rng.random() > 0.01 or number + 1 == RECORDS:
            target.append(source[number])
        else:
            fault = rng.choice(
                [Fault.LOST, Fault.DUPLICATED, Fault.REORDERED, Fault.CHANGED, Fault.INVENTED]
            )
            planted[fault] += 1
            if fault in (Fault.LOST, Fault.CHANGED):
                harmed.add(number)
            if fault is Fault.DUPLICATED:
                again = rng.choice([n for n in range(number + 1) if n not in harmed])
                target += [source[number], source[again]]
            elif fault is Fault.REORDERED:
                target += [source[number + 1], source[number]]
                number += 1
            elif fault is Fault.CHANGED:
                target.append((number, None, b"value", None))
            elif fault is Fault.INVENTED:
                target += [source[number], row(RECORDS + number)]
        # A record that follows a difference is as it should be: two at one place are one.
        number += 1
        target += source[number : number + 1]
        number += 1
    assert compare(source, target) == dict(planted)


@pytest.mark.parametrize("length", [1, 100, 9_000])
def test_a_long_run_is_lost_or_doubled(length: int) -> None:
    """Also when the run is longer than what is looked at together."""
    source = [row(number) for number in range(RECORDS)]
    lost = source[:1000] + source[1000 + length :]
    assert compare(source, lost) == {Fault.LOST: length}
    doubled = source[:10_000] + source[10_000 - length :]
    assert compare(source, doubled) == {Fault.DUPLICATED: length}
    foreign = [row(RECORDS + number) for number in range(length)]
    assert compare(source, source[:1000] + foreign + source[1000:]) == {Fault.INVENTED: length}
    other: list[Row] = [(*row(number)[:3], [("h", b"1")]) for number in range(1000, 1000 + length)]
    changed = source[:1000] + other + source[1000 + length :]
    assert compare(source, changed) == {Fault.CHANGED: length}


def test_everything_is_lost() -> None:
    """An empty target."""
    assert compare([row(0), row(1)], []) == {Fault.LOST: 2}
    assert compare([], [row(0)]) == {Fault.INVENTED: 1}
    assert compare([], []) == {}

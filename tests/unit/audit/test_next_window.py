"""Which window comes next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.audit.choice import choose
from kmirror.audit.next_window import AuditFacts, PlannedWindow, next_window
from kmirror.model import TopicPartition
from kmirror.offsets.exact import ExactMap, Pair
from kmirror.offsets.live import KeptChunk
from kmirror.wire.offset_runs import Chunk, Run, encode_chunk

T, COPY = TopicPartition("t", 0), TopicPartition("A.t", 0)
FACTS = AuditFacts(
    source=T,
    target=COPY,
    topic_id="s",
    copy_id="c",
    log_start=0,
    copy_log_start=0,
    position=Pair(source=100, target=110),
    next=None,
)


def the_map(*runs: Run, start: int = 0, end: int = 100) -> ExactMap:
    """Give a map of one chunk."""
    chunk = Chunk(partition=T, start=start, source_id=None, target_id=None, end=end, runs=runs)
    return ExactMap([KeptChunk(start, end, *encode_chunk(chunk))])


def place_in(known: ExactMap, offset: int) -> Pair | None:
    """Give the first known place, as a translator does."""
    found = known.to_target(offset)
    return found if isinstance(found, Pair) else found.after


def windows(facts: AuditFacts, known: ExactMap, *, offsets_max: int = 40) -> list[PlannedWindow]:
    """Give all windows up to the position."""
    found: list[PlannedWindow] = []
    while True:
        window = next_window(facts, lambda _, at: place_in(known, at), offsets_max=offsets_max)
        if window is None:
            return found
        found.append(window)
        facts = replace(facts, next=window.end)


def ranges(found: list[PlannedWindow]) -> list[tuple[int, int, int, int]]:
    """Give the offsets alone."""
    return [(w.start.source, w.end.source, w.start.target, w.end.target) for w in found]


def test_windows_leave_no_hole() -> None:
    """A record of somebody else between two runs is in the first window."""
    known = the_map(Run(0, 0, 50), Run(50, 55, 50))
    found = windows(FACTS, known)
    assert ranges(found) == [(0, 40, 0, 40), (40, 80, 40, 85), (80, 100, 85, 110)]
    assert not any(window.undecidable for window in found)


def test_what_lies_before_a_new_copy_is_in_its_first_window() -> None:
    assert ranges(windows(FACTS, the_map(Run(0, 7, 100)), offsets_max=100)) == [(0, 100, 0, 110)]


def test_what_the_map_does_not_know_is_not_decided() -> None:
    found = windows(FACTS, the_map(Run(60, 70, 40), start=60))
    assert ranges(found) == [(0, 60, -1, 70), (60, 100, 70, 110)]
    assert [bool(window.undecidable) for window in found] == [True, False]


def test_a_gap_of_the_map_makes_a_window_longer() -> None:
    known = the_map(Run(0, 0, 30), end=30)
    later = Chunk(
        partition=T, start=70, source_id=None, target_id=None, end=100, runs=(Run(70, 71, 30),)
    )
    known.add(KeptChunk(70, 100, *encode_chunk(later)))
    assert ranges(windows(FACTS, known)) == [(0, 70, 0, 71), (70, 100, 71, 110)]


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (replace(FACTS, log_start=30, next=Pair(source=10, target=10)), "the source deleted"),
        (replace(FACTS, copy_log_start=30, next=Pair(source=10, target=10)), "the target deleted"),
        (replace(FACTS, why_not="filtered"), "filtered"),
    ],
)
def test_what_cannot_be_compared(facts: AuditFacts, why: str) -> None:
    window = windows(facts, the_map(Run(0, 0, 100)))[0]
    assert why in window.undecidable


def test_what_is_audited_is_not_read_again() -> None:
    assert windows(replace(FACTS, next=FACTS.position), the_map(Run(0, 0, 100))) == []
    assert FACTS.behind == 100
    assert replace(FACTS, next=FACTS.position).behind == 0


def test_a_read_takes_a_window_of_each_partition_first() -> None:
    other = replace(FACTS, source=TopicPartition("u", 0), target=TopicPartition("A.u", 0))
    known = the_map(Run(0, 0, 100))
    chosen = choose(
        [other, FACTS],
        {T: 200_000.0, other.source: 200_000.0},
        lambda _, at: place_in(known, at),
        records_max=40,
        bytes_per_second=1_000,
    )
    # Each is 8 MB, which is all that fits.
    assert [window.facts.source for window in chosen] == [T, other.source]

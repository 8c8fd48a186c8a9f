"""How much lanes have on its way to the target, over imitated links with a clock of their own."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("Paces.java")
_SECONDS = 400
_PIECE_BYTES = 16_000
_REQUEST_TIMEOUT_S = 30
_PAUSE = 3 / 4
_SAVED_MS = 75


class _Link(NamedTuple):
    bytes_per_s: int
    round_trip_ms: int


class _Use(NamedTuple):
    share: float
    longest_flush_ms: float
    batch_bytes_max: int
    far: bool
    due_ms: int
    due_soon_ms: int
    due_after_it_ms: int
    due_after_idle_ms: int
    due_after_pause: bool
    due_in_pause: bool
    commits_of_slow: int
    commits_of_fast: int


_USUAL = [_Link(rate, ms) for rate in (25_000, 125_000, 1_250_000) for ms in (0, 20, 100)]
_NARROW, _FAR = _Link(8_000, 100), _Link(12_500_000, 300)


@pytest.fixture(scope="module")
def uses() -> dict[_Link, _Use]:
    """Return what a lane makes of each link."""
    links = [*_USUAL, _NARROW, _FAR]
    lines = "".join(f"{link.bytes_per_s} {link.round_trip_ms}\n" for link in links)
    printed = run_java(
        _PROGRAM, str(_PIECE_BYTES), str(_SECONDS), jars=connector_path(), lines=lines
    )
    return dict(zip(links, map(_use, printed.splitlines()), strict=True))


def _use(line: str) -> _Use:
    share, flush, limit, far, *due, later, at_once, slow, fast = line.split()
    return _Use(
        float(share),
        float(flush),
        int(limit),
        far == "true",
        *map(int, due),
        later == "true",
        at_once == "true",
        int(slow),
        int(fast),
    )


@pytest.mark.parametrize("link", _USUAL)
def test_the_link_is_full_and_commits_are_short(link: _Link, uses: dict[_Link, _Use]) -> None:
    """More than nine tenths of any rate; and never more on its way than moments take."""
    use = uses[link]
    assert 0.95 < use.share <= 1.01
    assert use.longest_flush_ms < 4000
    quarter = link.bytes_per_s * _REQUEST_TIMEOUT_S / 4
    assert 0.9 * quarter < use.batch_bytes_max < 1.2 * quarter


def test_a_link_for_one_batch_at_a_time(uses: dict[_Link, _Use]) -> None:
    """At 64 kbit/s a commit waits for little more than the least that is sent at all."""
    assert uses[_NARROW].share > 0.93
    assert uses[_NARROW].longest_flush_ms < 5000


def test_what_is_far_away_is_reached_with_more(uses: dict[_Link, _Use]) -> None:
    """Batches are not taken apart because a round trip is long."""
    assert uses[_FAR].batch_bytes_max > 16 * 1024 * 1024


def test_far_is_a_matter_of_round_trips(uses: dict[_Link, _Use]) -> None:
    """Where round trips are long, small batches must not each wait for one."""
    assert not uses[_Link(1_250_000, 0)].far
    assert all(uses[link].far for link in uses if link.round_trip_ms >= 20)


def test_transactions_of_a_far_backlog_last_longer(uses: dict[_Link, _Use]) -> None:
    """A round trip is lost with each; a moment without records ends only the one that is open."""
    for use in uses.values():
        assert use.due_after_it_ms == (5000 if use.far else 100) * _PAUSE
        assert use.due_after_idle_ms == 100 * _PAUSE


def test_after_a_pause_two_may_end_in_a_row(uses: dict[_Link, _Use]) -> None:
    """What the last one left of the time since the one before counts for the next, and no more."""
    for use in uses.values():
        assert use.due_ms == use.due_after_it_ms - _SAVED_MS
        assert use.due_soon_ms == use.due_after_idle_ms - _SAVED_MS == 0


def test_what_comes_after_a_pause_is_not_held_back(uses: dict[_Link, _Use]) -> None:
    """It is committed at once, but together with all that came with it."""
    for use in uses.values():
        assert use.due_in_pause
        assert not use.due_after_pause


def test_pauses_make_commits_hardly_more_frequent(uses: dict[_Link, _Use]) -> None:
    """A record each interval is never held back; ten in one share a commit, or seven."""
    for use in uses.values():
        assert use.commits_of_slow == 1000
        assert 100 <= use.commits_of_fast <= 135

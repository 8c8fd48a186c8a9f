"""Runs side by side, and figures over time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kmirror_lab.duplicates import varied
from kmirror_lab.duplicates.conditions import conditions_of
from kmirror_lab.duplicates.course import Moment
from kmirror_lab.duplicates.result import Conditions, Peer
from kmirror_lab.duplicates.scenario import find_scenario
from kmirror_lab.duplicates.vary import read_vary
from kmirror_lab.report.series import (
    AXES,
    lag,
    link_of,
    series_of,
    show_bytes,
    throughput,
    twice_share,
)

from tests.support.duplicates_run import counted, run_of

_TIMEOUT, _BATCH, _RATE = AXES
_SLOW = Conditions(
    asked="slow",
    request_timeout_ms=500,
    batch_bytes=131_072,
    rate_bit_s=10**6,
    delay_s=0.05,
    lines=("us-east-2.producer.retries = 1",),
)


def test_only_what_differs_in_one_thing_is_compared() -> None:
    """The same mirror, the same everything else, however the scenario is called."""
    longer = replace(_SLOW, asked="other", request_timeout_ms=2000)
    runs = [
        run_of(counted(10), conditions=longer),
        run_of(counted(10, 5), conditions=_SLOW),
        run_of(counted(10), conditions=_SLOW, peer=Peer.KMIRROR),
        run_of(counted(10), conditions=replace(longer, delay_s=0.1)),
        run_of(counted(10, produced=50), conditions=replace(longer, request_timeout_ms=9)),
    ]
    (found,) = series_of(runs, _TIMEOUT)
    assert [value for value, _ in found.points] == [500, 2000]
    assert found.peer is Peer.MIRROR_MAKER
    assert found.fixed == "128 KiB, 1mbit, delay 50ms, retries = 1"
    assert series_of(runs, _BATCH) == []


def test_no_limit_is_no_rate() -> None:
    """It has no place on an axis of rates."""
    rates = [replace(_SLOW, rate_bit_s=rate) for rate in (0, 10**6, 2 * 10**5)]
    (found,) = series_of([run_of(counted(1), conditions=each) for each in rates], _RATE)
    assert [_RATE.show(value) for value, _ in found.points] == ["200kbit", "1mbit"]


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: axis.name)
def test_what_is_advised_gives_a_plot(axis: object) -> None:
    """The command in the word on a plot that is left out can be typed, and gives points."""
    (axis,) = (each for each in AXES if each is axis)
    base = find_scenario("slow-link-large-batches")
    key, values = read_vary(axis.vary)
    runs = [
        run_of(counted(1), conditions=conditions_of(varied(base, key, value))) for value in values
    ]
    (found,) = series_of(runs, axis)
    assert len(found.points) == len(values)
    assert axis.vary in axis.left_out.en
    assert axis.vary in axis.left_out.zh


def test_our_files_of_batches_are_a_series() -> None:
    """`slow-link-few-retries`, `-large-batches`, `-huge-batches` differ in nothing else."""
    names = ("slow-link-few-retries", "slow-link-large-batches", "slow-link-huge-batches")
    runs = [run_of(counted(1), conditions=conditions_of(find_scenario(name))) for name in names]
    (found,) = series_of(runs, _BATCH)
    assert [_BATCH.show(value) for value, _ in found.points] == ["64 KiB", "128 KiB", "1 MiB"]


def test_texts() -> None:
    """Sizes and links as people write them."""
    assert [show_bytes(size) for size in (16_384, 1_000, 1_500)] == ["16 KiB", "1,000 B", "1,500 B"]
    assert link_of(Conditions(asked="x")) == "nothing"
    lossy = replace(_SLOW, loss=0.5, loss_back=0.3, steps=("2 s: heal",))
    assert link_of(lossy) == "rate 1mbit, delay 50ms, loss 50%, loss back 30%, 2 s: heal"
    assert twice_share(run_of(counted(0))) == 0
    assert twice_share(run_of(counted(60, 40))) == 40


def _course(*counts: tuple[float, int, int]) -> list[Moment]:
    return [
        Moment(at_s=at_s, produced=produced, mirrored=distinct, distinct=distinct)
        for at_s, produced, distinct in counts
    ]


def test_over_time() -> None:
    """What came in the last five seconds; what has not come yet."""
    course = _course((0.1, 10, 0), (1, 50, 10), (2, 50, 30), (4.5, 50, 30), (7.2, 50, 50))
    assert throughput(course) == [(1, 10), (2, 15), (3, 10), (4, 7.5), (5, 6), (6, 4), (7, 0)]
    assert lag(course) == [(0.1, 10), (1, 40), (2, 20), (4.5, 20), (7.2, 0)]
    assert throughput([]) == lag([]) == throughput(_course((0, 1, 1))) == []


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.tuples(st.floats(0.01, 9), st.integers(0, 99)), max_size=40))
def test_throughput_never_falls_below_nothing(steps: list[tuple[float, int]]) -> None:
    """Whenever records come, and however many."""
    at_s, count, course = 0.0, 0, _course((0, 0, 0))
    for pause_s, more in steps:
        at_s, count = at_s + pause_s, count + more
        course += _course((at_s, count, count))
    found = throughput(course)
    assert len(found) == int(at_s)
    assert all(rate >= 0 for _, rate in found)

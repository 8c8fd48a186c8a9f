"""A soak's faults come from its seed alone."""

from __future__ import annotations

from itertools import islice

from tests.soak.schedule import ENDS_DRIVER, Kind, Round, rounds


def first(count: int, seed: int) -> list[Round]:
    """Give the first rounds of a seed."""
    return list(islice(rounds(seed), count))


def test_the_same_seed_gives_the_same_rounds() -> None:
    """And another seed gives others."""
    assert first(50, 7) == first(50, 7)
    assert first(50, 7) != first(50, 8)


def test_every_kind_comes() -> None:
    """Within the rounds of two hours, whatever the seed."""
    for seed in range(20):
        assert {kind for each in first(60, seed) for kind in each.kinds} == set(Kind)


def test_drivers_live_for_a_while() -> None:
    """Their memory could show no trend otherwise; and a driver's end comes alone."""
    ends = [each for each in first(60, 3) if set(each.kinds) & set(ENDS_DRIVER)]
    assert [each.number for each in ends] == [6, 18, 30, 42, 54]
    assert all(len(each.kinds) == 1 for each in ends)

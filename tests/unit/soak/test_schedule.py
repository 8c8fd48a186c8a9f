"""A soak's faults come from its seed alone."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.soak.schedule import (
    DRIVER_ENDS_EVERY,
    DRIVER_ENDS_EVERY_SHORT,
    ENDS_DRIVER,
    Kind,
    Round,
    rounds,
)


def first(count: int, seed: int, driver_ends_every: int = DRIVER_ENDS_EVERY) -> list[Round]:
    """Give the first rounds of a seed."""
    return list(islice(rounds(seed, driver_ends_every), count))


def test_the_same_seed_gives_the_same_rounds() -> None:
    """And another seed gives others."""
    assert first(50, 7) == first(50, 7)
    assert first(50, 7) != first(50, 8)


@pytest.mark.parametrize(
    ("count", "driver_ends_every"),
    [(60, DRIVER_ENDS_EVERY_SHORT), (300, DRIVER_ENDS_EVERY)],
    ids=["half an hour", "two hours"],
)
def test_every_kind_comes(count: int, driver_ends_every: int) -> None:
    """Whatever the seed."""
    for seed in range(20):
        kinds = {kind for each in first(count, seed, driver_ends_every) for kind in each.kinds}
        assert kinds == set(Kind)


@pytest.mark.parametrize(
    ("count", "driver_ends_every", "ends"),
    [
        (60, DRIVER_ENDS_EVERY_SHORT, [6, 18, 30, 42, 54]),
        (200, DRIVER_ENDS_EVERY, [6, 54, 102, 150, 198]),
    ],
    ids=["short run", "long run"],
)
def test_drivers_live_for_a_while(count: int, driver_ends_every: int, ends: list[int]) -> None:
    """Their memory could show no trend otherwise; and a driver's end comes alone."""
    found = [each for each in first(count, 3, driver_ends_every) if {*each.kinds} & {*ENDS_DRIVER}]
    assert [each.number for each in found] == ends
    assert all(len(each.kinds) == 1 for each in found)

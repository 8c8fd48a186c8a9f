"""What a move may do, and in which words it is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.model import TopicPartition
from kmirror.plans.moves import Calm, Loss, MoveKind, MoveOptions, refusal
from kmirror.plans.places import GroupPlace, GroupSurvey, joined, positions, with_committed
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.words import some

FAILOVER = MoveOptions(kind=MoveKind.FAILOVER)
PLACE = GroupPlace(
    group="g",
    here=TopicPartition("t", 0),
    offset=40,
    there=TopicPartition("A.t", 0),
    goes_on=42,
    committed=None,
    metadata="m",
)


@pytest.mark.parametrize(
    ("calm", "options", "why"),
    [
        (Calm(lag_records=0), FAILOVER, ""),
        (Calm(lag_records=0, active=("g",)), FAILOVER, ""),
        (Calm(lag_records=7), FAILOVER, "7 records of A are not on B yet"),
        (Calm(lag_records=7), replace(FAILOVER, max_lag_records=7), ""),
        (Calm(lag_records=8), replace(FAILOVER, max_lag_records=7), "8 records of A"),
        (Calm(lag_records=0), MoveOptions(kind=MoveKind.PROMOTE), ""),
        (Calm(lag_records=0, active=("g", "h")), MoveOptions(kind=MoveKind.PROMOTE), "g, h"),
        # The bound is for failovers.
        (Calm(lag_records=1), MoveOptions(kind=MoveKind.PROMOTE, max_lag_records=9), "1 records"),
        (Calm(lag_records=0, active=("g",)), MoveOptions(kind=MoveKind.FAILBACK), "members on A"),
    ],
)
def test_refusals(calm: Calm, options: MoveOptions, why: str) -> None:
    """A failover goes on with consumers and, when told, with a lag; the others do not."""
    said, hint = refusal(calm, options, here="A", there="B")
    assert why in said
    assert bool(said) == bool(hint) == bool(why)


def test_what_is_waited_for() -> None:
    """A failover does not wait for consumers to leave."""
    busy = Calm(lag_records=0, active=("g",))
    assert busy.is_enough(MoveKind.FAILOVER)
    assert not busy.is_enough(MoveKind.PROMOTE)
    assert not busy.is_enough(MoveKind.FAILBACK)
    assert not Calm(lag_records=1).is_enough(MoveKind.FAILOVER)


@pytest.mark.parametrize(
    ("committed", "forwards", "both"),
    [(None, True, True), (41, True, True), (42, False, False), (43, False, True)],
)
def test_which_places_move(committed: int | None, forwards: bool, both: bool) -> None:
    """Backwards only when that is asked for."""
    survey = GroupSurvey(places=(replace(PLACE, committed=committed),))
    assert bool(survey.moves(backwards=False)) == forwards
    assert bool(survey.moves(backwards=True)) == both


def test_a_held_group_is_left_only_where_it_is_behind() -> None:
    """One that has come as far, or further, has moved already."""
    behind, there = PLACE, replace(PLACE, group="h", committed=42)
    survey = GroupSurvey(places=(behind, there), held={"g": "members", "h": "members"})
    assert survey.moves(backwards=True) == ()
    assert survey.left() == {"g": "members"}


def test_places_as_offsets() -> None:
    """By group and partition, with the text that the group committed."""
    other = replace(PLACE, there=TopicPartition("A.t", 1), goes_on=7)
    wanted = positions([PLACE, other])
    assert wanted == {
        "g": {
            TopicPartition("A.t", 0): GroupPosition(offset=42, metadata="m"),
            TopicPartition("A.t", 1): GroupPosition(offset=7, metadata="m"),
        }
    }
    assert with_committed([PLACE, other], wanted)[1].committed == 7
    assert with_committed([PLACE], {}) == (PLACE,)


def test_two_ways_at_once() -> None:
    """A group that reads the topics of both directions is one group."""
    first = GroupSurvey(places=(PLACE,), held={"g": "a"}, active=frozenset({"g"}))
    second = GroupSurvey(places=(replace(PLACE, group="h"),), unknown=(("h", PLACE.here),))
    both = joined(first, second)
    assert both.groups == {"g", "h"}
    assert (both.held, both.active, both.unknown) == ({"g": "a"}, {"g"}, second.unknown)


def test_words() -> None:
    """Numbers that people read at night."""
    assert str(Loss()) == "0 records"
    assert str(Loss(records=1200, age_s=3.25)) == "1,200 records, the oldest 3.2 s old"
    assert str(Loss(records=None, age_s=2.0)).startswith("unknown; the newest record")
    assert str(Loss(records=None)) == "unknown; nothing was ever copied"
    assert some("abcdefg") == "a, b, c, d, e and 2 more"

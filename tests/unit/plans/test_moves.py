"""What a move may do, and in which words it is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.model import TopicPartition
from kmirror.plans.moves import Calm, Loss, MoveKind, MoveOptions, TopicLoss, refusal
from kmirror.plans.places import (
    GroupPlace,
    GroupSurvey,
    UnknownPlace,
    joined,
    positions,
    with_committed,
)
from kmirror.plans.snapshot import GroupPosition
from kmirror.plans.text import first_few
from kmirror.wire.written_offsets import WrittenOffset

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


def wrote(offset: int, origin: int) -> WrittenOffset:
    """Give what kmirror has committed there."""
    return WrittenOffset(
        cluster="B", group="g", partition=PLACE.there, offset=offset, origin=origin, at_ms=0
    )


# The group is at 40 here, which is 42 there.
@pytest.mark.parametrize(
    ("written", "moves", "words"),
    [
        (None, False, "nothing says that kmirror committed that on B; --allow-backwards moves"),
        (
            wrote(850, origin=850),
            False,
            "a consumer of B committed that; kmirror had committed 850",
        ),
        (wrote(900, origin=898), True, ""),
        # It was not moved back: kmirror knew the place better then.
        (wrote(900, origin=40), False, ""),
    ],
)
def test_a_group_that_is_further_there(
    written: WrittenOffset | None, moves: bool, words: str
) -> None:
    """What kmirror wrote goes back; what a consumer has committed does only when that is told."""
    survey = GroupSurvey(places=(replace(PLACE, committed=900, written=written),))
    found = survey.moves(backwards=False)
    assert bool(found) is moves
    left = survey.moved(found).left(there="B")
    assert bool(left) is bool(words)
    if words:
        start = "A.t-0: starts at 900, should at 42: up to 858 records would be skipped"
        assert left["g"].startswith(f"{start} ({words}")
    assert not survey.moved(survey.moves(backwards=True)).left(there="B")


def test_what_is_wrong_with_a_start() -> None:
    """Skipped, read twice, or nowhere; and why it could not be set."""
    survey = GroupSurvey(
        places=(replace(PLACE, committed=40), replace(PLACE, group="h")),
        held={"h": "it has members there"},
        unread={"i": "its coordinator is away"},
    )
    assert survey.left(failed={"g": "it was refused"}, there="B") == {
        "g": "A.t-0: starts at 40, should at 42: up to 2 records would be read twice "
        "(it was refused)",
        "h": "A.t-0: has no offset, should start at 42 (it has members there)",
        "i": "its coordinator is away",
    }
    assert survey.groups == {"g", "h", "i"}


def test_who_has_taken_over() -> None:
    """Consumers that are further there, or go on from the right place, skip nothing."""
    further = replace(PLACE, committed=900)
    assert GroupSurvey(places=(further,)).left({further.key}, there="B") == {}
    in_use = GroupSurvey(places=(further,), held={"g": "members"})
    assert in_use.is_in_use(further)
    assert in_use.left(there="B") == {}
    # A failback: what it has read there before it came here was never copied.
    assert GroupSurvey(places=(replace(further, has_all=True),)).left(there="B") == {}
    # Members that have not read on from where kmirror has put them.
    waits = replace(further, written=wrote(900, origin=898), has_all=True)
    assert GroupSurvey(places=(waits,), held={"g": "members"}).left(there="B").keys() == {"g"}


def test_a_held_group_is_left_only_where_it_is_behind() -> None:
    """One that has come as far, or further, has moved already."""
    behind, there = PLACE, replace(PLACE, group="h", committed=42)
    survey = GroupSurvey(places=(behind, there), held={"g": "members", "h": "members"})
    assert survey.moves(backwards=True) == ()
    assert survey.left(there="B").keys() == {"g"}


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
    unknown = UnknownPlace(group="h", partition=PLACE.here, offset=7, why="it is gone")
    second = GroupSurvey(places=(replace(PLACE, group="h"),), unknown=(unknown,))
    both = joined(first, second)
    assert both.groups == {"g", "h"}
    assert (both.held, both.active, both.unknown) == ({"g": "a"}, {"g"}, second.unknown)


def test_words() -> None:
    """Numbers that people read at night."""
    assert str(Loss()) == "0 records"
    assert str(Loss(records=1200, age_s=3.25)) == "1,200 records, the oldest 3.2 s old"
    assert str(Loss(records=None, age_s=2.0)).startswith("unknown; the newest record")
    assert str(Loss(records=None)) == "unknown; nothing was ever copied"
    assert str(Loss(records=None, age_s=2.0)).endswith("was copied is 2.0 s old")
    assert first_few("abcdefg") == "a, b, c, d, e and 2 more"


def test_losses_in_words() -> None:
    """What is lost, when, and who reads again."""
    assert list(Loss().sentences(here="A", there="B")) == []
    lag = Loss(
        records=1200,
        age_s=3.25,
        topics=(TopicLoss(topic="t", records=1200, age_s=3.25),),
        read_already={"g": 7},
    )
    first, *rest = lag.sentences(here="A", there="B")
    assert "on A and not on B yet: lost if A never comes back" in first
    assert rest == [
        "  t: 1,200 records, the oldest 3.2 s old",
        "  g has read 7 of them on A and will read them again",
    ]
    dead = Loss(records=None, age_s=2.0, topics=(TopicLoss(topic="t", records=None, age_s=9.0),))
    first, topic, last = dead.sentences(here="A", there="B")
    assert "A was not heard: what was written there later is not on B" in first
    assert topic == "  t: the newest record that was copied is 9.0 s old"
    assert "newest checkpoint" in last

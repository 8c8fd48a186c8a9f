"""Which groups are followed, and what is committed for them on the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kmirror.model import TopicPartition
from kmirror.plans.group_commits import CommitPlan, Translation, plan_commits, refusal
from kmirror.plans.snapshot import GroupPosition, GroupState
from kmirror.wire.written_offsets import WrittenOffset

HERE, THERE = TopicPartition("t", 0), TopicPartition("A.t", 0)


def group(kind: str = "Classic", protocol: str = "consumer", state: str = "Stable") -> GroupState:
    """Give a group."""
    return GroupState(name="g", kind=kind, protocol=protocol, state=state)


def at(downstream: int, upstream: int = 1) -> dict[str, dict[TopicPartition, Translation]]:
    """Give one group's translation."""
    place = Translation(target=THERE, upstream=upstream, downstream=downstream, metadata="m")
    return {"g": {HERE: place}}


def wrote(offset: int, origin: int) -> WrittenOffset:
    """Give what kmirror has committed."""
    return WrittenOffset(
        cluster="B", group="g", partition=THERE, offset=offset, origin=origin, at_ms=0
    )


def plan(
    translations: Mapping[str, Mapping[TopicPartition, Translation]],
    states: Mapping[str, GroupState],
    there: int | None = None,
    written: WrittenOffset | None = None,
) -> CommitPlan:
    """Plan for what one group has committed."""
    committed = {} if there is None else {"g": {THERE: GroupPosition(offset=there)}}
    return plan_commits(translations, states, committed, lambda *_: written, cluster="B")


def test_followed_groups() -> None:
    """Those with offsets, of either protocol, from old brokers too."""
    for kind, protocol in (
        ("Classic", "consumer"),
        ("Consumer", "consumer"),
        ("", ""),
        ("Classic", ""),
    ):
        assert not refusal(group(kind, protocol), lambda name: name == "g")


def test_refused_groups() -> None:
    """The reason is in words."""
    assert "groups.exclude" in refusal(group(), lambda _: False)
    assert "share group" in refusal(group("Share", "share"), lambda _: True)
    assert "streams group" in refusal(group("Streams", "streams"), lambda _: True)
    assert "connect" in refusal(group("Classic", "connect"), lambda _: True)
    assert "unknown" in refusal(group("New", ""), lambda _: True)


def test_only_forwards() -> None:
    """What somebody else has committed is never moved back."""
    for there, moves in ((None, True), (4, True), (5, False), (6, False)):
        for written in (None, wrote(7, origin=9)):
            found = plan(at(5), {}, there, written)
            assert bool(found.commit) is moves, there
            if moves:
                assert found.commit["g"] == {THERE: GroupPosition(offset=5, metadata="m")}


@pytest.mark.parametrize(
    ("written", "moves", "words"),
    [
        (None, False, "A.t-0 is at 900, not at 100: nothing says that kmirror committed that on B"),
        (wrote(850, origin=850), False, "a consumer of B committed that"),
        (wrote(900, origin=900), True, ""),
        # The same place of the group, of which less is known than when it was committed.
        (wrote(900, origin=100), False, ""),
        (wrote(900, origin=99), False, ""),
    ],
)
def test_backwards(written: WrittenOffset | None, moves: bool, words: str) -> None:
    """What kmirror has committed follows a group that was moved back."""
    found = plan(at(100, upstream=100), {}, 900, written)
    assert bool(found.commit) is moves
    assert words in found.further.get("g", "")
    assert bool(found.further) is bool(words)


@pytest.mark.parametrize(
    ("written", "moves"), [(None, False), (wrote(850, origin=100), False), (wrote(900, 100), True)]
)
def test_where_a_log_was_cut(written: WrittenOffset | None, moves: bool) -> None:
    """What kmirror has committed goes back, although the group did not; a consumer's stays."""
    (place,) = at(100, upstream=100)["g"].values()
    found = plan({"g": {HERE: replace(place, is_anew=True)}}, {}, 900, written)
    assert bool(found.commit) is moves
    assert bool(found.further) is not moves


def test_active_groups_are_left_alone() -> None:
    """Whatever they have committed."""
    for state in (
        "Stable",
        "PreparingRebalance",
        "CompletingRebalance",
        "Assigning",
        "Reconciling",
    ):
        found = plan(at(5), {"g": group(state=state)}, 6, wrote(6, origin=6))
        assert not found.commit
        assert "members" in found.held["g"]
    for state in ("Empty", "Dead", ""):
        assert plan(at(5), {"g": group(state=state)}).commit


def test_a_group_of_another_kind() -> None:
    """The same name may be a share group on the target."""
    found = plan(at(5), {"g": group("Share", "share", "Empty")})
    assert found.held == {"g": "there it is a Share group"}

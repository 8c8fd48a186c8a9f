"""Which groups are followed, and what is committed for them on the target."""

from __future__ import annotations

from kmirror.model import TopicPartition
from kmirror.plans.groups import Translation, plan_commits, refusal
from kmirror.plans.snapshot import GroupPosition, GroupState

HERE, THERE = TopicPartition("t", 0), TopicPartition("A.t", 0)


def group(kind: str = "Classic", protocol: str = "consumer", state: str = "Stable") -> GroupState:
    """Give a group."""
    return GroupState(name="g", kind=kind, protocol=protocol, state=state)


def at(downstream: int) -> dict[str, dict[TopicPartition, Translation]]:
    """Give one group's translation."""
    place = Translation(target=THERE, upstream=1, downstream=downstream, metadata="m")
    return {"g": {HERE: place}}


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
    """An idle group is never moved back."""
    for there, moves in ((None, True), (4, True), (5, False), (6, False)):
        committed = {} if there is None else {"g": {THERE: GroupPosition(offset=there)}}
        plan = plan_commits(at(5), {}, committed)
        assert bool(plan.commit) is moves, there
        if moves:
            assert plan.commit["g"] == {THERE: GroupPosition(offset=5, metadata="m")}


def test_active_groups_are_left_alone() -> None:
    """Whatever they have committed."""
    for state in (
        "Stable",
        "PreparingRebalance",
        "CompletingRebalance",
        "Assigning",
        "Reconciling",
    ):
        plan = plan_commits(at(5), {"g": group(state=state)}, {})
        assert not plan.commit
        assert "members" in plan.held["g"]
    for state in ("Empty", "Dead", ""):
        assert plan_commits(at(5), {"g": group(state=state)}, {}).commit


def test_a_group_of_another_kind() -> None:
    """The same name may be a share group on the target."""
    plan = plan_commits(at(5), {"g": group("Share", "share", "Empty")}, {})
    assert plan.held == {"g": "there it is a Share group"}

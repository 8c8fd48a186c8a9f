"""A group is never beyond the copy, and nothing about it is said or done twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kmirror.groups.followed_group import Copied, FollowedGroup
from kmirror.model import TopicPartition
from kmirror.plans.group_commits import Translation
from kmirror.plans.snapshot import GroupPosition

HERE, THERE = TopicPartition("t", 0), TopicPartition("A.t", 0)
# On the target everything lies ten offsets further.
SHIFT = 10


def shifted(_: TopicPartition, offset: int) -> int | None:
    return offset + SHIFT


def unknown(_: TopicPartition, _offset: int) -> int | None:
    return None


def copied(behind: int, target: TopicPartition = THERE) -> Copied:
    return {HERE: (target, behind)}


def place(upstream: int, downstream: int, metadata: str = "") -> Translation:
    return Translation(target=THERE, upstream=upstream, downstream=downstream, metadata=metadata)


@pytest.fixture
def group() -> FollowedGroup:
    """Give one that nothing is known of."""
    return FollowedGroup()


Move = Callable[..., None]


@pytest.fixture
def move(group: FollowedGroup) -> Move:
    """Give a function that lets the group be somewhere on the source."""

    def to(
        offset: int,
        behind: int = 100,
        to_target: Callable[[TopicPartition, int], int | None] = shifted,
        metadata: str = "",
    ) -> None:
        position = GroupPosition(offset=offset, metadata=metadata)
        group.move({HERE: position}, copied(behind), to_target)

    return to


def test_never_beyond_the_copy(group: FollowedGroup, move: Move) -> None:
    """It follows as the copy goes on, though the group itself stays."""
    move(50, behind=30)
    assert group.changed() == {HERE: place(50, 30 + SHIFT)}
    move(50, behind=40)
    assert group.changed() == {HERE: place(50, 40 + SHIFT)}
    move(50, behind=90)
    assert group.changed() == {HERE: place(50, 50 + SHIFT)}


def test_what_could_not_be_translated_is_tried_again(group: FollowedGroup, move: Move) -> None:
    """The group goes on while nobody knows where that is; it does not stay where it was."""
    move(10)
    move(50, to_target=unknown)
    assert group.changed() == {HERE: place(10, 10 + SHIFT)}
    move(50)
    assert group.changed() == {HERE: place(50, 50 + SHIFT)}


def test_nothing_is_translated_twice(group: FollowedGroup, move: Move) -> None:
    """Unless it has changed, be it the text that was committed with the offset."""
    asked: list[int] = []

    def counted(partition: TopicPartition, offset: int) -> int | None:
        asked.append(offset)
        return shifted(partition, offset)

    for metadata in ("", "", "other"):
        move(10, to_target=counted, metadata=metadata)
    assert asked == [10, 10]
    assert group.changed() == {HERE: place(10, 10 + SHIFT, "other")}


def test_a_topic_with_another_copy(group: FollowedGroup, move: Move) -> None:
    """What was known speaks of the one before."""
    move(10)
    other = TopicPartition("B.t", 0)
    group.move({HERE: GroupPosition(offset=10)}, copied(100, other), shifted)
    assert [each.target for each in group.changed().values()] == [other]


def test_what_is_gone(group: FollowedGroup, move: Move) -> None:
    """Offsets that the group has no more, and topics that are not mirrored."""
    move(10)
    group.move({}, copied(100), shifted)
    assert not group.changed()
    group.move({TopicPartition("else", 0): GroupPosition(offset=1)}, copied(100), shifted)
    assert not group.changed()


def test_what_the_target_has_is_no_change(group: FollowedGroup, move: Move) -> None:
    """Until somebody looks again."""
    move(10)
    group.committed(group.changed().values())
    assert not group.changed()
    group.look_again()
    assert group.changed() == {HERE: place(10, 10 + SHIFT)}


def test_checkpoints_go_back_only_with_the_group(group: FollowedGroup, move: Move) -> None:
    """`MirrorCheckpointTask`: a group that was reset on the source may go back here, too."""
    move(50)
    assert group.newer() == [place(50, 50 + SHIFT)]
    group.checkpointed(group.newer())
    assert not group.newer()
    move(60, to_target=lambda *_: 40)
    assert not group.newer(), "an earlier place for a later offset"
    move(20)
    assert group.newer() == [place(20, 20 + SHIFT)]


def test_what_was_cut_is_translated_anew(group: FollowedGroup, move: Move) -> None:
    """Its records may lie elsewhere on the target, and what was committed there behind them."""
    move(50)
    before = place(50, 60)
    group.checkpointed(group.newer())
    group.committed(group.changed().values())
    group.cut(HERE)
    move(50, to_target=unknown)
    assert not group.changed()
    move(50, to_target=lambda _, offset: offset + 3)
    anew = replace(before, downstream=53, is_anew=True)
    assert group.newer() == [anew]
    assert group.changed() == {HERE: anew}
    group.checkpointed(group.newer())
    # It was not taken: the group has members there. It stays so until it is.
    move(51, to_target=lambda _, offset: offset + 3)
    assert group.changed() == {HERE: replace(place(51, 54), is_anew=True)}
    group.committed(group.changed().values())
    move(52, to_target=lambda _, offset: offset + 3)
    assert group.changed() == {HERE: place(52, 55)}
    # A group that is seen for the first time may have been followed by an earlier driver.
    late = FollowedGroup([HERE])
    late.move({HERE: GroupPosition(offset=52)}, copied(100), shifted)
    assert late.changed() == {HERE: replace(place(52, 62), is_anew=True)}
    group.cut(TopicPartition("u", 0))
    assert group.changed() == {HERE: place(52, 55)}

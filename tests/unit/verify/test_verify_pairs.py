"""Which partitions are compared, and how far."""

from __future__ import annotations

from kmirror.model import TopicPartition
from kmirror.plans.snapshot import GroupPosition, TopicState
from kmirror.verify.pairs import PartitionPair, plan_pairs
from kmirror.wire.position import PositionMetadata

SOURCE = {
    "t": TopicState(name="t", partitions=2),
    "other": TopicState(name="other", partitions=1),
}
ZERO = PartitionPair(source=TopicPartition("t", 0), target=TopicPartition("A.t", 0))
ONE = PartitionPair(source=TopicPartition("t", 1), target=TopicPartition("A.t", 1))


def plan(
    positions: dict[TopicPartition, GroupPosition] | None = None,
) -> tuple[PartitionPair, ...]:
    """Plan for topic t."""
    return plan_pairs(SOURCE, lambda name: f"A.{name}", lambda name: name == "t", positions)


def test_all_partitions_of_selected_topics() -> None:
    """Up to the end."""
    assert plan() == (ZERO, ONE)


def test_up_to_positions() -> None:
    """The source up to the offset, the target up to what was written with it."""
    positions = {
        ZERO.target: GroupPosition(offset=9, metadata=PositionMetadata(target_offset=11).encode()),
        ONE.target: GroupPosition(offset=5),
    }
    zero, one = plan(positions)
    assert (zero.source_end, zero.target_end) == (9, 11)
    assert (one.source_end, one.target_end) == (5, None)


def test_a_missing_position_is_a_problem() -> None:
    """It is not taken for an empty partition."""
    assert "no position" in plan({})[0].problem

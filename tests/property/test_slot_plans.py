"""Rules that hold for every slot plan."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.model import TopicPartition
from kmirror.plans.slots import IMBALANCE_MAX, PartitionLoad, SlotPlan, _weights, plan_slots

partitions = st.builds(TopicPartition, st.sampled_from("abc"), st.integers(0, 20))
loads = st.lists(
    st.builds(
        PartitionLoad,
        partition=partitions,
        bytes_per_s=st.floats(0, 1e9),
        lag_records=st.integers(0, 10**9),
    ),
    unique_by=lambda load: load.partition,
    max_size=40,
)
slot_counts = st.integers(1, 8)


@st.composite
def plans(draw: st.DrawFn) -> SlotPlan:
    """Give any earlier plan, also an unbalanced one."""
    board: list[list[TopicPartition]] = [[] for _ in range(draw(slot_counts))]
    for load in draw(loads):
        board[draw(st.integers(0, len(board) - 1))].append(load.partition)
    return SlotPlan(slots=tuple(tuple(tps) for tps in board))


def _home(plan: SlotPlan | None) -> dict[TopicPartition, int]:
    return {} if plan is None else plan.slot_of()


@settings(deadline=None)  # a busy machine is no failure
@given(loads, slot_counts, st.none() | plans(), st.booleans())
def test_every_partition_is_copied_once(
    loads: list[PartitionLoad], slots: int, previous: SlotPlan | None, may_move: bool
) -> None:
    """None is forgotten, none is copied twice; and what may not move stays."""
    home = _home(previous)
    plan = plan_slots(loads, slots, home, may_move=may_move)
    assert len(plan.slots) == slots
    placed = [tp for tps in plan.slots for tp in tps]
    assert sorted(placed) == sorted(load.partition for load in loads)
    if not may_move:
        stays = {tp: slot for tp, slot in home.items() if slot < slots and tp in placed}
        assert stays.items() <= plan.slot_of().items()


@settings(deadline=None)  # a busy machine is no failure
@given(loads, slot_counts, st.none() | plans())
def test_balanced(loads: list[PartitionLoad], slots: int, previous: SlotPlan | None) -> None:
    """No slot is far above the average unless single partitions are; none idles needlessly."""
    weights = _weights(loads)
    plan = plan_slots(loads, slots, _home(previous))
    carried = [sum(weights[tp] for tp in tps) for tps in plan.slots]
    mean = sum(carried) / slots
    assert max(carried) <= max(IMBALANCE_MAX * mean, mean + max(weights.values(), default=0))
    if len(loads) >= slots:
        assert all(plan.slots)


@settings(deadline=None)  # a busy machine is no failure
@given(loads, slot_counts, st.none() | plans())
def test_deterministic_and_settled(
    loads: list[PartitionLoad], slots: int, previous: SlotPlan | None
) -> None:
    """The order of the input does not matter, and planning again moves nothing."""
    plan = plan_slots(loads, slots, _home(previous))
    assert plan_slots(loads[::-1], slots, _home(previous)) == plan
    assert plan_slots(loads, slots, plan.slot_of()) == plan

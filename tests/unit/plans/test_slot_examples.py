"""Examples of slot plans; the rules themselves are property tests."""

from __future__ import annotations

from kmirror.model import TopicPartition
from kmirror.plans.slots import PartitionLoad, SlotPlan, plan_slots


def load(name: str, bytes_per_s: float = 0.0, lag_records: int = 0) -> PartitionLoad:
    """Give a partition of its own topic."""
    return PartitionLoad(
        partition=TopicPartition(name, 0), bytes_per_s=bytes_per_s, lag_records=lag_records
    )


def names(plan: SlotPlan) -> list[list[str]]:
    """Give the plan by topic names."""
    return [[tp.topic for tp in tps] for tps in plan.slots]


def test_equal_partitions_are_spread_evenly() -> None:
    """Without any measurement the number decides."""
    plan = plan_slots([load(name) for name in "abcdef"], 3)
    assert sorted(len(tps) for tps in plan.slots) == [2, 2, 2]


def test_a_heavy_partition_gets_a_slot_of_its_own() -> None:
    """Bytes count."""
    plan = plan_slots([load("heavy", 9_000_000), *(load(name, 1000) for name in "abcd")], 2)
    assert ["heavy"] in names(plan)


def test_a_lagging_partition_counts_as_heavy() -> None:
    """Catching up costs too."""
    plan = plan_slots([load("late", 1, 10_000_000), *(load(name, 1) for name in "abcd")], 2)
    assert ["late"] in names(plan)


def test_some_records_of_lag_move_nobody() -> None:
    """At any moment somebody is a little behind."""
    before = plan_slots([load(name, 1000) for name in "abcd"], 2)
    some = [load(name, 1000, 50 if name in "ac" else 0) for name in "abcd"]
    assert plan_slots(some, 2, before.slot_of()) == before


def test_a_new_partition_moves_nobody() -> None:
    """Growth fills the lightest slot."""
    before = plan_slots([load(name) for name in "abcd"], 2)
    after = plan_slots([load(name) for name in "abcde"], 2, before.slot_of())
    home = after.slot_of()
    assert all(home[tp] == slot for tp, slot in before.slot_of().items())


def test_fewer_slots_keep_what_they_have() -> None:
    """Only the partitions of the slot that is gone move."""
    before = plan_slots([load(name) for name in "abcdef"], 3)
    after = plan_slots([load(name) for name in "abcdef"], 2, before.slot_of())
    assert set(before.slots[0]) <= set(after.slots[0])
    assert set(before.slots[1]) <= set(after.slots[1])


def test_no_partitions() -> None:
    """A flow may have nothing to copy yet."""
    assert plan_slots([], 2).slots == ((), ())

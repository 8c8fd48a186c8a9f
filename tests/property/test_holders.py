"""However late lanes take plans up, no two of them have one partition."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.model import TopicPartition
from kmirror.plans.holders import Holders
from kmirror.plans.slots import SlotPlan

_SLOTS = 3
_PARTITIONS = [TopicPartition("t", number) for number in range(5)]
# Of each partition: its slot, or that no slot has it.
plans = st.lists(st.integers(0, _SLOTS), min_size=len(_PARTITIONS), max_size=len(_PARTITIONS)).map(
    lambda places: SlotPlan(
        slots=tuple(
            tuple(tp for tp, place in zip(_PARTITIONS, places, strict=True) if place == slot)
            for slot in range(_SLOTS)
        )
    )
)
# A plan is handed out; or a lane comes to what was handed out.
steps = st.lists(plans | st.integers(0, _SLOTS - 1), max_size=60)


@dataclass
class Flow:
    """Lanes as the connector has them, and whoever hands plans out."""

    plans: list[SlotPlan]
    versions: list[int] = field(default_factory=lambda: [1] * _SLOTS)
    holders: Holders = field(default_factory=Holders)

    def hand_out(self, plan: SlotPlan) -> None:
        """Do what the planner does: what another lane may have waits for a later plan."""
        self.holders = self.holders.settled(min(self.versions))
        for tp in _PARTITIONS:
            assert tp in self.holders or not self.having(tp)
        self.plans.append(plan.without(self.holders.elsewhere(plan)))
        self.holders = self.holders.after(self.plans[-1], len(self.plans))

    def look(self, slot: int) -> None:
        """Do what a lane does: take up the newest plan."""
        self.versions[slot] = len(self.plans)

    def play(self, step: SlotPlan | int) -> None:
        """Hand out a plan, or have a lane look."""
        if isinstance(step, int):
            self.look(step)
        else:
            self.hand_out(step)

    def having(self, tp: TopicPartition) -> list[int]:
        """Give the lanes that have a partition."""
        return [
            slot
            for slot, version in enumerate(self.versions)
            if tp in self.plans[version - 1].slots[slot]
        ]


@settings(deadline=None)  # a busy machine is no failure
@given(plans, steps)
def test_nobody_copies_what_another_lane_has(first: SlotPlan, steps: list[SlotPlan | int]) -> None:
    """And who is not among the holders has let go: its position may be decided anew."""
    flow = Flow([first], holders=Holders().after(first, 1))
    for step in steps:
        flow.play(step)
        for tp in _PARTITIONS:
            assert len(flow.having(tp)) <= 1


@settings(deadline=None)  # a busy machine is no failure
@given(plans, steps, plans)
def test_every_plan_takes_effect(
    first: SlotPlan, steps: list[SlotPlan | int], last: SlotPlan
) -> None:
    """When every lane has let go of what moves, the next plan has all of it."""
    flow = Flow([first], holders=Holders().after(first, 1))
    for step in [*steps, last]:
        flow.play(step)
    for slot in range(_SLOTS):
        flow.look(slot)
    flow.hand_out(last)
    assert flow.plans[-1] == last
    for slot in range(_SLOTS):
        flow.look(slot)
    left = flow.holders.settled(min(flow.versions))
    assert {tp for tp in _PARTITIONS if tp in left} == set(last.slot_of())

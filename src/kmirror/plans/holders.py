"""Which lane may still have which partition, while plans follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.model import TopicPartition
from kmirror.plans.slots import SlotPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """
    A lane that has had a partition.

    Args:
        slot: Its slot.
        version: The newest plan that gives it the partition.
    """

    slot: int
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Holders:
    """
    The lanes that may have partitions, by all plans since one that every lane has.

    A lane takes a newer plan up when it comes to it. So a partition that is to have another slot
    may still be with the lane of the slot before, and two would copy it; and a lane that has to let
    go of a partition may write its position once more.

    Args:
        by_partition: Who may have it.
    """

    by_partition: Mapping[TopicPartition, Holder] = field(default_factory=dict)

    def __contains__(self, partition: TopicPartition) -> bool:
        return partition in self.by_partition

    def settled(self, version: int) -> Holders:
        """
        Forget who has let go.

        Args:
            version: Every lane has this plan, or a newer one.
        """
        left = {tp: each for tp, each in self.by_partition.items() if each.version >= version}
        return Holders(by_partition=left)

    def slot_of(self) -> dict[TopicPartition, int]:
        """Return the slot whose lane may have each partition."""
        return {tp: each.slot for tp, each in self.by_partition.items()}

    def elsewhere(self, plan: SlotPlan) -> frozenset[TopicPartition]:
        """Give what has a slot in *plan* while another slot's lane may have it."""
        held = self.slot_of()
        return frozenset(tp for tp, slot in plan.slot_of().items() if held.get(tp, slot) != slot)

    def after(self, plan: SlotPlan, version: int) -> Holders:
        """
        Give who may have partitions when a plan is handed out.

        Args:
            plan: The plan.
            version: Its version.
        """
        now = {tp: Holder(slot=slot, version=version) for tp, slot in plan.slot_of().items()}
        return Holders(by_partition={**self.by_partition, **now})

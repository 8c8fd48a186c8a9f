"""
Which slot copies which partitions.

A slot is one long-running task. Partitions are spread by their share of the flow's bytes, of its
lag, and by their mere number; a new plan keeps every partition where it was unless the loads have
grown apart by more than `IMBALANCE_MAX`. The same input always gives the same plan.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kmirror.model import TopicPartition

# The busiest slot may carry a quarter more than the average before anything moves: measured rates
# are never that exact, and each move makes a reader start anew.
IMBALANCE_MAX = 1.25

# Where partitions lag less than this on average, their lag counts for less than their bytes do: who
# is some records behind at a moment says nothing.
_LAG_RECORDS = 1_000

# Weights are whole numbers: sums of floats would depend on the order of the additions.
_UNIT = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionLoad:
    """
    What a partition costs to copy.

    Args:
        partition: The source partition.
        bytes_per_s: Measured rate; 0 when not known yet.
        lag_records: Records waiting to be copied.
    """

    partition: TopicPartition
    bytes_per_s: float = 0.0
    lag_records: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotPlan:
    """The partitions of every slot; the index is the slot's number."""

    slots: tuple[tuple[TopicPartition, ...], ...]

    def slot_of(self) -> dict[TopicPartition, int]:
        """Return every partition's slot number."""
        return {tp: number for number, tps in enumerate(self.slots) for tp in tps}

    def without(self, left_out: Collection[TopicPartition]) -> SlotPlan:
        """Give the same plan, but no slot has these."""
        return SlotPlan(
            slots=tuple(tuple(tp for tp in tps if tp not in left_out) for tps in self.slots)
        )


def plan_slots(
    partitions: Sequence[PartitionLoad],
    slots: int,
    home: Mapping[TopicPartition, int] | None = None,
    *,
    may_move: bool = True,
) -> SlotPlan:
    """
    Spread partitions over slots.

    Args:
        partitions: Every partition to copy, once.
        slots: How many slots there are, at least 1.
        home: The slots that partitions have so far, to stay close to.
        may_move: Whether a partition may leave a slot that there is.

    Returns:
        A plan in which, unless nothing may move, the busiest slot carries at most `IMBALANCE_MAX`
        times the average, or the average plus one partition where single partitions are too heavy
        for that.
    """
    assert slots >= 1, "a flow without slots copies nothing"
    weights = _weights(partitions)
    assert len(weights) == len(partitions), "a partition is listed twice"
    board = _Board(weights, slots)
    home = home or {}
    # Heaviest first: the light ones then fill what is uneven. Names break ties.
    order = sorted(weights, key=lambda tp: (-weights[tp], tp))
    for tp in order:
        if home.get(tp, slots) < slots:
            board.put(tp, home[tp])
    for tp in order:
        if home.get(tp, slots) >= slots:
            board.put(tp, board.lightest())
    if may_move:
        board.balance()
    return SlotPlan(slots=tuple(tuple(sorted(tps)) for tps in board.slots))


def _weights(partitions: Sequence[PartitionLoad]) -> dict[TopicPartition, int]:
    """Assign each partition the sum of three shares, each of which averages `_UNIT` at most."""
    count = len(partitions)
    total_bytes = math.fsum(load.bytes_per_s for load in partitions)
    total_lag = max(sum(load.lag_records for load in partitions), _LAG_RECORDS * count)
    return {
        load.partition: _UNIT
        + (round(_UNIT * count * (load.bytes_per_s / total_bytes)) if total_bytes > 0 else 0)
        + _UNIT * count * load.lag_records // total_lag
        for load in partitions
    }


class _Board:
    """Slots being filled."""

    def __init__(self, weights: Mapping[TopicPartition, int], slots: int) -> None:
        self._weights = weights
        self.slots: list[set[TopicPartition]] = [set() for _ in range(slots)]
        self._loads = [0] * slots

    def put(self, tp: TopicPartition, slot: int) -> None:
        self.slots[slot].add(tp)
        self._loads[slot] += self._weights[tp]

    def lightest(self) -> int:
        return min(range(len(self._loads)), key=lambda slot: (self._loads[slot], slot))

    def balance(self) -> None:
        """Move partitions from the busiest to the lightest slot while that is worth it."""
        allowed = IMBALANCE_MAX * sum(self._loads) / len(self._loads)
        # Every move brings two slots closer, so this ends; the bound only limits the time.
        for _ in range(10 * len(self._weights)):
            lightest = self.lightest()
            busiest = self._donor(lightest, allowed)
            if busiest is None:
                return
            tp = self._best_move(busiest, self._loads[busiest] - self._loads[lightest])
            if tp is None:
                return
            self.slots[busiest].remove(tp)
            self._loads[busiest] -= self._weights[tp]
            self.put(tp, lightest)

    def _donor(self, lightest: int, allowed: float) -> int | None:
        """Return the slot that should give something away, if any."""
        numbers: Sequence[int] = range(len(self._loads))
        if not self.slots[lightest]:
            # An idle slot beside one with several partitions is a wasted core.
            numbers = [slot for slot in numbers if len(self.slots[slot]) > 1]
            return max(numbers, key=lambda slot: (self._loads[slot], -slot), default=None)
        busiest = max(numbers, key=lambda slot: (self._loads[slot], -slot))
        return busiest if self._loads[busiest] > allowed else None

    def _best_move(self, busiest: int, gap: int) -> TopicPartition | None:
        """Return the partition that leaves the two slots closest, if any brings them closer."""
        fitting = [tp for tp in self.slots[busiest] if self._weights[tp] < gap]
        return min(fitting, key=lambda tp: (abs(2 * self._weights[tp] - gap), tp), default=None)

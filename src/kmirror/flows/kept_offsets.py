"""Offsets of a flow's group that nobody would commit: they would expire."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from kmirror.clock import Clock
from kmirror.ends.discovery import Mirrored
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.schedule.periodic_task import PeriodicTask

# As lanes do for what is idle; Kafka's `offsets.retention.minutes` is a week.
KEEP_INTERVAL_S = 3600.0


class Plan(Protocol):
    """What lanes have: `Planner`."""

    @property
    def version(self) -> int:
        """Which plan it is."""
        ...

    @property
    def mirrored(self) -> tuple[Mirrored, ...]:
        """What the flow mirrors, whether a lane has it or not."""
        ...

    @property
    def slot_of(self) -> Mapping[TopicPartition, int]:
        """Which slot has which partition."""
        ...


class Claim(Protocol):
    """The claim on the target: `Ownership`."""

    @property
    def is_claimed(self) -> bool:
        """Whether anything can be written."""
        ...

    def refresh(self) -> None:
        """Write the owner's entry again."""
        ...

    def keep_positions(self, partitions: Collection[TopicPartition]) -> None:
        """Commit positions again as they are."""
        ...


class KeptOffsets:
    """
    Keeps the owner's entry, and positions of what rests or was parked by a plan.

    Lanes keep the positions of what they have.

    Args:
        planner: Has the newest plan.
        ownership: Writes offsets.
        planned: Gives the version of the plan that every lane has by now.
        clock: Where time comes from.
    """

    def __init__(
        self, planner: Plan, ownership: Claim, *, planned: Callable[[], int], clock: Clock
    ) -> None:
        self._planner = planner
        self._ownership = ownership
        self._planned = planned
        self._lost: ClusterError | None = None
        self._due = PeriodicTask(clock, KEEP_INTERVAL_S, self._be_due)
        self._is_due = False

    def keep_entry(self) -> None:
        """
        Write the owner's entry again; in whatever thread.

        Raises:
            Fenced: A newer driver owns the flow.
            Held: Somebody keeps it from copying.
            ClusterError: The target refused or did not answer.
        """
        try:
            self._ownership.refresh()
        except ClusterError as error:
            if not self._ownership.is_claimed:
                self._lost = error
            raise

    def keep_positions(self) -> None:
        """
        Commit idle positions again once an hour, as soon as no lane has any of them.

        For the thread that makes plans: no lane may get one while it is read and written.

        Raises:
            Fenced: A newer driver owns the flow.
            Held: Somebody keeps it from copying.
            ClusterError: The claim was lost: without another one the entry would expire, while
                lanes copy, and look like a stranger's.
        """
        if self._lost is not None:
            raise self._lost
        self._due.run_if_due()
        if not self._is_due or self._planned() < self._planner.version:
            return
        self._is_due = False
        slot_of = self._planner.slot_of
        idle = {each.position for each in self._planner.mirrored if each.source not in slot_of}
        if not idle:
            return
        try:
            self._ownership.keep_positions(idle)
        except ClusterError:
            if not self._ownership.is_claimed:
                raise
            # There is a week of hours left.

    def _be_due(self) -> None:
        self._is_due = True

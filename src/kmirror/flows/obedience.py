"""Does what operators order of a flow, between two of its plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kmirror.admin.ownership import Ownership
from kmirror.clock import Clock
from kmirror.ends.discovery import Mirrored
from kmirror.ends.positions import Positions
from kmirror.errors import ClusterError
from kmirror.flows.orders import FlowOrders
from kmirror.flows.planner import Planner
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.wire.control_orders import Scope

# A cluster that cannot be asked is asked again after this.
_RETRY_S = 1.0


class Obedience:
    """
    Orders of one generation.

    Args:
        orders: What was ordered.
        planner: Has the plan that lanes copy from.
        positions: Moves partitions.
        ownership: Tells whether the flow still is ours.
        planned: Gives the version of the plan that every lane has by now.
        replan: Hands the lanes a new plan of these partitions; tells whether it could be made.
        retry: Tries parked partitions again, because somebody has mended what was wrong; tells
            whether it could.
        clock: Where time comes from.
    """

    def __init__(
        self,
        orders: FlowOrders,
        planner: Planner,
        positions: Positions,
        ownership: Ownership,
        *,
        planned: Callable[[], int],
        replan: Callable[[tuple[Mirrored, ...]], bool],
        retry: Callable[[Scope], bool],
        clock: Clock,
    ) -> None:
        self._orders = orders
        self._planner = planner
        self._positions = positions
        self._ownership = ownership
        self._planned = planned
        self._replan = replan
        self._retry_parked = retry
        self._retry = PeriodicTask(clock, _RETRY_S, self._allow)
        self._is_allowed = True

    def run(self, generation: int) -> None:
        """
        Bring the plan in line with what is ordered now, a step at a time.

        Args:
            generation: The flow's generation.

        Raises:
            Fenced: A newer driver owns the flow.
        """
        self._retry.run_if_due()
        if not self._is_allowed:
            return
        rest = self._orders.rest(self._planner.mirrored)
        for scope in self._orders.resumed:
            self._is_allowed = self._retry_parked(scope)
            if not self._is_allowed:
                return
            self._orders.tried(scope)
        if rest != self._planner.rest:
            self._is_allowed = self._replan(self._planner.mirrored)
        elif not rest.seeking:
            self.confirm(generation)
        elif self._is_planned():
            self._seek()

    def confirm(self, generation: int) -> None:
        """
        Say that what is ordered is obeyed, once it is; what has to be done for it is left to `run`.

        Somebody waits for it: this comes before anything that takes long.

        Args:
            generation: The flow's generation.
        """
        rest = self._orders.rest(self._planner.mirrored)
        is_done = rest == self._planner.rest and not rest.seeking
        if is_done and self._orders.awaits(generation) and self._is_planned():
            self._orders.obeyed(generation)

    def _is_planned(self) -> bool:
        """Whether no lane has what rests any more, and all of it is committed."""
        return self._planned() >= self._planner.version

    def _allow(self) -> None:
        self._is_allowed = True

    def _seek(self) -> None:
        try:
            done = move_where_ordered(
                self._orders, self._planner, self._positions, self._planner.mirrored
            )
        except ClusterError:
            if not self._ownership.is_claimed:
                raise
            done = 0
        self._is_allowed = done > 0


def move_where_ordered(
    orders: FlowOrders, planner: Planner, positions: Positions, mirrored: Sequence[Mirrored]
) -> int:
    """
    Move partitions whose seeks are not done yet, and write down that they are.

    Only the flow's owner may call this, while no lane has any of them.

    Args:
        orders: What was ordered.
        planner: Learns which partitions have other positions now.
        positions: Moves them.
        mirrored: What the flow copies.

    Returns:
        How many were moved.

    Raises:
        ClusterError: One of the clusters could not be asked.
    """
    seeks = orders.seeks(orders.rest(mirrored))
    wanted = {seek.partition for seek in seeks}
    done = positions.move(seeks, [m for m in mirrored if m.source in wanted]) if seeks else ()
    planner.moved([seek.partition for seek in done])
    if done:
        orders.done(done)
    return len(done)

"""What operators order, while clusters do not answer."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.admin.ownership import Ownership
from kmirror.clock import ManualClock
from kmirror.ends.discovery import Mirrored
from kmirror.ends.positions import Positions
from kmirror.flows.obedience import Obedience
from kmirror.flows.orders import FlowOrders
from kmirror.flows.planner import Planner
from kmirror.plans.pauses import Rest
from kmirror.wire.control_orders import Scope
from tests.support.fake_flow import unused


class Orders(FlowOrders):
    """Orders that were read: partitions of a topic are to be copied again."""

    def __init__(self) -> None:
        self._resumed = [Scope(topic="t"), Scope(topic="u")]
        self.confirmed = 0

    def rest(self, mirrored: Sequence[Mirrored]) -> Rest:
        """Give what nobody has changed."""
        assert not mirrored
        return Rest()

    def awaits(self, generation: int) -> bool:
        """Tell whether anybody waits."""
        assert generation == 1
        return not self._resumed

    def obeyed(self, generation: int) -> None:
        """Note it."""
        assert generation == 1
        self.confirmed += 1


class Plans(Planner):
    """Plans, of which every lane has the newest."""

    def __init__(self) -> None:
        self.mirrored, self.rest, self.version = (), Rest(), 1


def test_what_is_resumed_is_tried_until_a_plan_could_be_made() -> None:
    """And nobody is told before that it is in effect."""
    clock, orders = ManualClock(), Orders()
    answers, tried = [False, False, True, True], list[Scope]()

    def retry(scope: Scope) -> bool:
        tried.append(scope)
        return answers.pop(0)

    obedience = Obedience(
        orders,
        Plans(),
        unused(Positions),
        unused(Ownership),
        planned=lambda: 1,
        replan=lambda _: True,
        retry=retry,
        clock=clock,
    )
    for looks in (1, 1, 2, 2, 4):
        obedience.run(1)
        assert len(tried) == looks
        assert orders.confirmed == (looks == 4)
        # It is tried again after a second, and not before.
        clock.advance(0.6)
    assert tried == [Scope(topic="t")] * 3 + [Scope(topic="u")]
    assert orders.resumed == ()

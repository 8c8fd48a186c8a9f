"""What a canary concludes from what it sees."""

from __future__ import annotations

import json

from kmirror.canary.connection import Connection
from kmirror.model import Flow
from kmirror.state.canary_figures import CanaryCounts, CanaryFigures
from kmirror.state.health import canaries_of, status_json, troubles
from kmirror.state.observed import ObservedFlow
from kmirror.state.status import FlowState

FLOW = Flow("A", "B")
SECOND_US = 1_000_000


def figures(*, sent: int = 0, acknowledged: int = 0) -> CanaryFigures:
    """Give those of a canary that has sent records to partition 0, one a second."""
    found = CanaryFigures(overdue_s=30)
    for number in range(sent):
        found.sent(0, number, number * SECOND_US)
    for number in range(acknowledged):
        found.answered(0, number, 0.003)
    return found


def counts(found: CanaryFigures, *, at_s: float = 0) -> CanaryCounts:
    return found.counts(round(at_s * SECOND_US))


def test_all_is_well() -> None:
    """What was written came, and how long it took is in a bucket of strimzi-canary's."""
    found = figures(sent=3, acknowledged=3)
    for number in range(3):
        found.came(0, number, 0.06)
    assert counts(found, at_s=1000) == CanaryCounts(produced=3, consumed=3)
    assert found.roundtrip.counts[found.roundtrip.bounds_s.index(0.1)] == 3
    assert found.produce_latency.counts[found.produce_latency.bounds_s.index(0.005)] == 3
    assert found.spread().max == 0.06


def test_an_acknowledged_record_that_later_ones_pass_is_lost() -> None:
    """If it comes after all it is out of order; a third time, it is there again."""
    found = figures(sent=3, acknowledged=3)
    found.came(0, 0, 0.1)
    found.came(0, 2, 0.1)
    assert counts(found).lost == 1
    found.came(0, 1, 0.1)
    found.came(0, 1, 0.1)
    assert counts(found) == CanaryCounts(produced=3, consumed=3, lost=1, reordered=1, duplicated=1)


def test_a_record_that_was_not_acknowledged_is_not_missed() -> None:
    """Whether it is there nobody knows; if the answer comes late, it is missed then."""
    found = figures(sent=3, acknowledged=0)
    found.refused(0, 0)
    found.came(0, 2, None)
    assert counts(found) == CanaryCounts(failed=1, consumed=1)
    found.answered(0, 1, None)
    assert counts(found).lost == 1


def test_a_record_is_overdue_as_long_as_it_does_not_come() -> None:
    """A flow that stands still loses nothing."""
    found = figures(sent=2, acknowledged=2)
    assert counts(found, at_s=30).overdue == 0
    assert counts(found, at_s=30.5).overdue == 1
    assert counts(found, at_s=40) == CanaryCounts(produced=2, overdue=2)
    found.came(0, 0, None)
    found.came(0, 1, None)
    assert counts(found, at_s=40).overdue == 0
    assert found.spread().count == 0


def test_what_may_still_come() -> None:
    """A record that came unanswered is not taken for one that is still awaited."""
    found = figures(sent=3, acknowledged=0)
    found.refused(0, 0)
    found.came(0, 0, None)
    found.answered(0, 1, 0.1)
    assert found.awaited(10 * SECOND_US) == 2
    found.refused(0, 2)
    assert found.awaited(10 * SECOND_US) == 1
    assert found.awaited(40 * SECOND_US) == 0
    assert counts(found, at_s=40).overdue == 1


def test_another_run_begins_anew() -> None:
    """What was on its way with the clients before is nobody's."""
    found = figures(sent=2, acknowledged=2)
    found.begin()
    found.sent(0, 0, 0)
    found.answered(0, 0, 0.001)
    found.came(0, 0, 0.01)
    assert counts(found, at_s=1000) == CanaryCounts(produced=3, consumed=1)


def test_partitions_are_apart() -> None:
    """Each has its own numbers."""
    found = figures(sent=1, acknowledged=1)
    found.sent(1, 0, 0)
    found.answered(1, 0, 0.1)
    found.came(1, 0, 0.1)
    assert counts(found).lost == 0


def test_the_last_five_minutes() -> None:
    """As strimzi-canary tells them."""
    found = CanaryFigures(overdue_s=30)
    assert status_json({FLOW: found}, 0)["Consuming"] == {"TimeWindow": 0, "Percentage": -1}
    for second in range(400):
        found.sent(0, second, second * SECOND_US)
        found.answered(0, second, 0.001)
        if second % 4:
            found.came(0, second, 0.01)
        found.look(float(second))
    told = status_json({FLOW: found}, 0)
    assert told["Consuming"] == {"TimeWindow": 300_000, "Percentage": 75.0}
    assert told["Flows"]["A->B"]["Lost"] == 100
    assert json.dumps(told)


def test_a_connection_that_was_lost_has_its_own_time() -> None:
    """What was on its way meanwhile says nothing; the first answer is no reconnect."""
    took: list[float] = []
    connection = Connection(took.append)
    assert not connection.held_since(5)
    connection.up(10)
    assert connection.held_since(10)
    assert not connection.held_since(5)
    connection.down(2_000_000)
    connection.down(3_000_000)
    assert not connection.held_since(1_500_000)
    connection.up(4_500_000)
    assert took == [2.5]
    assert not connection.held_since(1_500_000)
    assert connection.held_since(4_500_000)
    connection.up(5_000_000)
    assert took == [2.5]


def test_who_is_ready() -> None:
    """Every flow runs, and every canary comes through; otherwise the reasons are told."""
    flow = ObservedFlow.of(FLOW, slots=1)
    assert troubles((flow,), canaries_of((flow,)), 0) == ("A->B: starting: starting",)
    flow.board.set_state(FlowState.RUNNING, "running")
    assert troubles((flow,), canaries_of((flow,)), 0) == ()
    found = flow.meter.canary = figures(sent=1, acknowledged=1)
    assert troubles((flow,), canaries_of((flow,)), 10_000) == ()
    (late,) = troubles((flow,), canaries_of((flow,)), 60_000)
    assert late == "A->B: 1 records of the canary are overdue"
    found.trouble = "no topic"
    (words,) = troubles((flow,), canaries_of((flow,)), 60_000)
    assert words == "A->B: no canary: no topic"

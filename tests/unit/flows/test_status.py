"""What may follow what in a flow's life."""

from __future__ import annotations

import pytest

from kmirror.model import Flow
from kmirror.state.status import ENDED, TRANSITIONS, FlowState, StatusBoard, follow


def test_every_state_is_in_the_table() -> None:
    """A state that is missing could never be left."""
    assert set(TRANSITIONS) == set(FlowState)


def test_every_state_can_be_reached_and_an_end_is_reachable_from_each() -> None:
    """No state is a dream, and none is a trap."""
    reached = {FlowState.STARTING}
    for _ in FlowState:
        reached |= {state for known in reached for state in TRANSITIONS[known]}
    assert reached == set(FlowState)
    for state in FlowState:
        ahead = {state}
        for _ in FlowState:
            ahead |= {following for known in ahead for following in TRANSITIONS[known]}
        assert ahead & ENDED


def test_what_has_ended_stays_ended() -> None:
    """A fenced flow never runs again."""
    with pytest.raises(AssertionError):
        follow(FlowState.FENCED, FlowState.RUNNING)


def test_staying_is_allowed() -> None:
    """A flow that runs may go on running."""
    assert follow(FlowState.RUNNING, FlowState.RUNNING) is FlowState.RUNNING


def test_the_board_keeps_what_is_not_changed() -> None:
    """A change of state does not lose the counters."""
    board = StatusBoard(Flow("A", "B"))
    board.update(records=5)
    board.set_state(FlowState.RUNNING, "copying")
    assert (board.status.records, board.status.words) == (5, "copying")


@pytest.mark.parametrize("state", [FlowState.FENCED, FlowState.WAITING, FlowState.FAILED])
def test_what_begins_anew_may_be_fenced_or_meet_a_cluster_that_is_away(state: FlowState) -> None:
    """While the query ends, so that a copy can begin another generation."""
    assert follow(FlowState.RESTARTING, state) is state


@pytest.mark.parametrize("state", [FlowState.STARTING, FlowState.WAITING, FlowState.RUNNING])
def test_a_bounded_copy_may_be_complete_at_any_moment(state: FlowState) -> None:
    """Also before anybody has told that what the flow waited for is over."""
    assert follow(state, FlowState.COMPLETE) is FlowState.COMPLETE

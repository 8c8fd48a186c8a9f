"""What connectors are said to do, by what flows do."""

from __future__ import annotations

import pytest

from kmirror.connect.model import ConnectorStatus, TargetState, WorkerState
from kmirror.connect.states import (
    STATE_OF_FLOW,
    Part,
    checkpoint_status,
    failed,
    single_status,
    source_status,
    task_partitions,
)
from kmirror.errors import ClusterUnavailable, MirrorError, NotAuthorized
from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage
from kmirror.plans.topics import TopicProblem
from kmirror.state.status import FlowState, FlowStatus, ParkedPartition, PausedPartition
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope

FLOW = Flow("A", "B")
WORKER = "here:8083"
ONE, TWO, THREE = (TopicPartition("t", number) for number in range(3))
PAUSE = PauseOrder(verb=PauseVerb.PAUSE, scope=Scope(), author=Author(by="ann", at_ms=1))


def flow(state: FlowState = FlowState.RUNNING, **more: object) -> FlowStatus:
    fields: dict[str, object] = {"slots": ((ONE, TWO), (THREE,))} | more
    return FlowStatus(flow=FLOW, state=state, words="some words", **fields)  # type: ignore[arg-type]


def source(status: FlowStatus | None, target: TargetState = TargetState.RUNNING) -> ConnectorStatus:
    return source_status("c", target, [Part(flow=FLOW, tasks=2, status=status)], WORKER)


def parked(tp: TopicPartition) -> ParkedPartition:
    return ParkedPartition(partition=tp, kind="DataGap", reason=f"{tp}: records are gone (do so)")


def test_every_state_of_a_flow_has_one_of_connect() -> None:
    assert STATE_OF_FLOW.keys() == set(FlowState)


@pytest.mark.parametrize("state", list(FlowState))
def test_nothing_but_copying_is_running_without_a_word(state: FlowState) -> None:
    """The connector and each task have the same state, and everything else says why."""
    status = source(flow(state))
    each = {status.connector, *status.tasks}
    assert len(status.tasks) == 2
    assert {one.state for one in each} == {STATE_OF_FLOW[state]}
    if state is FlowState.RUNNING:
        assert {one.trace for one in each} == {""}
    else:
        assert {one.trace for one in each} == {"A->B: some words"}


def test_a_task_with_something_parked_has_failed() -> None:
    """The others go on; the trace has the reason and what to do."""
    status = source(flow(parked=(parked(TWO),)))
    assert [task.state for task in status.tasks] == [WorkerState.FAILED, WorkerState.RUNNING]
    assert status.connector.state is WorkerState.RUNNING
    assert status.tasks[0].trace.startswith("1 partition is parked, and what can be tried again")
    assert status.tasks[0].trace.endswith("t-1: records are gone (do so)")


def test_what_no_slot_has_belongs_to_a_task_all_the_same() -> None:
    lost = [TopicPartition("gone", number) for number in range(3)]
    status = flow(parked=tuple(map(parked, lost)))
    assert task_partitions(status, 2) == [[ONE, TWO, lost[0], lost[2]], [THREE, lost[1]]]
    assert {task.state for task in source(status).tasks} == {WorkerState.FAILED}
    assert task_partitions(None, 2) == [[], []]


def test_what_somebody_else_has_paused_is_told() -> None:
    """By an order or a time window: a task of which nothing is copied is PAUSED."""
    pauses = (PausedPartition(partition=TWO, pause=PAUSE),)
    status = source(flow(slots=((ONE,), (THREE,)), paused=pauses))
    assert [task.state for task in status.tasks] == [WorkerState.RUNNING] * 2
    assert "paused by ann: t-1" in {task.trace for task in status.tasks}
    all_of_it = tuple(PausedPartition(partition=tp, pause=PAUSE) for tp in (ONE, TWO, THREE))
    status = source(flow(slots=((), ()), paused=all_of_it))
    assert [task.state for task in status.tasks] == [WorkerState.PAUSED] * 2


def test_a_connector_is_paused_when_nothing_is_copied_any_more() -> None:
    assert source(flow(), TargetState.PAUSED).connector.state is WorkerState.RUNNING
    rests = source(flow(slots=((), ())), TargetState.PAUSED)
    assert rests.connector.state is WorkerState.PAUSED
    assert {task.state for task in rests.tasks} == {WorkerState.PAUSED}
    away = source(flow(FlowState.WAITING), TargetState.PAUSED)
    assert (away.connector.state, away.connector.trace) == (
        WorkerState.PAUSED,
        "A->B: some words",
    )
    assert source(flow(FlowState.FENCED), TargetState.PAUSED).connector.state is WorkerState.FAILED


def test_a_stopped_connector_has_no_tasks() -> None:
    for status in (flow(), None):
        stopped = source(status, TargetState.STOPPED)
        assert stopped.connector.state is WorkerState.STOPPED
        assert stopped.tasks == ()


def test_what_does_not_run_here_says_why() -> None:
    assert source(None).connector.state is WorkerState.UNASSIGNED
    part = Part(flow=FLOW, tasks=1, trouble="no room (do so)")
    status = source_status("c", TargetState.RUNNING, [part], WORKER)
    assert (status.connector.state, status.connector.trace) == (
        WorkerState.FAILED,
        "no room (do so)",
    )
    assert failed("c", WORKER, "wrong").connector.trace == "wrong"


def test_what_is_not_mirrored_is_told_by_the_connector() -> None:
    problem = TopicProblem(source_topic="t", reason="the target refuses it", hint="")
    coverage = Coverage(selected=1, problems=(problem,))
    status = source(flow(coverage=coverage))
    assert status.connector.state is WorkerState.RUNNING
    assert "the target refuses it" in status.connector.trace


def test_several_flows_are_tasks_of_one_connector() -> None:
    """It is as bad as the worst of them."""
    other = Flow("B", "A")
    parts = [
        Part(flow=FLOW, tasks=2, status=flow()),
        Part(flow=other, tasks=1, status=flow(FlowState.WAITING)),
    ]
    status = source_status("c", TargetState.RUNNING, parts, WORKER)
    assert [task.state for task in status.tasks] == [
        WorkerState.RUNNING,
        WorkerState.RUNNING,
        WorkerState.UNASSIGNED,
    ]
    assert status.connector.state is WorkerState.UNASSIGNED


def test_who_follows_groups_goes_with_the_flow() -> None:
    """What is parked is the other connector's trouble."""

    def followed(status: FlowStatus | None, target: TargetState = TargetState.RUNNING) -> str:
        part = Part(flow=FLOW, tasks=1, status=status)
        found = checkpoint_status("c", target, [part], WORKER)
        assert len(found.tasks) == (0 if target is TargetState.STOPPED else 1)
        return found.connector.state.value

    assert followed(flow(parked=(parked(ONE),))) == "RUNNING"
    assert followed(flow(slots=((), ()))) == "RUNNING"
    assert followed(flow(FlowState.WAITING)) == "UNASSIGNED"
    assert followed(flow(), TargetState.PAUSED) == "PAUSED"
    assert followed(flow(), TargetState.STOPPED) == "STOPPED"
    assert followed(None) == "UNASSIGNED"
    assert followed(flow(FlowState.FAILED), TargetState.PAUSED) == "FAILED"


@pytest.mark.parametrize(
    ("target", "begun", "trouble", "state"),
    [
        (TargetState.RUNNING, True, None, "RUNNING"),
        (TargetState.RUNNING, False, None, "UNASSIGNED"),
        (TargetState.RUNNING, True, NotAuthorized("refused"), "FAILED"),
        (TargetState.RUNNING, True, ClusterUnavailable("away"), "UNASSIGNED"),
        (TargetState.PAUSED, True, None, "PAUSED"),
        (TargetState.STOPPED, True, None, "STOPPED"),
    ],
)
def test_heartbeats_are_one_task(
    target: TargetState, begun: bool, trouble: MirrorError | None, state: str
) -> None:
    status = single_status("c", target, WORKER, begun=begun, trouble=trouble)
    assert status.connector.state.value == state
    assert len(status.tasks) == (0 if state == "STOPPED" else 1)
    words = str(trouble) if trouble else "" if begun else "starting"
    assert status.connector.trace == words

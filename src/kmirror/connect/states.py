"""
What connectors and tasks are said to do, by what flows do; pure.

Who watches Connect looks at states, and counts those that are not RUNNING. So a task is RUNNING
only while all that it has is copied, or the trace says what is not. The table, for a connector that
shall run:

| the flow | connector | its tasks |
|---|---|---|
| starts, waits for a cluster or a hold, has ended with its worker | UNASSIGNED | UNASSIGNED |
| copies | RUNNING | RUNNING; FAILED where something is parked; PAUSED where all is |
| begins anew | RESTARTING | RESTARTING |
| was taken over by another driver, or failed for good | FAILED | FAILED |

One that shall be PAUSED is so as soon as nothing is copied, unless it has failed; one that shall be
STOPPED has no tasks. The trace of everything else has the reason, and what can be done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.connect.model import ConnectorStatus, Status, TargetState, WorkerState
from kmirror.errors import MirrorError
from kmirror.model import Flow, TopicPartition
from kmirror.plans.text import first_few
from kmirror.state.status import FlowState, FlowStatus

STATE_OF_FLOW: dict[FlowState, WorkerState] = {
    FlowState.STARTING: WorkerState.UNASSIGNED,
    FlowState.WAITING: WorkerState.UNASSIGNED,
    FlowState.RUNNING: WorkerState.RUNNING,
    FlowState.RESTARTING: WorkerState.RESTARTING,
    FlowState.STOPPING: WorkerState.UNASSIGNED,
    FlowState.STOPPED: WorkerState.UNASSIGNED,
    FlowState.COMPLETE: WorkerState.UNASSIGNED,
    FlowState.FENCED: WorkerState.FAILED,
    FlowState.FAILED: WorkerState.FAILED,
}
_PARKED_MAX = 10
_RETRY = "what can be tried again is, every 5 minutes, or at once by a restart of the task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """
    What a connector has of one flow.

    Args:
        flow: Which one.
        tasks: How many tasks it has there.
        status: What the flow does; `None` where it does not run on this worker.
        trouble: Why it does not, with what can be done; empty where that passes by itself.
        waits: What it waits for, where that is known.
    """

    flow: Flow
    tasks: int
    status: FlowStatus | None = None
    trouble: str = ""
    waits: str = "does not run yet"


def source_status(
    name: str, target: TargetState, parts: Sequence[Part], worker_id: str
) -> ConnectorStatus:
    """
    Return what a MirrorSourceConnector does.

    Args:
        name: The connector.
        target: What it shall do.
        parts: Its flows; its tasks are numbered through them.
        worker_id: Of the worker that has them.
    """
    if target is TargetState.STOPPED:
        return stopped(name, worker_id)
    tasks = [task for part in parts for task in _tasks(part, target, worker_id)]
    return ConnectorStatus(
        name=name,
        connector=_worst([_of_flow(part, target, worker_id) for part in parts], worker_id),
        tasks=tuple(tasks),
    )


def checkpoint_status(
    name: str, target: TargetState, parts: Sequence[Part], worker_id: str
) -> ConnectorStatus:
    """
    Return what a MirrorCheckpointConnector does: it goes with its flows, whatever they have parked.

    Args:
        name: The connector.
        target: What it shall do.
        parts: The flows whose groups it follows; each has one task.
        worker_id: Of the worker that has them.
    """
    if target is TargetState.STOPPED:
        return stopped(name, worker_id)
    tasks = tuple(_follower(part, target, worker_id) for part in parts)
    return ConnectorStatus(name=name, connector=_worst(tasks, worker_id), tasks=tasks)


def single_status(
    name: str, target: TargetState, worker_id: str, *, begun: bool, trouble: MirrorError | None
) -> ConnectorStatus:
    """
    Return what a connector with one task does, such as a MirrorHeartbeatConnector.

    Args:
        name: The connector.
        target: What it shall do.
        worker_id: Of the worker that has it.
        begun: It has done what it is for at least once.
        trouble: Why it does not do it now; `None` when it does.
    """
    if target is TargetState.STOPPED:
        return stopped(name, worker_id)
    if target is TargetState.PAUSED:
        status = Status(state=WorkerState.PAUSED, worker_id=worker_id)
    elif trouble is not None:
        state = WorkerState.UNASSIGNED if trouble.retriable else WorkerState.FAILED
        status = Status(state=state, worker_id=worker_id, trace=str(trouble))
    elif begun:
        status = Status(state=WorkerState.RUNNING, worker_id=worker_id)
    else:
        status = Status(state=WorkerState.UNASSIGNED, worker_id=worker_id, trace="starting")
    return ConnectorStatus(name=name, connector=status, tasks=(status,))


def idle(name: str, worker_id: str) -> ConnectorStatus:
    """Return the status of a connector that says `enabled = false`."""
    trace = "enabled = false: it does nothing"
    status = Status(state=WorkerState.RUNNING, worker_id=worker_id, trace=trace)
    return ConnectorStatus(name=name, connector=status, tasks=())


def failed(name: str, worker_id: str, trace: str) -> ConnectorStatus:
    """Return the status of a connector that cannot run at all."""
    status = Status(state=WorkerState.FAILED, worker_id=worker_id, trace=trace)
    return ConnectorStatus(name=name, connector=status, tasks=())


def stopped(name: str, worker_id: str) -> ConnectorStatus:
    """Return the status of a connector that is STOPPED."""
    status = Status(state=WorkerState.STOPPED, worker_id=worker_id)
    return ConnectorStatus(name=name, connector=status, tasks=())


def task_partitions(status: FlowStatus | None, tasks: int) -> list[list[TopicPartition]]:
    """
    Return which partitions each task of a flow has: what its slot copies, and a share of the rest.

    Args:
        status: The flow; `None` where it does not run.
        tasks: How many there are.
    """
    if status is None:
        return [[] for _ in range(tasks)]
    shares = [list(slot) for slot in status.slots[:tasks]]
    shares += [[] for _ in range(tasks - len(shares))]
    planned = {tp for share in shares for tp in share}
    resting = {each.partition for each in status.parked} | {e.partition for e in status.paused}
    for number, tp in enumerate(sorted(resting - planned)):
        shares[number % tasks].append(tp)
    return shares


def _tasks(part: Part, target: TargetState, worker_id: str) -> list[Status]:
    whole = _of_flow(part, target, worker_id)
    if whole.state is not WorkerState.RUNNING or part.status is None:
        return [whole] * part.tasks
    parked = {each.partition: each.reason for each in part.status.parked}
    paused = {each.partition: each.pause for each in part.status.paused}
    if not parked and not paused:
        return [Status(state=WorkerState.RUNNING, worker_id=worker_id)] * part.tasks
    tasks = []
    for share in task_partitions(part.status, part.tasks):
        stuck = [parked[tp] for tp in share if tp in parked]
        rest = [tp for tp in share if tp in paused and tp not in parked]
        words = [f"paused {paused[tp].author}: {tp}" for tp in rest]
        if stuck:
            counted = "1 partition is" if len(stuck) == 1 else f"{len(stuck)} partitions are"
            head = f"{counted} parked, and {_RETRY}; the others are copied"
            state, trace = WorkerState.FAILED, _lines([head, *stuck])
        elif rest and len(rest) == len(share):
            state, trace = WorkerState.PAUSED, _lines(words)
        else:
            state, trace = WorkerState.RUNNING, _lines(words)
        tasks.append(Status(state=state, worker_id=worker_id, trace=trace))
    return tasks


def _of_flow(part: Part, target: TargetState, worker_id: str) -> Status:
    """Return what of a connector is one flow, whatever of its partitions is parked."""
    if part.trouble:
        return Status(state=WorkerState.FAILED, worker_id=worker_id, trace=part.trouble)
    if part.status is None:
        paused = target is TargetState.PAUSED
        state = WorkerState.PAUSED if paused else WorkerState.UNASSIGNED
        return Status(state=state, worker_id=worker_id, trace=f"{part.flow}: {part.waits}")
    state = STATE_OF_FLOW[part.status.state]
    trace = f"{part.flow}: {part.status.words}"
    if state is WorkerState.RUNNING:
        trace = _left_out(part.status)
    if target is TargetState.PAUSED and state is not WorkerState.FAILED and _rests(part.status):
        state, trace = WorkerState.PAUSED, "" if state is WorkerState.RUNNING else trace
    return Status(state=state, worker_id=worker_id, trace=trace)


def _follower(part: Part, target: TargetState, worker_id: str) -> Status:
    """Return what the task does that follows a flow's groups."""
    whole = _of_flow(part, TargetState.RUNNING, worker_id)
    if whole.state is WorkerState.FAILED:
        return whole
    if target is TargetState.PAUSED:
        return Status(state=WorkerState.PAUSED, worker_id=worker_id)
    if whole.state is WorkerState.RUNNING:
        return Status(state=WorkerState.RUNNING, worker_id=worker_id)
    return whole


def _rests(status: FlowStatus) -> bool:
    """Whether nothing of a flow is copied."""
    if status.state is not FlowState.RUNNING:
        return True
    return not any(status.slots)


def _left_out(status: FlowStatus) -> str:
    left = () if status.coverage is None else status.coverage.words
    return f"{status.flow}: {first_few(left)}" if left else ""


def _lines(words: Sequence[str]) -> str:
    more = len(words) - _PARKED_MAX - 1
    shown = [*words[: _PARKED_MAX + 1], *([f"and {more} more"] if more > 0 else [])]
    return "\n".join(shown)


_BAD = (
    WorkerState.FAILED,
    WorkerState.RESTARTING,
    WorkerState.UNASSIGNED,
    WorkerState.PAUSED,
    WorkerState.RUNNING,
)


def _worst(statuses: Sequence[Status], worker_id: str) -> Status:
    """Return the worst of a connector's parts; without any it waits for its first."""
    if not statuses:
        return Status(state=WorkerState.UNASSIGNED, worker_id=worker_id, trace="starting")
    state = min((each.state for each in statuses), key=_BAD.index)
    traces = dict.fromkeys(each.trace for each in statuses if each.trace)
    return Status(state=state, worker_id=worker_id, trace="\n".join(traces))

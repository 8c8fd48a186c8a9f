"""The state that records of `status.storage.topic` and `offset.storage.topic` make together."""

from __future__ import annotations

from kmirror.connect.offset_state import OffsetFold
from kmirror.connect.status_state import Statuses, StatusFold
from kmirror.wire.connect_nouns import TaskId, Unreadable, WorkerState
from kmirror.wire.connect_statuses import (
    ConnectorStatusRecord,
    StatusRecord,
    StoredStatus,
    TaskStatusRecord,
    TopicStatusRecord,
    TopicUse,
    decode_status,
)
from kmirror.wire.source_offsets import SourceOffset, decode_source_offset
from tests.support.connect_records import recorded, said

TASK = TaskId("c", 0)


def status(state: WorkerState, generation: int, worker: str = "w:1") -> StoredStatus:
    """Return a status."""
    return StoredStatus(state=state, worker_id=worker, generation=generation)


def folded(*records: StatusRecord) -> Statuses:
    """Return what records say together."""
    fold = StatusFold()
    for record in records:
        fold.take(record)
    return fold.state()


def test_it_is_what_the_real_worker_said() -> None:
    """Of every connector and task: the state, the worker, and the version."""
    records = [decode_status(key, value) for _, key, value in recorded("connect-status")]
    state = folded(*(record for record in records if not isinstance(record, Unreadable)))
    answers = said()["expand"]
    assert state.connectors.keys() == answers.keys()
    for name, answer in answers.items():
        told = answer["status"]["connector"]
        known = state.connectors[name]
        assert (known.state, known.worker_id, known.version) == (
            *(told["state"], told["worker_id"], told["version"]),
        )
        tasks = state.tasks.get(name, {})
        assert [(number, task.state.value) for number, task in tasks.items()] == [
            (task["id"], task["state"]) for task in answer["status"]["tasks"]
        ]
    assert {name: set(topics) for name, topics in state.topics.items() if topics} == {
        "A->B source": {"A.t1"},
        "beat": {"heartbeats"},
    }


def test_the_offsets_are_what_the_real_worker_said() -> None:
    """One was altered, and one reset."""
    fold = OffsetFold()
    for _, key, value in recorded("connect-offsets"):
        record = decode_source_offset(key, value)
        assert isinstance(record, SourceOffset)
        fold.take(record)
    assert [
        {"partition": each.partition, "offset": each.offset} for each in fold.offsets("A->B source")
    ] == said()["offsets"]["offsets"]
    assert fold.offsets("nobody") == ()


def test_the_same_partition_in_other_words() -> None:
    """The order of its words does not make another one."""
    fold = OffsetFold()
    fold.take(SourceOffset(connector="c", partition={"a": 1, "b": 2}, offset={"o": 1}))
    fold.take(SourceOffset(connector="c", partition={"b": 2, "a": 1}, offset={"o": 2}))
    assert [each.offset for each in fold.offsets("c")] == [{"o": 2}]


def test_letting_go_does_not_hide_who_runs_it() -> None:
    """A worker that did not see the other's RUNNING yet says UNASSIGNED."""
    running = TaskStatusRecord(task=TASK, status=status(WorkerState.RUNNING, 5, "w:2"))
    late = TaskStatusRecord(task=TASK, status=status(WorkerState.UNASSIGNED, 5))
    assert folded(running, late).tasks == {"c": {0: running.status}}
    newer = TaskStatusRecord(task=TASK, status=status(WorkerState.UNASSIGNED, 6))
    assert folded(running, newer).tasks == {"c": {0: newer.status}}
    failed = TaskStatusRecord(task=TASK, status=status(WorkerState.FAILED, 1))
    assert folded(running, failed).tasks == {"c": {0: failed.status}}


def test_a_connector_takes_its_tasks_along() -> None:
    """And not the topics that it has written to."""
    records = (
        ConnectorStatusRecord(connector="c", status=status(WorkerState.RUNNING, 1)),
        TaskStatusRecord(task=TASK, status=status(WorkerState.RUNNING, 1)),
        TopicStatusRecord(topic="t", connector="c", use=TopicUse(task=0, discovered_ms=1)),
        ConnectorStatusRecord(connector="c", status=None),
    )
    state = folded(*records)
    assert (state.connectors, state.tasks, list(state.topics)) == ({}, {}, ["c"])
    assert not any(
        folded(*records, TopicStatusRecord(topic="t", connector="c", use=None)).topics.values()
    )

"""What a worker writes of its connectors for the others to read."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.connect.model import ConnectorStatus, Status, WorkerState
from kmirror.connect.status_publisher import StatusPublisher
from kmirror.connect.status_state import Statuses, StatusFold
from kmirror.wire.connect_statuses import StatusRecord


class Stored:
    """A status topic in memory."""

    def __init__(self) -> None:
        self._fold = StatusFold()
        self.written: list[StatusRecord] = []

    def statuses(self) -> Statuses:
        return self._fold.state()

    def put_statuses(self, records: Sequence[StatusRecord]) -> None:
        self.written.extend(records)
        for record in records:
            self._fold.take(record)


def status(name: str, *tasks: str) -> ConnectorStatus:
    def one(state: str) -> Status:
        return Status(state=WorkerState(state), worker_id="w", trace="why" * (state == "FAILED"))

    return ConnectorStatus(name=name, connector=one("RUNNING"), tasks=tuple(map(one, tasks)))


def test_what_has_changed_is_said_once() -> None:
    stored = Stored()
    publisher = StatusPublisher(stored, lambda: 7)
    publisher.publish([status("c", "RUNNING", "FAILED")], generation=3)
    assert len(stored.written) == 3
    publisher.publish([status("c", "RUNNING", "FAILED")], generation=4)
    assert len(stored.written) == 3
    publisher.publish([status("c", "RUNNING")], generation=4)
    found = stored.statuses()
    assert found.connectors["c"].generation == 3
    assert list(found.tasks["c"]) == [0], "a task that is gone is forgotten"


def test_what_is_deleted_is_forgotten() -> None:
    stored = Stored()
    publisher = StatusPublisher(stored, lambda: 7)
    publisher.publish([status("c", "RUNNING"), status("d", "RUNNING")], generation=3)
    publisher.track("c", {"A.t": 1})
    publisher.forget(["d"])
    found = stored.statuses()
    assert list(found.connectors) == ["d"]
    assert not found.tasks.get("c")
    assert not found.topics.get("c")


def test_topics_that_were_reset_come_back_when_they_are_written_to() -> None:
    """Whoever has reset them: the worker that runs the connector sees it."""
    stored = Stored()
    publisher = StatusPublisher(stored, lambda: 7)
    publisher.track("c", {"A.t": 5, "A.u": 0})
    assert list(stored.statuses().topics["c"]) == ["A.t"]
    publisher.track("c", {"A.t": 5, "A.u": 0})
    StatusPublisher(stored, lambda: 8).forget_topics("c")
    publisher.track("c", {"A.t": 5, "A.u": 0})
    assert not stored.statuses().topics["c"]
    publisher.track("c", {"A.t": 6, "A.u": 0})
    assert list(stored.statuses().topics["c"]) == ["A.t"]

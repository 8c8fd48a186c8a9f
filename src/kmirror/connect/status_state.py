"""What the records of `status.storage.topic` say together, by Connect's own rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.wire.connect_nouns import WorkerState
from kmirror.wire.connect_statuses import (
    ConnectorStatusRecord,
    StatusRecord,
    StoredStatus,
    TaskStatusRecord,
    TopicStatusRecord,
    TopicUse,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statuses:
    """
    What a Connect cluster does.

    Args:
        connectors: By name.
        tasks: By connector and number.
        topics: Which topics connectors have written to, by connector and topic.
    """

    connectors: Mapping[str, StoredStatus] = field(default_factory=dict)
    tasks: Mapping[str, Mapping[int, StoredStatus]] = field(default_factory=dict)
    topics: Mapping[str, Mapping[str, TopicUse]] = field(default_factory=dict)


class StatusFold:
    """Takes the topic's records, those of one key in their order."""

    def __init__(self) -> None:
        self._connectors: dict[str, StoredStatus] = {}
        self._tasks: dict[str, dict[int, StoredStatus]] = {}
        self._topics: dict[str, dict[str, TopicUse]] = {}
        self._state: Statuses | None = None

    def state(self) -> Statuses:
        """Return what the records so far say together; it does not change any more."""
        if self._state is None:
            self._state = Statuses(
                connectors=dict(self._connectors),
                tasks={name: dict(sorted(tasks.items())) for name, tasks in self._tasks.items()},
                topics={name: dict(topics) for name, topics in self._topics.items()},
            )
        return self._state

    def take(self, record: StatusRecord) -> None:
        """Let a record count."""
        self._state = None
        match record:
            case ConnectorStatusRecord(connector=name, status=None):
                self._connectors.pop(name, None)
                self._tasks.pop(name, None)
            case ConnectorStatusRecord(connector=name, status=StoredStatus() as status):
                self._connectors[name] = status
            case TaskStatusRecord(task=task, status=None):
                self._tasks.get(task.connector, {}).pop(task.task, None)
            case TaskStatusRecord(task=task, status=StoredStatus() as status):
                tasks = self._tasks.setdefault(task.connector, {})
                if not _is_late(tasks.get(task.task), status):
                    tasks[task.task] = status
            case TopicStatusRecord(topic=topic, connector=name, use=None):
                self._topics.get(name, {}).pop(topic, None)
            case TopicStatusRecord(topic=topic, connector=name, use=TopicUse() as use):
                self._topics.setdefault(name, {})[topic] = use


def _is_late(known: StoredStatus | None, status: StoredStatus) -> bool:
    """Whether a worker says that it has let a task go that another one runs by now."""
    return (
        status.state is WorkerState.UNASSIGNED
        and known is not None
        and known.state is WorkerState.RUNNING
        and known.generation >= status.generation
    )

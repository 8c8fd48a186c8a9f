"""Writes what connectors do where all workers, and Connect's, read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from kmirror.connect.model import ConnectorStatus, Status, TaskId
from kmirror.connect.status_state import Statuses
from kmirror.connect.topic_tracker import TopicTracker
from kmirror.wire.connect_statuses import (
    ConnectorStatusRecord,
    StatusRecord,
    StoredStatus,
    TaskStatusRecord,
    TopicStatusRecord,
    TopicUse,
)


class StatusStore(Protocol):
    """What keeps statuses: `ConnectStore` does."""

    def statuses(self) -> Statuses:
        """Return what connectors and tasks do, as far as it was read."""
        ...

    def put_statuses(self, records: Sequence[StatusRecord]) -> None:
        """Say what connectors and tasks do, and which topics they write to."""
        ...


class StatusPublisher:
    """
    Publishes what a worker has to say, and says nothing twice.

    Args:
        store: Keeps it.
        now_ms: Gives the time, milliseconds since the epoch.
    """

    def __init__(self, store: StatusStore, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._now_ms = now_ms
        self._tracker = TopicTracker()
        self._seen: dict[str, frozenset[str]] = {}

    def publish(self, statuses: Iterable[ConnectorStatus], generation: int) -> None:
        """
        Say what connectors do now that this worker speaks for.

        Args:
            statuses: They.
            generation: Of this worker in its group.

        Raises:
            ClusterError: It is not known whether it was written; the next time says it again.
        """
        known = self._store.statuses()
        records: list[StatusRecord] = []
        for each in statuses:
            if _differs(each.connector, known.connectors.get(each.name)):
                stored = _stored(each.connector, generation)
                records.append(ConnectorStatusRecord(connector=each.name, status=stored))
            tasks = known.tasks.get(each.name, {})
            for number, task in enumerate(each.tasks):
                if _differs(task, tasks.get(number)):
                    stored = _stored(task, generation)
                    place = TaskId(each.name, number)
                    records.append(TaskStatusRecord(task=place, status=stored))
            records += _gone_tasks(each.name, tasks, len(each.tasks))
        self._store.put_statuses(records)

    def forget(self, connectors: Iterable[str]) -> None:
        """
        Take away what is said of connectors that are not there any more.

        Raises:
            ClusterError: As `publish`.
        """
        known = self._store.statuses()
        names = set(connectors)
        records: list[StatusRecord] = []
        for name in (known.connectors.keys() | known.tasks.keys()) - names:
            records += _gone_tasks(name, known.tasks.get(name, {}), 0)
            if name in known.connectors:
                records.append(ConnectorStatusRecord(connector=name, status=None))
        for name in known.topics.keys() - names:
            records += _gone_topics(name, known)
        self._store.put_statuses(records)

    def track(self, connector: str, written: Mapping[str, int]) -> None:
        """
        Say which topics a connector has written to.

        Args:
            connector: Its name.
            written: How many records, by topic; as `TopicTracker` takes it.

        Raises:
            ClusterError: As `publish`.
        """
        self._tracker.look(connector, written)
        stored = self._store.statuses().topics.get(connector, {})
        if self._seen.get(connector, frozenset()) - stored.keys():
            # Somebody has had them forgotten; what is written from now on counts.
            self._tracker.forget(connector)
        self._seen[connector] = frozenset(stored)
        use = TopicUse(task=0, discovered_ms=self._now_ms())
        self._store.put_statuses(
            [
                TopicStatusRecord(topic=topic, connector=connector, use=use)
                for topic in self._tracker.topics(connector)
                if topic not in stored
            ]
        )

    def forget_topics(self, connector: str) -> None:
        """
        Have the topics of a connector forgotten, whoever runs it.

        Raises:
            ClusterError: As `publish`.
        """
        self._store.put_statuses(_gone_topics(connector, self._store.statuses()))


def _gone_tasks(
    connector: str, tasks: Mapping[int, StoredStatus], count: int
) -> list[StatusRecord]:
    gone = (number for number in tasks if number >= count)
    return [TaskStatusRecord(task=TaskId(connector, each), status=None) for each in gone]


def _gone_topics(connector: str, known: Statuses) -> list[StatusRecord]:
    topics = known.topics.get(connector, {})
    return [TopicStatusRecord(topic=topic, connector=connector, use=None) for topic in topics]


def _stored(status: Status, generation: int) -> StoredStatus:
    return StoredStatus(
        state=status.state,
        worker_id=status.worker_id,
        generation=generation,
        trace=status.trace or None,
    )


def _differs(status: Status, known: StoredStatus | None) -> bool:
    if known is None:
        return True
    said = (known.state, known.worker_id, known.trace or "")
    return said != (status.state, status.worker_id, status.trace)

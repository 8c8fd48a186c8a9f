"""
Records of a Connect cluster's `status.storage.topic`: what connectors and tasks do, and where.

Source: `org.apache.kafka.connect.storage.KafkaStatusBackingStore` of Kafka 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.wire.connect_json import (
    LONG_MAX,
    Damaged,
    JsonValue,
    fields_of,
    number,
    read,
    text,
    text_or_none,
    written,
)
from kmirror.wire.connect_nouns import TaskId, Unreadable, WorkerState, task_id

_CONNECTOR, _TASK, _TOPIC = "status-connector-", "status-task-", "status-topic-"
_OF_CONNECTOR = ":connector-"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredStatus:
    """
    What a connector or a task does.

    Args:
        state: What.
        worker_id: `host:port` of the worker that has it.
        generation: That worker's generation in its group; a lower one is older.
        trace: Why it failed.
        version: Of the plugin; workers before 4.1 do not tell.
    """

    state: WorkerState
    worker_id: str
    generation: int
    trace: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorStatusRecord:
    """
    What a connector does itself.

    Args:
        connector: Its name.
        status: What; `None` forgets it, and its tasks.
    """

    connector: str
    status: StoredStatus | None

    def encode(self) -> tuple[bytes, bytes | None]:
        """Return key and value, byte for byte as Connect writes them."""
        return (_CONNECTOR + self.connector).encode(), _value(self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatusRecord:
    """
    What a task does.

    Args:
        task: Which.
        status: What; `None` forgets it.
    """

    task: TaskId
    status: StoredStatus | None

    def encode(self) -> tuple[bytes, bytes | None]:
        """Return key and value, byte for byte as Connect writes them."""
        key = f"{_TASK}{self.task.connector}-{self.task.task}"
        return key.encode(), _value(self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicUse:
    """
    Who has written to a topic first.

    Args:
        task: The number of the connector's task.
        discovered_ms: When, since the epoch.
    """

    task: int
    discovered_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicStatusRecord:
    """
    A connector has written to a topic (KIP-558).

    Args:
        topic: Which.
        connector: Its name.
        use: Its first use; `None` forgets it.
    """

    topic: str
    connector: str
    use: TopicUse | None

    def encode(self) -> tuple[bytes, bytes | None]:
        """Return key and value, byte for byte as Connect writes them."""
        key = f"{_TOPIC}{self.topic}{_OF_CONNECTOR}{self.connector}".encode()
        if self.use is None:
            return key, None
        fields = {
            "name": self.topic,
            "connector": self.connector,
            "task": self.use.task,
            "discoverTimestamp": self.use.discovered_ms,
        }
        return key, written({"topic": fields})


StatusRecord = ConnectorStatusRecord | TaskStatusRecord | TopicStatusRecord


def _value(status: StoredStatus | None) -> bytes | None:
    if status is None:
        return None
    fields = {
        "state": status.state.value,
        "trace": status.trace,
        "worker_id": status.worker_id,
        "generation": status.generation,
        "version": status.version,
    }
    return written(fields)


def decode_status(key: bytes | None, value: bytes | None) -> StatusRecord | Unreadable:
    """Read one record of the topic; what Connect would pass over is `Unreadable`."""
    name = (key or b"").decode(errors="replace")
    try:
        stored = read(value)
        if name.startswith(_CONNECTOR):
            return ConnectorStatusRecord(
                connector=_named(name.removeprefix(_CONNECTOR)), status=_status(stored)
            )
        if name.startswith(_TASK):
            return TaskStatusRecord(task=task_id(name.removeprefix(_TASK)), status=_status(stored))
        if name.startswith(_TOPIC):
            return _topic(name.removeprefix(_TOPIC), stored)
        raise Damaged("its key names no kind of record")
    except Damaged as error:
        return Unreadable(key=name, reason=str(error))


def _named(name: str) -> str:
    if not name:
        raise Damaged("its key names nothing")
    return name


def _status(value: JsonValue) -> StoredStatus | None:
    if value is None:
        return None
    fields = fields_of(value)
    word = text(fields, "state")
    if word not in WorkerState.__members__:
        raise Damaged(f"state: expected one of {', '.join(WorkerState)}")
    return StoredStatus(
        state=WorkerState(word),
        worker_id=text(fields, "worker_id"),
        generation=number(fields, "generation"),
        trace=text_or_none(fields, "trace"),
        version=text_or_none(fields, "version"),
    )


def _topic(words: str, value: JsonValue) -> TopicStatusRecord:
    topic, found, connector = words.partition(_OF_CONNECTOR)
    if not found:
        raise Damaged("its key names no connector")
    use = None
    if value is not None:
        fields = fields_of(fields_of(value).get("topic"))
        use = TopicUse(
            task=number(fields, "task"),
            discovered_ms=number(fields, "discoverTimestamp", max_=LONG_MAX),
        )
    return TopicStatusRecord(topic=_named(topic), connector=_named(connector), use=use)

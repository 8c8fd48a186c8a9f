"""
Records of a Connect cluster's `config.storage.topic`: connectors, their tasks, and what is wanted.

The topic has one partition and is compacted. A key names a kind of record and mostly a connector;
a value is a JSON object without a schema. Task settings count when the commit behind them is read.
Source: `org.apache.kafka.connect.storage.KafkaConfigBackingStore` of Kafka 4.3.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kmirror.wire.connect_json import (
    LONG_MAX,
    Damaged,
    JsonValue,
    fields_of,
    kind_of,
    number,
    read,
    text,
    text_or_none,
    written,
)
from kmirror.wire.connect_nouns import TargetState, TaskId, Unreadable, task_id

# Settings as they lie in the topic; Connect's own schema lets a value be null.
StoredConfig = Mapping[str, str | None]
Record = tuple[bytes, bytes | None]

_CONNECTOR, _TASK, _COMMIT = "connector-", "task-", "commit-"
_TARGET_STATE, _RESTART = "target-state-", "restart-connector-"
_TASK_COUNT, _SESSION_KEY, _LOGGER = "tasks-fencing-", "session-key", "logger-cluster-"
# Connect's own word of what its REST API calls RUNNING.
_STARTED = "STARTED"
_STATES = {_STARTED: TargetState.RUNNING} | {
    state.value: state for state in (TargetState.PAUSED, TargetState.STOPPED)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorConfig:
    """
    A connector's settings.

    Args:
        connector: Its name.
        config: The settings as they were posted; `None` deletes the connector.
    """

    connector: str
    config: StoredConfig | None

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        return _record(_CONNECTOR + self.connector, _properties(self.config))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskConfig:
    """
    A task's settings, which count from the next commit on.

    Args:
        task: Which one.
        config: Its settings.
    """

    task: TaskId
    config: StoredConfig

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        key = f"{_TASK}{self.task.connector}-{self.task.task}"
        return _record(key, _properties(self.config))


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksCommit:
    """
    The settings of tasks before this record count now.

    Args:
        connector: Whose tasks.
        tasks: How many there are.
    """

    connector: str
    tasks: int

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        return _record(_COMMIT + self.connector, {"tasks": self.tasks})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorTarget:
    """
    What somebody wants a connector to do.

    Args:
        connector: Its name.
        state: What; `None` forgets it.
    """

    connector: str
    state: TargetState | None

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        return _record(_TARGET_STATE + self.connector, _target(self.state))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCount:
    """
    How many transactional producers have to be fenced before a connector's next tasks (KIP-618).

    Args:
        connector: Its name.
        tasks: How many there are.
    """

    connector: str
    tasks: int

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        return _record(_TASK_COUNT + self.connector, {"task-count": self.tasks})


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """
    The key that signs what workers ask of each other (KIP-507).

    Args:
        key: Its bytes, a secret.
        algorithm: What it is for, such as `HmacSHA256`.
        created_ms: When it was made, since the epoch.
    """

    key: bytes = field(repr=False)
    algorithm: str
    created_ms: int

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        fields = {
            "key": base64.b64encode(self.key).decode(),
            "algorithm": self.algorithm,
            "creation-timestamp": self.created_ms,
        }
        return _record(_SESSION_KEY, fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartRequest:
    """
    Somebody wants a connector to be restarted (KIP-745).

    Args:
        connector: Its name.
        only_failed: Only what has failed.
        include_tasks: Its tasks, too.
    """

    connector: str
    only_failed: bool
    include_tasks: bool

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        fields = {"include-tasks": self.include_tasks, "only-failed": self.only_failed}
        return _record(_RESTART + self.connector, fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterLoggerLevel:
    """
    All workers are to log from a level on (KIP-976).

    Args:
        logger: Its name.
        level: `DEBUG` and so on.
    """

    logger: str
    level: str

    def encode(self) -> Record:
        """Return key and value, byte for byte as Connect writes them."""
        return _record(_LOGGER + self.logger, {"level": self.level})


ConfigRecord = (
    ConnectorConfig
    | TaskConfig
    | TasksCommit
    | ConnectorTarget
    | TaskCount
    | SessionKey
    | RestartRequest
    | ClusterLoggerLevel
)


def _record(key: str, fields: Mapping[str, object] | None) -> Record:
    return key.encode(), None if fields is None else written(fields)


def _properties(config: StoredConfig | None) -> Mapping[str, object] | None:
    return None if config is None else {"properties": dict(config)}


def _target(state: TargetState | None) -> Mapping[str, object] | None:
    if state is None:
        return None
    word = _STARTED if state is TargetState.RUNNING else state.value
    # Workers before 3.5 know no STOPPED and read the first field.
    older = TargetState.PAUSED.value if state is TargetState.STOPPED else word
    return {"state": older, "state.v2": word}


def task_records(connector: str, configs: Sequence[StoredConfig]) -> tuple[ConfigRecord, ...]:
    """Return the records that replace a connector's tasks, the commit last."""
    tasks = [
        TaskConfig(task=TaskId(connector, number), config=config)
        for number, config in enumerate(configs)
    ]
    return (*tasks, TasksCommit(connector=connector, tasks=len(configs)))


def decode_config(key: bytes | None, value: bytes | None) -> ConfigRecord | Unreadable:
    """Read one record of the topic; what Connect would pass over is `Unreadable`."""
    name = (key or b"").decode(errors="replace")
    try:
        stored = read(value)
        for prefix, decode in _DECODERS.items():
            if name.startswith(prefix):
                return decode(name.removeprefix(prefix), stored)
        raise Damaged("its key names no kind of record")
    except Damaged as error:
        return Unreadable(key=name, reason=str(error))


def _connector(name: str, value: JsonValue) -> ConnectorConfig:
    return ConnectorConfig(connector=name, config=None if value is None else _config(value))


def _task(words: str, value: JsonValue) -> TaskConfig:
    return TaskConfig(task=task_id(words), config=_config(value))


def _config(value: JsonValue) -> StoredConfig:
    properties = fields_of(value).get("properties")
    if not isinstance(properties, dict):
        raise Damaged(f"properties: expected a JSON object, not {kind_of(properties)}")
    return {name: text_or_none(properties, name) for name in properties}


def _commit(name: str, value: JsonValue) -> TasksCommit:
    return TasksCommit(connector=name, tasks=number(fields_of(value), "tasks"))


def _wanted(name: str, value: JsonValue) -> ConnectorTarget:
    return ConnectorTarget(connector=name, state=None if value is None else _state(value))


def _state(value: JsonValue) -> TargetState:
    fields = fields_of(value)
    newer = fields.get("state.v2")
    word = newer if isinstance(newer, str) else text(fields, "state")
    if word not in _STATES:
        raise Damaged(f"expected one of {', '.join(_STATES)} as the state")
    return _STATES[word]


def _task_count(name: str, value: JsonValue) -> TaskCount:
    return TaskCount(connector=name, tasks=number(fields_of(value), "task-count"))


def _session_key(behind: str, value: JsonValue) -> SessionKey:
    if behind:
        raise Damaged("its key names no kind of record")
    fields = fields_of(value)
    try:
        key = base64.b64decode(text(fields, "key"), validate=True)
    except ValueError as error:
        raise Damaged("key: expected Base64") from error
    return SessionKey(
        key=key,
        algorithm=text(fields, "algorithm"),
        created_ms=number(fields, "creation-timestamp", max_=LONG_MAX),
    )


def _restart(name: str, value: JsonValue) -> RestartRequest:
    fields = fields_of(value)
    # As in Connect, what is no flag is none that was raised.
    return RestartRequest(
        connector=name,
        only_failed=fields.get("only-failed") is True,
        include_tasks=fields.get("include-tasks") is True,
    )


def _logger(name: str, value: JsonValue) -> ClusterLoggerLevel:
    return ClusterLoggerLevel(logger=name, level=text(fields_of(value), "level"))


# No key begins with two of these.
_DECODERS: Mapping[str, Callable[[str, JsonValue], ConfigRecord]] = {
    _CONNECTOR: _connector,
    _TASK: _task,
    _COMMIT: _commit,
    _TARGET_STATE: _wanted,
    _TASK_COUNT: _task_count,
    _SESSION_KEY: _session_key,
    _RESTART: _restart,
    _LOGGER: _logger,
}

"""A Connect worker without flows: it answers as Connect does, and remembers what it was told."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.connect.model import (
    CheckedConfig,
    ConfigDefinition,
    ConfigValue,
    ConnectorInfo,
    ConnectorOffset,
    ConnectorStatus,
    Health,
    LoggerLevel,
    Plugin,
    Status,
    TargetState,
    TaskId,
    TaskInfo,
    WorkerInfo,
    WorkerState,
)
from kmirror.control.caller import Caller, Role
from kmirror.errors import AlreadyExists, BadRequest, NotFound

_MIRROR = "org.apache.kafka.connect.mirror."
_VERSION = "4.3.1"
_WORKER = "127.0.0.1:8083"
_CLASSES = ("MirrorCheckpointConnector", "MirrorHeartbeatConnector", "MirrorSourceConnector")
_LIST_HINT = (
    "You can also find the above list of errors at the endpoint "
    "`/connector-plugins/{connectorType}/config/validate`"
)
_STATES = {
    TargetState.RUNNING: WorkerState.RUNNING,
    TargetState.PAUSED: WorkerState.PAUSED,
    TargetState.STOPPED: WorkerState.STOPPED,
}
_NAME = ConfigDefinition(
    name="name",
    type="STRING",
    required=True,
    default_value=None,
    importance="HIGH",
    documentation="Globally unique name to use for this connector.",
    group="Common",
    width="MEDIUM",
    display_name="Connector name",
    order=1,
)
_TASKS_MAX = ConfigDefinition(
    name="tasks.max",
    type="INT",
    required=False,
    default_value="1",
    importance="HIGH",
    documentation="Maximum number of tasks to use for this connector.",
    group="Common",
    width="SHORT",
    display_name="Tasks max",
    order=4,
)


@dataclass(slots=True)
class _Connector:
    config: dict[str, str]
    state: TargetState
    traces: dict[int, str] = field(default_factory=dict)
    offsets: dict[str, ConnectorOffset] = field(default_factory=dict)
    topics: list[str] = field(default_factory=list)
    # A connector that was never started has none.
    has_tasks: bool = False

    @property
    def task_count(self) -> int:
        return int(self.config.get("tasks.max", "1")) if self.has_tasks else 0

    def tell(self, state: TargetState) -> None:
        self.state = state
        if state is not TargetState.PAUSED:
            self.has_tasks = state is TargetState.RUNNING


class MemoryHerder:
    """A `Herder`; `done` has every change with the name of who wanted it."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []
        self.health_now = Health(
            status="healthy",
            message="Worker has completed startup and is ready to handle requests.",
        )
        self._connectors: dict[str, _Connector] = {}
        self._loggers = {"root": LoggerLevel(level="INFO")}
        self._lock = threading.RLock()

    def fail_task(self, name: str, task: int, trace: str) -> None:
        """Have a task fail."""
        self._connectors[name].traces[task] = trace

    def write_topics(self, name: str, *topics: str) -> None:
        """Have a connector write to topics."""
        self._connectors[name].topics.extend(topics)

    def info(self) -> WorkerInfo:
        return WorkerInfo(version=_VERSION, commit="0" * 16, kafka_cluster_id="A" * 22)

    def health(self) -> Health:
        return self.health_now

    def connectors(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._connectors)

    def connector(self, name: str) -> ConnectorInfo:
        found = self._get(name)
        tasks = tuple(TaskId(name, number) for number in range(found.task_count))
        return ConnectorInfo(name=name, config=dict(found.config), tasks=tasks)

    def status(self, name: str) -> ConnectorStatus:
        found = self._get(name, "No status found for connector {}")
        tasks = tuple(self._task(found, number) for number in range(found.task_count))
        connector = Status(state=_STATES[found.state], worker_id=_WORKER)
        return ConnectorStatus(name=name, connector=connector, tasks=tasks)

    def tasks(self, name: str) -> tuple[TaskInfo, ...]:
        found = self._get(name)
        return tuple(
            TaskInfo(id=TaskId(name, number), config={**found.config, "task.index": str(number)})
            for number in range(found.task_count)
        )

    def task_status(self, name: str, task: int) -> Status:
        found = self._connectors.get(name)
        if found is None or not 0 <= task < found.task_count:
            raise NotFound(f"No status found for task {name}-{task}")
        return self._task(found, task)

    def create(
        self, name: str, config: Mapping[str, str], state: TargetState, by: Caller
    ) -> ConnectorInfo:
        self._begin("create", Role.ADMIN, by)
        with self._lock:
            _check(name, config)
            if name in self._connectors:
                raise AlreadyExists(f"Connector {name} already exists")
            return self._make(name, config, state)

    def put_config(
        self, name: str, config: Mapping[str, str], by: Caller
    ) -> tuple[ConnectorInfo, bool]:
        self._begin("put_config", Role.ADMIN, by)
        with self._lock:
            _check(name, config)
            is_new = name not in self._connectors
            if is_new:
                return self._make(name, config, TargetState.RUNNING), True
            self._connectors[name].config = dict(config)
            return self.connector(name), False

    def patch_config(
        self, name: str, changes: Mapping[str, str | None], by: Caller
    ) -> ConnectorInfo:
        self._begin("patch_config", Role.ADMIN, by)
        with self._lock:
            merged = {**self._get(name).config, **changes}
            config = {key: text for key, text in merged.items() if text is not None}
            _check(name, config)
            self._get(name).config = config
            return self.connector(name)

    def set_state(self, name: str, state: TargetState, by: Caller) -> None:
        self._begin(f"set_state {state}", Role.OPERATOR, by)
        self._get(name, "Unknown connector {}").tell(state)

    def restart(
        self, name: str, *, include_tasks: bool, only_failed: bool, by: Caller
    ) -> ConnectorStatus:
        self._begin(f"restart {include_tasks} {only_failed}", Role.OPERATOR, by)
        found = self._get(name, "Unknown connector: {}")
        before = self.status(name)
        restarting = Status(state=WorkerState.RESTARTING, worker_id=_WORKER)
        tasks = [
            restarting if include_tasks and (not only_failed or number in found.traces) else task
            for number, task in enumerate(before.tasks)
        ]
        if include_tasks:
            found.traces.clear()
        connector = before.connector if only_failed else restarting
        return ConnectorStatus(name=name, connector=connector, tasks=tuple(tasks))

    def restart_task(self, name: str, task: int, by: Caller) -> None:
        self._begin(f"restart_task {task}", Role.OPERATOR, by)
        found = self._get(name, "Unknown connector: {}")
        if not 0 <= task < found.task_count:
            raise NotFound(f"Unknown task: {name}-{task}")
        found.traces.pop(task, None)

    def delete(self, name: str, by: Caller) -> None:
        self._begin("delete", Role.ADMIN, by)
        with self._lock:
            self._get(name)
            del self._connectors[name]

    def topics(self, name: str) -> tuple[str, ...]:
        found = self._connectors.get(name)
        return () if found is None else tuple(found.topics)

    def reset_topics(self, name: str, by: Caller) -> None:
        self._begin("reset_topics", Role.OPERATOR, by)
        if name in self._connectors:
            self._connectors[name].topics.clear()

    def offsets(self, name: str) -> tuple[ConnectorOffset, ...]:
        return tuple(self._get(name).offsets.values())

    def alter_offsets(self, name: str, offsets: tuple[ConnectorOffset, ...], by: Caller) -> str:
        self._begin("alter_offsets", Role.ADMIN, by)
        found = self._stopped(name)
        for each in offsets:
            key = str(sorted(each.partition.items(), key=str))
            if each.offset is None:
                found.offsets.pop(key, None)
            else:
                found.offsets[key] = each
        return "The offsets for this connector have been altered successfully"

    def reset_offsets(self, name: str, by: Caller) -> str:
        self._begin("reset_offsets", Role.ADMIN, by)
        self._stopped(name).offsets.clear()
        return "The offsets for this connector have been reset successfully"

    def plugins(self, *, connectors_only: bool) -> tuple[Plugin, ...]:
        found = [
            Plugin(class_name=_MIRROR + name, type="source", version=_VERSION) for name in _CLASSES
        ]
        converter = "org.apache.kafka.connect.converters.ByteArrayConverter"
        others = [Plugin(class_name=converter, type="converter", version=_VERSION)]
        return tuple(found if connectors_only else found + others)

    def plugin_config(self, plugin: str) -> tuple[ConfigDefinition, ...]:
        _class(plugin)
        return (_NAME, _TASKS_MAX)

    def validate(self, plugin: str, config: Mapping[str, str]) -> CheckedConfig:
        try:
            _class(plugin)
        except NotFound as error:
            raise BadRequest(f"Failed to find {plugin}") from error
        found = []
        for definition in (_NAME, _TASKS_MAX):
            value = config.get(definition.name)
            errors = _errors(definition.name, value)
            found.append(
                (definition, ConfigValue(name=definition.name, value=value, errors=errors))
            )
        others = [
            (None, ConfigValue(name=key, value=text))
            for key, text in config.items()
            if key not in ("name", "tasks.max")
        ]
        return CheckedConfig(
            name=config["connector.class"], groups=("Common",), configs=(*found, *others)
        )

    def loggers(self) -> Mapping[str, LoggerLevel]:
        return dict(self._loggers)

    def logger(self, name: str) -> LoggerLevel:
        if name not in self._loggers:
            raise NotFound(f"Logger {name} not found.")
        return self._loggers[name]

    def set_logger(self, name: str, level: str, *, everywhere: bool, by: Caller) -> tuple[str, ...]:
        self._begin(f"set_logger {name} {level} {everywhere}", Role.ADMIN, by)
        self._loggers[name] = LoggerLevel(level=level, last_modified_ms=1)
        return (name,)

    def _make(self, name: str, config: Mapping[str, str], state: TargetState) -> ConnectorInfo:
        """Make a connector; it has tasks a moment later."""
        self._connectors[name] = _Connector(dict(config), state)
        made = self.connector(name)
        self._connectors[name].tell(state)
        return made

    def _begin(self, what: str, role: Role, by: Caller) -> None:
        by.require(role, what)
        self.done.append((what, by.name))

    def _get(self, name: str, message: str = "Connector {} not found") -> _Connector:
        found = self._connectors.get(name)
        if found is None:
            raise NotFound(message.format(name))
        return found

    def _stopped(self, name: str) -> _Connector:
        found = self._get(name)
        if found.state is not TargetState.STOPPED:
            raise BadRequest(
                "Connectors must be in the STOPPED state before their offsets can be modified. "
                "This can be done for the specified connector by issuing a 'PUT' request to the "
                f"'/connectors/{name}/stop' endpoint"
            )
        return found

    def _task(self, found: _Connector, number: int) -> Status:
        trace = found.traces.get(number, "")
        state = WorkerState.FAILED if trace else _STATES[found.state]
        return Status(state=state, worker_id=_WORKER, trace=trace)


def _class(plugin: str) -> None:
    short = plugin.rpartition(".")[2]
    if short not in _CLASSES and f"{short}Connector" not in _CLASSES:
        raise NotFound(f"Unknown plugin {plugin}.")


def _check(name: str, config: Mapping[str, str]) -> None:
    if "connector.class" not in config:
        raise BadRequest(f"Connector config {{name={name}}} contains no connector type")
    try:
        _class(config["connector.class"])
    except NotFound as error:
        raise BadRequest(f"Failed to find {config['connector.class']}") from error
    errors = [
        error
        for key in ("name", "tasks.max")
        for error in _errors(key, config.get(key, "1" if key == "tasks.max" else None))
    ]
    if errors:
        listed = "\n".join(errors)
        raise BadRequest(
            f"Connector configuration is invalid and contains the following {len(errors)} "
            f"error(s):\n{listed}\n{_LIST_HINT}"
        )


def _errors(key: str, value: str | None) -> tuple[str, ...]:
    if key == "name":
        if value is None:
            return ('Missing required configuration "name" which has no default value.',)
        if not value:
            return ("Invalid value  for configuration name: String may not be empty",)
        return ()
    if value is not None and not value.isdigit():
        return (f"Invalid value {value} for configuration tasks.max: Not a number of type INT",)
    if value == "0":
        return ("Invalid value 0 for configuration tasks.max: Value must be at least 1",)
    return ()

"""
The nouns of Kafka Connect's REST API.

Sources: `org.apache.kafka.connect.runtime.rest.entities`, `AbstractStatus`, `TargetState`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.wire.connect_json import JsonValue
from kmirror.wire.connect_nouns import TargetState, TaskId, WorkerState

__all__ = [
    "CheckedConfig",
    "ConfigDefinition",
    "ConfigValue",
    "ConnectorInfo",
    "ConnectorOffset",
    "ConnectorStatus",
    "Health",
    "JsonValue",
    "LoggerLevel",
    "Plugin",
    "Status",
    "TargetState",
    "TaskId",
    "TaskInfo",
    "WorkerInfo",
    "WorkerState",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorInfo:
    """
    What a connector is.

    Args:
        name: As it was posted.
        config: Its settings as they were posted; secrets are masked by whoever shows them.
        tasks: In order.
    """

    name: str
    config: Mapping[str, str]
    tasks: tuple[TaskId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInfo:
    """
    A task's part of the work.

    Args:
        id: Which one.
        config: What MirrorMaker 2 would give to that task, such as `task.assigned.partitions`.
    """

    id: TaskId
    config: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """
    What a connector or a task does, and where.

    Args:
        state: What it does.
        worker_id: `host:port` of the worker that has it, as that one advertises itself.
        trace: Why it failed or does not do what it should, and what to do; empty if it does.
    """

    state: WorkerState
    worker_id: str
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorStatus:
    """
    What a connector and its tasks do.

    Args:
        name: The connector.
        connector: What it does itself.
        tasks: By number, without gaps.
    """

    name: str
    connector: Status
    tasks: tuple[Status, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorOffset:
    """
    Where a source connector is.

    Args:
        partition: Its own words, of MirrorMaker 2 `{"cluster": "A", "topic": "t", "partition": 0}`.
        offset: Its own words, `{"offset": 123}`; `None` forgets it.
    """

    partition: Mapping[str, JsonValue]
    offset: Mapping[str, JsonValue] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """
    A class that a connector's settings may name.

    Args:
        class_name: In full, as in Java.
        type: `source`, `converter`, `header_converter`, `transformation` or `predicate`.
        version: Of Kafka, whose class it is.
    """

    class_name: str
    type: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDefinition:
    """
    A setting that a connector has: `ConfigKeyInfo`.

    Args:
        name: Its key.
        type: `STRING`, `INT`, `LIST` and so on.
        required: Whether it has no default.
        default_value: As text; `None` for none.
        importance: `HIGH`, `MEDIUM` or `LOW`.
        documentation: What it is for.
        group: Under which heading a form shows it; `None` for under none.
        width: `NONE`, `SHORT`, `MEDIUM` or `LONG`.
        display_name: Its name in a form.
        dependents: Keys whose values depend on this one's.
        order: Its place in the group; -1 for none.
    """

    name: str
    type: str
    required: bool
    default_value: str | None
    importance: str
    documentation: str
    group: str | None = None
    width: str = "NONE"
    display_name: str = ""
    dependents: tuple[str, ...] = ()
    order: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigValue:
    """
    What a setting has, and what is wrong with it: `ConfigValueInfo`.

    Args:
        name: Its key.
        value: As text, masked if it is secret; `None` for none.
        recommended_values: What it might be.
        errors: What is wrong.
        visible: Whether a form shows it.
    """

    name: str
    value: str | None
    recommended_values: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    visible: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedConfig:
    """
    A connector's settings, checked: `ConfigInfos`.

    Args:
        name: The connector's class.
        groups: The headings.
        configs: Each setting with what it has; a key that nobody knows has no definition.
    """

    name: str
    groups: tuple[str, ...]
    configs: tuple[tuple[ConfigDefinition | None, ConfigValue], ...]

    @property
    def error_count(self) -> int:
        """How much is wrong: Connect counts what it says, not the settings."""
        return sum(len(value.errors) for _, value in self.configs)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggerLevel:
    """
    What a logger writes.

    Args:
        level: `INFO`, `DEBUG` and so on.
        last_modified_ms: When somebody changed it, since the epoch; `None` for never.
    """

    level: str
    last_modified_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerInfo:
    """
    What `GET /` says.

    Args:
        version: Of Kafka, for which this worker stands.
        commit: Of kmirror's own version.
        kafka_cluster_id: Of the worker's own cluster.
    """

    version: str
    commit: str
    kafka_cluster_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """
    What `GET /health` says (KIP-1017).

    Args:
        status: `healthy`, `starting` or `unhealthy`.
        message: For people.
    """

    status: str
    message: str

"""
Connect's nouns as JSON, secrets masked.

Sources: `org.apache.kafka.connect.runtime.rest.entities` of Kafka 4.3.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kmirror.config.hiding import without_wholes
from kmirror.connect.model import (
    CheckedConfig,
    ConfigDefinition,
    ConfigValue,
    ConnectorInfo,
    ConnectorOffset,
    ConnectorStatus,
    JsonValue,
    LoggerLevel,
    Plugin,
    Status,
    TaskId,
    TaskInfo,
)
from kmirror.server.masking import masked

# Of MirrorMaker 2's three connectors.
_TYPE = "source"


def info_json(info: ConnectorInfo) -> JsonValue:
    """Write a `ConnectorInfo`."""
    tasks: list[JsonValue] = [_task_id(task) for task in info.tasks]
    return {"name": info.name, "config": config_json(info.config), "tasks": tasks, "type": _TYPE}


def status_json(status: ConnectorStatus, version: str, secrets: Sequence[str]) -> JsonValue:
    """
    Write a `ConnectorStateInfo`.

    Args:
        status: What to write.
        version: Of the connectors' classes.
        secrets: What must not be in a trace.
    """
    tasks: list[JsonValue] = [
        task_status_json(number, task, version, secrets) for number, task in enumerate(status.tasks)
    ]
    connector = _state(status.connector, version, secrets)
    return {"name": status.name, "connector": connector, "tasks": tasks, "type": _TYPE}


def task_status_json(
    number: int, status: Status, version: str, secrets: Sequence[str]
) -> JsonValue:
    """Write a `TaskState`; see `status_json`."""
    return {"id": number} | _state(status, version, secrets)


def _state(status: Status, version: str, secrets: Sequence[str]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {"state": str(status.state), "worker_id": status.worker_id}
    if status.trace:
        found["trace"] = without_wholes(status.trace, secrets)
    return found | ({"version": version} if version else {})


def tasks_json(tasks: Sequence[TaskInfo]) -> JsonValue:
    """Write a list of `TaskInfo`."""
    return [{"id": _task_id(task.id), "config": config_json(task.config)} for task in tasks]


def offsets_json(offsets: Sequence[ConnectorOffset]) -> JsonValue:
    """Write `ConnectorOffsets`."""
    return {
        "offsets": [
            {
                "partition": dict(each.partition),
                "offset": None if each.offset is None else dict(each.offset),
            }
            for each in offsets
        ]
    }


def plugins_json(plugins: Sequence[Plugin]) -> JsonValue:
    """Write a list of `PluginInfo`."""
    return [
        {"class": each.class_name, "type": each.type, "version": each.version} for each in plugins
    ]


def definition_json(definition: ConfigDefinition) -> JsonValue:
    """Write a `ConfigKeyInfo`."""
    return {
        "name": definition.name,
        "type": definition.type,
        "required": definition.required,
        "default_value": definition.default_value,
        "importance": definition.importance,
        "documentation": definition.documentation,
        "group": definition.group,
        "order_in_group": definition.order,
        "width": definition.width,
        "display_name": definition.display_name,
        "dependents": list(definition.dependents),
    }


def checked_json(checked: CheckedConfig, secrets: Sequence[str]) -> JsonValue:
    """
    Write `ConfigInfos`.

    Args:
        checked: What to write.
        secrets: What must not be in an error, nor under a harmless name.
    """
    configs: list[JsonValue] = [
        {
            "definition": None if definition is None else definition_json(definition),
            "value": _value(value, secrets),
        }
        for definition, value in checked.configs
    ]
    return {
        "name": checked.name,
        "error_count": checked.error_count,
        "groups": list(checked.groups),
        "configs": configs,
    }


def _value(value: ConfigValue, secrets: Sequence[str]) -> JsonValue:
    shown = None if value.value is None else masked(value.name, value.value)
    return {
        "name": value.name,
        "value": shown if shown is None else without_wholes(shown, secrets),
        "recommended_values": list(value.recommended_values),
        "errors": [without_wholes(error, secrets) for error in value.errors],
        "visible": value.visible,
    }


def logger_json(level: LoggerLevel) -> JsonValue:
    """Write a `LoggerLevel`."""
    return {"level": level.level, "last_modified": level.last_modified_ms}


def config_json(config: Mapping[str, str]) -> dict[str, JsonValue]:
    """Write settings."""
    return {name: masked(name, text) for name, text in config.items()}


def _task_id(task: TaskId) -> JsonValue:
    return {"connector": task.connector, "task": task.task}

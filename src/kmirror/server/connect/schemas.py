"""The shapes of Connect's API for its OpenAPI document, by the names that the endpoints use."""

from __future__ import annotations

from kmirror.connect.model import TargetState, WorkerState
from kmirror.server.json_schema import (
    ANYTHING,
    FLAG,
    SCALAR,
    TEXT,
    TEXT_OR_NULL,
    WHOLE,
    Shape,
    list_shape,
    map_shape,
    named_shape,
    object_shape,
    one_of_shape,
)

_STATE: dict[str, Shape] = {
    "state": one_of_shape(*WorkerState),
    "worker_id": TEXT,
    "trace": TEXT,
    "version": TEXT,
}
_STATE_OPTIONAL = ("trace", "version")
_TASK_ID = object_shape({"connector": TEXT, "task": WHOLE})
_DEFINITION = object_shape(
    {
        "name": TEXT,
        "type": TEXT,
        "required": FLAG,
        "default_value": TEXT_OR_NULL,
        "importance": TEXT,
        "documentation": TEXT_OR_NULL,
        "group": TEXT_OR_NULL,
        "order_in_group": WHOLE,
        "width": TEXT,
        "display_name": TEXT,
        "dependents": list_shape(TEXT),
    }
)
_VALUE = object_shape(
    {
        "name": TEXT,
        "value": TEXT_OR_NULL,
        "recommended_values": list_shape(TEXT),
        "errors": list_shape(TEXT),
        "visible": FLAG,
    }
)
_OFFSET = object_shape({"partition": ANYTHING, "offset": {"type": ["object", "null"]}})
_EXPANDED = object_shape(
    {"status": named_shape("Status"), "info": named_shape("Connector")}, "status", "info"
)

SHAPES: dict[str, Shape] = {
    "Error": object_shape({"error_code": WHOLE, "message": TEXT}),
    "Server": object_shape({"version": TEXT, "commit": TEXT, "kafka_cluster_id": TEXT}),
    "Health": object_shape(
        {"status": one_of_shape("healthy", "starting", "unhealthy"), "message": TEXT}
    ),
    "Message": object_shape({"message": TEXT}),
    "Names": list_shape(TEXT),
    "Config": map_shape(TEXT),
    "NewConfig": map_shape(SCALAR),
    "Changes": map_shape({"type": ["string", "number", "boolean", "null"]}),
    "Connector": object_shape(
        {
            "name": TEXT,
            "config": map_shape(TEXT),
            "tasks": list_shape(_TASK_ID),
            "type": one_of_shape("source"),
        }
    ),
    "NewConnector": object_shape(
        {
            "name": SCALAR,
            "config": map_shape(SCALAR),
            "initial_state": one_of_shape(*TargetState),
        },
        "initial_state",
    ),
    "Connectors": {"oneOf": [list_shape(TEXT), map_shape(_EXPANDED)]},
    "Status": object_shape(
        {
            "name": TEXT,
            "connector": object_shape(_STATE, *_STATE_OPTIONAL),
            "tasks": list_shape(named_shape("TaskStatus")),
            "type": one_of_shape("source"),
        }
    ),
    "TaskStatus": object_shape({"id": WHOLE, **_STATE}, *_STATE_OPTIONAL),
    "Tasks": list_shape(object_shape({"id": _TASK_ID, "config": map_shape(TEXT)})),
    "Topics": map_shape(object_shape({"topics": list_shape(TEXT)})),
    "Offsets": object_shape({"offsets": list_shape(_OFFSET)}),
    "NewOffsets": object_shape({"offsets": list_shape(_OFFSET) | {"minItems": 1}}),
    "Plugins": list_shape(object_shape({"class": TEXT, "type": TEXT, "version": TEXT})),
    "Definitions": list_shape(_DEFINITION),
    "Checked": object_shape(
        {
            "name": TEXT,
            "error_count": WHOLE,
            "groups": list_shape(TEXT),
            "configs": list_shape(
                object_shape(
                    {"definition": {"anyOf": [_DEFINITION, {"type": "null"}]}, "value": _VALUE}
                )
            ),
        }
    ),
    "Logger": object_shape({"level": TEXT, "last_modified": {"type": ["integer", "null"]}}),
    "Loggers": map_shape(named_shape("Logger")),
    "Document": ANYTHING,
    "Level": object_shape({"level": TEXT}) | {"additionalProperties": SCALAR},
}

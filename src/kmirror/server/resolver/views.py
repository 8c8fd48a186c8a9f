"""What the resolver answers, and the shapes of it."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from kmirror.apps.home_watch import SeenHome
from kmirror.connect.model import JsonValue
from kmirror.errors import BadRequest
from kmirror.server.json_schema import (
    ANYTHING,
    TEXT,
    WHOLE,
    Shape,
    list_shape,
    object_shape,
    one_of_shape,
)

JsonObject = dict[str, JsonValue]

_REGION: dict[str, Shape] = {
    "region": TEXT,
    "cluster": TEXT,
    "bootstrap_servers": TEXT,
    "why": TEXT,
    "trouble": TEXT,
}
_PLACE: dict[str, Shape] = {
    **_REGION,
    "topic": TEXT,
    "pattern": TEXT,
    "topics": {"type": ["array", "null"], "items": TEXT},
    "write": TEXT,
    "sources": list_shape(TEXT),
}
SHAPES: Mapping[str, Shape] = {
    "Error": object_shape({"error_code": WHOLE, "message": TEXT}),
    "Health": object_shape({"status": one_of_shape("healthy", "starting"), "message": TEXT}),
    "Region": object_shape(_REGION),
    "Regions": list_shape(object_shape(_REGION)),
    "Place": object_shape(_PLACE),
    "Document": ANYTHING,
}
STREAM: JsonObject = {
    "get": {
        "summary": "What is so now, and then each change of it, as server-sent events",
        "description": "Events named `place` for each `topic`; without one, `region`. Their data "
        "are what the other paths answer. Needs the role viewer.",
        "operationId": "get_regions_region_events",
        "parameters": [
            {"name": "region", "in": "path", "required": True, "schema": {**TEXT}},
            {
                "name": "topic",
                "in": "query",
                "description": "A topic; may be repeated",
                "schema": list_shape(TEXT),
            },
        ],
        "responses": {
            "200": {
                "description": "A stream without end",
                "content": {"text/event-stream": {"schema": {**TEXT}}},
            },
            "4XX": {"description": "The caller's mistake"},
        },
    }
}
"""What OpenAPI says of the stream."""


def region_view(seen: SeenHome) -> JsonObject:
    """Return where the applications of a region work."""
    return {
        "region": seen.region,
        "cluster": seen.home.cluster,
        "bootstrap_servers": seen.home.bootstrap_servers,
        "why": seen.home.why,
        "trouble": seen.trouble,
    }


def place_view(seen: SeenHome, topic: str) -> JsonObject:
    """
    Return where a topic is for the applications of a region.

    Raises:
        BadRequest: There is no such topic name.
    """
    try:
        place = seen.place(topic)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    return {
        **region_view(seen),
        "topic": topic,
        "pattern": place.pattern,
        "topics": None if seen.names is None else list(place.topics),
        "write": place.write,
        "sources": list(place.sources),
    }


def health_view(waiting: list[str]) -> tuple[HTTPStatus, JsonObject]:
    """
    Return whether every region can be answered for.

    Args:
        waiting: Regions that cannot yet.
    """
    if not waiting:
        return HTTPStatus.OK, {"status": "healthy", "message": "every region has been looked at"}
    message = f"not looked at yet: {', '.join(waiting)}"
    return HTTPStatus.SERVICE_UNAVAILABLE, {"status": "starting", "message": message}

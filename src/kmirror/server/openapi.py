"""The OpenAPI document of a table of endpoints, and its endpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPMethod

import kmirror
from kmirror.connect.model import JsonValue
from kmirror.control.caller import Role
from kmirror.server.answers import JSON, Answer
from kmirror.server.endpoint import Endpoint
from kmirror.server.json_schema import named_shape

PATH = "/openapi.json"
CONNECT_TITLE = "Kafka Connect's REST API, of kmirror"
_NOTHING: Mapping[str, JsonValue] = {}
_NUMBERS = frozenset({"task", "partition"})
_VARIABLE = re.compile(r"\{(\w+)\}")


def openapi_document(
    endpoints: Iterable[Endpoint],
    shapes: Mapping[str, dict[str, JsonValue]],
    title: str = CONNECT_TITLE,
    more: Mapping[str, JsonValue] = _NOTHING,
) -> dict[str, JsonValue]:
    """
    Return the document.

    Args:
        endpoints: The table.
        shapes: What its names of shapes mean; `Error` is that of every 4xx.
        title: What is described.
        more: Paths of what is no endpoint of the table.
    """
    paths: dict[str, JsonValue] = {**more}
    for endpoint in endpoints:
        found = paths.setdefault(endpoint.path, {})
        assert isinstance(found, dict), endpoint.path
        found[endpoint.method.lower()] = _operation(endpoint)
    logins: list[JsonValue] = [{}, {"password": []}, {"token": []}]
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": kmirror.__version__},
        "paths": paths,
        "security": logins,
        "components": {
            "schemas": {**shapes},
            "securitySchemes": {
                "password": {"type": "http", "scheme": "basic"},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def openapi_endpoint(document: JsonValue, path: str = PATH) -> Endpoint:
    """Return what serves the document at a path."""
    return Endpoint(
        method=HTTPMethod.GET,
        path=path,
        role=Role.VIEWER,
        handle=lambda _: Answer(content=document),
        summary="What can be called",
        answers={200: "Document"},
    )


def _operation(endpoint: Endpoint) -> JsonValue:
    answers: dict[str, JsonValue] = {
        str(status): _content(name, f"{status}") for status, name in endpoint.answers.items()
    }
    answers["4XX"] = _content("Error", "The caller's mistake, or not now")
    found: dict[str, JsonValue] = {
        "summary": endpoint.summary,
        "description": f"Needs the role {endpoint.role.label}.",
        "operationId": _operation_id(endpoint),
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint)],
        "responses": answers,
    }
    if endpoint.body is not None:
        content: JsonValue = {JSON: {"schema": named_shape(endpoint.body)}}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _content(name: str | None, description: str) -> JsonValue:
    if name is None:
        return {"description": description}
    return {"description": description, "content": {JSON: {"schema": named_shape(name)}}}


def _path_parameters(path: str) -> list[JsonValue]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer" if name in _NUMBERS else "string"},
        }
        for name in _VARIABLE.findall(path)
    ]


def _query_parameters(endpoint: Endpoint) -> list[JsonValue]:
    return [
        {
            "name": name,
            "in": "query",
            "required": name in endpoint.required,
            "description": words,
            "schema": {"type": "integer" if name in endpoint.numbers else "string"},
        }
        for name, words in endpoint.query.items()
    ]


def _operation_id(endpoint: Endpoint) -> str:
    words = re.findall(r"\w+", endpoint.path)
    return "_".join((endpoint.method.lower(), *words))

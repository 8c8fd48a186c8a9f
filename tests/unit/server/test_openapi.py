"""The OpenAPI document, and requests that nobody thought of."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from kmirror.connect.model import TargetState
from kmirror.connect.standalone import StandaloneHerder
from kmirror.control.caller import Caller
from kmirror.server.connect.endpoints import connect_endpoints
from kmirror.server.connect.schemas import SHAPES
from kmirror.server.openapi import openapi_document
from tests.support.connect_files import connector
from tests.support.memory_herder import MemoryHerder
from tests.support.rest_server import HERE, RestClient, serving
from tests.support.standing_worker import Standing, running

CHECKS = [
    *(not_a_server_error, status_code_conformance, content_type_conformance),
    *(response_schema_conformance, unsupported_method),
]
DOCUMENT = openapi_document(connect_endpoints(MemoryHerder()), SHAPES)
# Names of what is there, where those of the document may be any.
KNOWN = {
    "connector": ["a", "A->B.C", "x/y"],
    "plugin": ["MirrorSourceConnector", "MirrorSource"],
    "logger": ["root", "kmirror"],
    "task": [0, 1],
    "expand": ["status", "info"],
    "scope": ["worker", "cluster"],
}
_few = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def with_known_names(config: dict[str, str]) -> dict[str, Any]:
    """
    Return the document of a worker whose things have these names, and no others.

    Args:
        config: What settings usually are.
    """
    document: dict[str, Any] = copy.deepcopy(DOCUMENT)
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation["parameters"]:
                known = KNOWN.get(parameter["name"], ["true", "false"])
                parameter["schema"] = {"enum": known}
    shapes = document["components"]["schemas"]
    scalar = {"type": ["string", "number", "boolean"]}
    usual = {name: {"anyOf": [{"const": text}, scalar]} for name, text in config.items()}
    settings_shape = {
        "type": "object",
        "properties": usual | {"connector.class": {"const": config["connector.class"]}},
        "required": ["connector.class"],
        "additionalProperties": scalar,
    }
    shapes["NewConfig"] = settings_shape
    shapes["NewConnector"]["properties"]["config"] = settings_shape
    shapes["Level"]["properties"]["level"] = {"enum": ["INFO", "DEBUG"]}
    return document


class Lasting(StandaloneHerder):
    """What is deleted is there again."""

    def delete(self, name: str, by: Caller) -> None:
        """Delete a connector."""
        config = self.connector(name).config
        super().delete(name, by)
        self.create(name, config, TargetState.RUNNING, by)


any_schema = schemathesis.openapi.from_dict(DOCUMENT)
known_schema = schemathesis.openapi.from_dict(
    with_known_names(connector(**{"tasks.max": "2", "producer.override.linger.ms": "5"}))
)
for each in (any_schema, known_schema):
    each.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a worker with connectors, which run nothing."""
    worker = Standing(tmp_path_factory.mktemp("worker"), Lasting)
    with running(worker.herder):
        for number, name in enumerate(KNOWN["connector"]):
            worker.create(str(name), **{"source.cluster.alias": f"S{number}", "tasks.max": "2"})
        with serving(worker.herder, replace(HERE, requests_per_s=1_000_000)) as client:
            yield client.base


@any_schema.parametrize()
@_few
def test_no_answer_is_outside_of_the_schema(case: Case[Any], base: str) -> None:
    """Whatever is asked: no 5xx, and what comes back has the shape that the document says."""
    case.call_and_validate(base_url=base, checks=CHECKS)


@known_schema.exclude(path_regex="offsets").parametrize()
@_few
def test_nor_one_about_what_is_there(case: Case[Any], base: str) -> None:
    """The same for things that exist, so that much of it is done; nothing here has offsets."""
    case.call_and_validate(base_url=base, checks=CHECKS)


def test_the_document_is_served(client: RestClient) -> None:
    """Every method of every path is in it, and everything in it can be called."""
    served = client.get("/openapi.json")
    assert served.status == 200
    assert served.json == DOCUMENT
    for path, methods in served.json["paths"].items():
        here = path.replace("{task}", "0").replace("{", "").replace("}", "")
        allowed = {*client.call("OPTIONS", here).headers["allow"].lower().split(", ")}
        assert allowed - {"head", "options"} == {*methods}


def test_every_shape_is_used() -> None:
    """And every one that is used is there."""
    named = {
        name
        for each in connect_endpoints(MemoryHerder())
        for name in (*each.answers.values(), each.body)
        if name is not None
    }
    assert named | {"Error", "Document", "Logger", "TaskStatus"} == SHAPES.keys()

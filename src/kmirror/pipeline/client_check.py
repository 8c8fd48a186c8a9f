"""What Kafka's own clients say to their settings (`io.kmirror.ClientCheck`), unconnected."""

from __future__ import annotations

import json
from typing import Any

from kmirror.config.client_properties import ClientProperties
from kmirror.errors import Problem

_PROTOCOL = "security.protocol"
_HINT = "classes need a jar in kmirror.spark.jars"
PROBLEMS = {
    "said": "{0}",
    "no_class": "Class {0} could not be found.",
    "no_login": "Kafka's clients cannot read the login: {0}",
}
"""By the code that `io.kmirror.ClientCheck` gives; what Kafka has said itself stands as it is."""


def client_problems(jvm: Any, role: str, properties: ClientProperties) -> tuple[Problem, ...]:
    """
    Return what is wrong in a client's settings that only the JVM can check.

    Args:
        jvm: The JVM that the client will live in, with the connector on its class path.
        role: `producer`, `consumer` or `admin`.
        properties: Java client properties.
    """
    answer = jvm.io.kmirror.ClientCheck.problems(role, json.dumps(properties.reveal()))
    return tuple(_problem(role, properties, *row) for row in json.loads(answer))


def _problem(role: str, properties: ClientProperties, name: str, code: str, detail: str) -> Problem:
    words = PROBLEMS[code].format(detail)
    if words.endswith("could not be found."):
        words = f"{words} ({_HINT})"
    # Where the file does not say a name, it says what needs it.
    found = properties.problem(name, words) or properties.problem(_PROTOCOL, f"{name}: {words}")
    if found is None:
        key, where = f"{role}.{name}", str(properties.get("bootstrap.servers"))
        found = Problem(where=where, key=key, value=None, expected=words)
    return found

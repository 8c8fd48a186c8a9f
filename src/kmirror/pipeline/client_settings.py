"""
Writes `config/client_settings.tsv`: `python -m kmirror.pipeline.client_settings`.

What a setting of Kafka's clients may be is asked of the pinned clients themselves, by their
`ConfigDef`, and kept in a file, so that a properties file is judged without a JVM.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from py4j.java_gateway import get_field
from py4j.protocol import Py4JJavaError

from kmirror.config.client_settings import COLUMNS, ROLES, TABLE
from kmirror.pipeline.gateway import client_jvm


def client_settings(jvm: Any) -> str:
    """
    Return the whole table, as text.

    Args:
        jvm: One with Kafka's clients.
    """
    roles_of: dict[tuple[str, ...], list[str]] = {}
    for role in ROLES:
        for row in _rows(config_def(jvm, role)):
            roles_of.setdefault(row, []).append(role)
    rows = sorted((name, ",".join(roles), *rest) for (name, *rest), roles in roles_of.items())
    return "".join("\t".join(row).rstrip("\t") + "\n" for row in [COLUMNS, *rows])


def config_def(jvm: Any, role: str) -> Any:
    """Return the `ConfigDef` of a producer, consumer or admin client."""
    clients = jvm.org.apache.kafka.clients
    configs = {
        "producer": clients.producer.ProducerConfig,
        "consumer": clients.consumer.ConsumerConfig,
        "admin": clients.admin.AdminClientConfig,
    }
    return configs[role].configDef()


def _rows(definition: Any) -> Iterator[tuple[str, ...]]:
    for key in definition.configKeys().values():
        if not get_field(key, "internalConfig"):
            name = str(get_field(key, "name"))
            type_ = str(get_field(key, "type")).lower()
            yield (name, type_, *_limits(name, get_field(key, "validator")))


def _limits(name: str, validator: Any) -> tuple[str, str, str, str, str]:
    """Return low, high, also, choices, and whether their case counts."""
    kind = "" if validator is None else str(validator.getClass().getSimpleName())
    words = "" if validator is None else str(validator.toString())
    # `[1,...]`, `[1,...,9]`, `[1,...,9] or -1`
    if "..." in words:
        numbers, _, also = words.partition(" or ")
        low, _, high = numbers.strip("[]").partition("...")
        return low.rstrip(","), high.lstrip(","), also, "", ""
    if kind in {"", "NonEmptyString"} or (kind == "ValidList" and not words):
        return "", "", "", "", ""
    choices = sorted(words.rpartition("[")[2].rstrip("]").split(", "))
    known = [choice for choice in choices if _accepts(validator, name, choice)]
    assert known, f"{name}: {kind} {words}"
    any_case = all(_accepts(validator, name, choice.swapcase()) for choice in known)
    return "", "", "", ",".join(known), "any" if any_case else "exact"


def _accepts(validator: Any, name: str, text: str) -> bool:
    try:
        validator.ensureValid(name, text)
    except Py4JJavaError:
        return False
    return True


if __name__ == "__main__":
    with client_jvm() as machine:
        text = client_settings(machine)
    TABLE.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{TABLE}: {text.count(chr(10)) - 1} settings\n")

"""
Which settings connectors and their plugins have: Kafka Connect's own, and kmirror's.

The table beside this module was read from a Connect worker of Kafka 4.3.1, without its texts;
tests/data/connect has that worker's answers.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kmirror.config.connector import Kind
from kmirror.config.keys.key import Key, KeyType
from kmirror.config.keys.kmirror import KMIRROR_KEYS
from kmirror.config.keys.table import KEYS
from kmirror.connect.documentation import (
    connector_documentation,
    plugin_documentation,
    producer_documentation,
)
from kmirror.connect.model import ConfigDefinition

KMIRROR_GROUP = "kmirror"
_TABLE = Path(__file__).with_name("definitions.tsv")
_NONE = "\\N"
_LETTERS = {Kind.SOURCE: "S", Kind.CHECKPOINT: "C", Kind.HEARTBEAT: "H"}
_ALL_KINDS = "SCH"
_PRODUCER = "producer"
_PACKAGE = "org.apache.kafka.connect."
# What a worker knows of any source connector stands before what the connector says itself.
_WORKERS_LAST = "errors.log.include.messages"
_SOURCE_EXTRAS = (
    "topic.creation.groups",
    "exactly.once.support",
    "transaction.boundary",
    "transaction.boundary.interval.ms",
    "offsets.storage.topic",
)
_TYPES = {
    KeyType.REGEXES: "LIST",
    KeyType.PASSWORD: "PASSWORD",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """
    A setting, and what its values have to be.

    Args:
        definition: As Connect shows it.
        rule: What a value is checked for, see `value_rules`; empty for nothing.
        recommended: Values that a form offers.
        unprefixed: Its name for the plugin that has it, by which rules call it; empty for its own.
        implied: The value that Connect gives it where nothing is posted; `None` for its default.
    """

    definition: ConfigDefinition
    rule: str
    recommended: tuple[str, ...] = ()
    unprefixed: str = ""
    implied: str | None = None

    @property
    def rule_name(self) -> str:
        """What messages about broken rules call it."""
        return self.unprefixed or self.definition.name


@cache
def _rows() -> tuple[tuple[str, Setting], ...]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, delimiter="\t")
        return tuple((row["plugin"], _setting(row)) for row in reader)


def _setting(row: dict[str, str]) -> Setting:
    plugin, name = row["plugin"], row["name"]
    default: str | None = row["default"]
    if plugin == _PRODUCER:
        words = producer_documentation(name)
    elif set(plugin) <= set(_ALL_KINDS):
        words = connector_documentation(name)
        default = _own_default(name, row["default"])
    else:
        words = plugin_documentation(plugin, name)
    return Setting(
        definition=ConfigDefinition(
            name=name,
            type=row["type"],
            required=row["required"] == "true",
            default_value=None if default == _NONE else default,
            importance=row["importance"],
            documentation=words,
            group=row["group"] or None,
            width=row["width"],
            display_name=row["display_name"],
            order=int(row["order"]),
        ),
        rule=row["rule"],
    )


def _own_default(name: str, default: str) -> str:
    """Return kmirror's default where it is another one than MirrorMaker 2's."""
    key = KEYS.get(name)
    return default if key is None or key.mm2_default is None else _text(key)


def _text(key: Key) -> str:
    value = key.default
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


@cache
def connector_settings(kind: Kind) -> tuple[Setting, ...]:
    """Return the settings of a connector in the order of `GET /connector-plugins/…/config`."""
    own = [each for plugin, each in _rows() if _is_of(plugin, kind)]
    return (*own, *(_kmirror_settings() if kind is Kind.SOURCE else ()))


@cache
def validated_settings(kind: Kind) -> tuple[Setting, ...]:
    """Return them in the order of `PUT /connector-plugins/…/config/validate`."""
    settings = connector_settings(kind)
    names = [each.definition.name for each in settings]
    first = names.index(_WORKERS_LAST) + 1
    extras = [each for each in settings if each.definition.name in _SOURCE_EXTRAS]
    others = [each for each in settings[first:] if each.definition.name not in _SOURCE_EXTRAS]
    return (*settings[:first], *extras, *others)


@cache
def plugin_settings(class_name: str) -> tuple[Setting, ...]:
    """Return the settings of a transform, predicate or converter, by its class in full."""
    short = class_name.removeprefix(_PACKAGE)
    return tuple(each for plugin, each in _rows() if plugin == short)


@cache
def producer_settings() -> dict[str, Setting]:
    """Return the settings of the producer of records, by name."""
    return {each.definition.name: each for plugin, each in _rows() if plugin == _PRODUCER}


def _is_of(plugin: str, kind: Kind) -> bool:
    return set(plugin) <= set(_ALL_KINDS) and _LETTERS[kind] in plugin


def _kmirror_settings() -> Iterator[Setting]:
    """Yield kmirror's own settings of a flow, in a group of their own."""
    for order, key in enumerate(KMIRROR_KEYS, 1):
        yield Setting(
            definition=ConfigDefinition(
                name=key.name,
                type=_TYPES.get(key.type, key.type.value.upper()),
                required=False,
                default_value=None if key.default is None else _text(key),
                importance="MEDIUM",
                documentation=connector_documentation(key.name),
                group=KMIRROR_GROUP,
                width="LONG" if key.type in (KeyType.LIST, KeyType.STRING) else "SHORT",
                display_name=key.name,
                order=order,
            ),
            rule="",
        )

"""
What a setting of Kafka's Java clients may be: names, types and limits, as the clients have them.

The table beside this module is written by `python -m kmirror.pipeline.client_settings` from the
`ConfigDef`s of the pinned kafka-clients.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from kmirror.config.keys.key import Key, KeyType, Scope, Value, ValueProblem

TABLE = Path(__file__).with_name("client_settings.tsv")
COLUMNS = ("name", "roles", "type", "low", "high", "also", "choices", "case")
ROLES = ("producer", "consumer", "admin")

# Where a flow needs less than Kafka's clients offer.
OFFSET_RESETS = ("earliest", "latest")

_CLASS_NAME = re.compile(r"[\w$]+(\.[\w$]+)*")
# Lists whose parts are names of classes.
_CLASS_LISTS = {"interceptor.classes", "metric.reporters", "partition.assignment.strategy"}


def _check_class(value: Value) -> None:
    names = value if isinstance(value, tuple) else (str(value),)
    for name in names:
        if not _CLASS_NAME.fullmatch(name):
            raise ValueProblem("expected the name of a Java class")


def _read() -> Mapping[str, Mapping[str, Key]]:
    found: dict[str, dict[str, Key]] = {role: {} for role in ROLES}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", restval=""):
            key = _key(row)
            for role in row["roles"].split(","):
                found[role][key.name] = key
    reset = found["consumer"]["auto.offset.reset"]
    found["consumer"][reset.name] = replace(reset, choices=OFFSET_RESETS)
    return found


def _key(row: Mapping[str, str]) -> Key:
    name, type_ = row["name"], KeyType(row["type"])
    classes = type_ is KeyType.CLASS or name in _CLASS_LISTS
    check: Callable[[Value], None] | None = _check_class if classes else None
    number = float if type_ is KeyType.DOUBLE else int
    return Key(
        name=name,
        type=type_,
        scope=Scope.CLUSTER,
        doc="",
        low=number(row["low"]) if row["low"] else None,
        high=number(row["high"]) if row["high"] else None,
        also=(int(row["also"]),) if row["also"] else (),
        choices=tuple(row["choices"].split(",")) if row["choices"] else (),
        any_case=row["case"] == "any",
        check=check,
        secret=type_ is KeyType.PASSWORD,
    )


SETTINGS_OF_ROLE = _read()
"""Role (`producer`, `consumer`, `admin`) -> name -> what it may be."""

PRODUCER, CONSUMER, ADMIN = (SETTINGS_OF_ROLE[role] for role in ROLES)

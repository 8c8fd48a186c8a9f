"""Runs as a file: what `kmirror lab duplicates --json` writes, and what reads it again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from kmirror.errors import ConfigError, Problem
from kmirror.lab.duplicates.result import Run

VERSION = 2
_HINT = "a file that this version's `kmirror lab duplicates --json` wrote is needed"
_DERIVED = "as_expected"
_PLAIN: dict[object, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
    NoneType: ((NoneType,), "null"),
}


class _Wrong(Exception):
    """A value that is not what it must be; *place* leads to it."""

    def __init__(self, place: str, expected: str) -> None:
        super().__init__(place, expected)
        self.place = place
        self.expected = expected


def to_json(runs: Iterable[Run]) -> str:
    """Write runs as one JSON document."""
    told = [asdict(run) | {_DERIVED: run.as_expected} for run in runs]
    return json.dumps({"version": VERSION, "runs": told}, indent=2, default=sorted) + "\n"


def runs_from_json(text: str, where: str) -> list[Run]:
    """
    Read what `to_json` wrote.

    Args:
        text: The document.
        where: The name of its file, for messages.

    Raises:
        ConfigError: It is something else, or of another version.
    """
    try:
        found = json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        raise _problem(where, "", f"this is no JSON ({error}): {_HINT}") from None
    if not isinstance(found, dict) or not isinstance(found.get("runs"), list):
        raise _problem(where, "runs", f"these are no runs: {_HINT}")
    version = found.get("version", 1)
    if version != VERSION:
        raise _problem(where, "version", f"it is {version!r}, and must be {VERSION}: {_HINT}")
    try:
        return [
            _read(_undecorated(run, f"runs[{index}]"), Run, f"runs[{index}]")
            for index, run in enumerate(found["runs"])
        ]
    except _Wrong as wrong:
        raise _problem(where, wrong.place, f"{wrong.expected} is needed: {_HINT}") from None


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _problem(where: str, key: str, expected: str) -> ConfigError:
    return ConfigError((Problem(where=where, key=key, value=None, expected=expected),))


def _undecorated(run: object, place: str) -> object:
    if not isinstance(run, dict):
        raise _Wrong(place, "an object")
    return {name: value for name, value in run.items() if name != _DERIVED}


def _read(value: object, wanted: Any, place: str) -> Any:
    """Make what *wanted* says of a value of JSON; every mistake is named with its place."""
    if wanted in _PLAIN:
        types, expected = _PLAIN[wanted]
        if not isinstance(value, types) or (isinstance(value, bool) and wanted is not bool):
            raise _Wrong(place, expected)
        return float(value) if wanted is float and isinstance(value, int) else value
    if get_origin(wanted) is UnionType:
        (kind,) = (each for each in get_args(wanted) if each is not NoneType)
        return None if value is None else _read(value, kind, place)
    if is_dataclass(wanted):
        return _read_object(value, wanted, place)
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        if not isinstance(value, str) or value not in set(wanted):
            raise _Wrong(place, f"one of {', '.join(wanted)}")
        return wanted(value)
    return _read_list(value, wanted, place)


def _read_object(value: object, wanted: Any, place: str) -> Any:
    if not isinstance(value, Mapping):
        raise _Wrong(place, "an object")
    kinds = get_type_hints(wanted)
    names = [field.name for field in fields(wanted)]
    for name in {*names} ^ {*value}:
        known = "something" if name in names else "nothing, there is no such name,"
        raise _Wrong(f"{place}.{name}", known)
    return wanted(**{name: _read(value[name], kinds[name], f"{place}.{name}") for name in names})


def _read_list(value: object, wanted: Any, place: str) -> Any:
    made, kinds = get_origin(wanted), get_args(wanted)
    assert made in (tuple, frozenset), f"{place}: {wanted}"
    if not isinstance(value, list):
        raise _Wrong(place, "a list")
    endless = made is frozenset or kinds[-1] is Ellipsis
    if not endless and len(value) != len(kinds):
        raise _Wrong(place, f"a list of {len(kinds)}")
    each = [kinds[0]] * len(value) if endless else kinds
    return made(
        _read(one, kind, f"{place}[{index}]")
        for index, (one, kind) in enumerate(zip(value, each, strict=True))
    )

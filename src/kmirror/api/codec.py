"""Models as JSON and back, and as JSON Schema: by their types and docstrings alone; pure."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Model = TypeVar("Model")

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}
_NULL: dict[str, Any] = {"type": "null"}
_FIELD = re.compile(r"^(\w+(?:, \w+)*): (.*)$")


class NotOfModel(ValueError):
    """A value is not of the model's type; the message says where, and what is expected."""


def to_plain(value: Any) -> Any:
    """Give what JSON can say of a model."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple):
        return [to_plain(each) for each in value]
    return value.value if isinstance(value, Enum) else value


def from_plain(model: type[Model], value: object, *, lenient: bool = False) -> Model:
    """
    Make a model of what JSON said.

    Args:
        model: Which one.
        value: It.
        lenient: Let fields be that the model does not have: of a newer server.

    Raises:
        NotOfModel: It is something else.
    """
    return _value(model, value, "", lenient=lenient)  # type: ignore[no-any-return]


def schemas(models: Iterable[type]) -> dict[str, Any]:
    """
    Return the JSON Schemas of models and of all that they are made of, by name.

    Args:
        models: They.
    """
    found: dict[str, Any] = {}
    for model in models:
        _collect(model, found)
    return found


@cache
def _types(model: type) -> Mapping[str, Any]:
    return get_type_hints(model)


def _value(kind: Any, value: object, where: str, *, lenient: bool) -> Any:
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        (inner,) = (each for each in get_args(kind) if each is not type(None))
        return None if value is None else _value(inner, value, where, lenient=lenient)
    if origin is tuple:
        if not isinstance(value, list):
            raise _expected("an array", where)
        (inner, _) = get_args(kind)
        return tuple(
            _value(inner, each, f"{where}[{at}]", lenient=lenient) for at, each in enumerate(value)
        )
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        names = [each.value for each in kind]
        if value not in names:
            raise _expected(f"one of {', '.join(names)}", where)
        return kind(value)
    if is_dataclass(kind):
        return _model(kind, value, where, lenient=lenient)
    return _scalar(kind, value, where)


def _scalar(kind: type, value: object, where: str) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float and is_number:
        return float(value)  # type: ignore[arg-type]  # it is a number
    # As JSON Schema has it: 1.0 is an integer.
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not kind:
        raise _expected(f"a value of type {_SCALARS[kind]}", where)
    return value


def _model(model: Any, value: object, where: str, *, lenient: bool) -> Any:
    if not isinstance(value, dict):
        raise _expected("an object", where)
    known = {each.name: each for each in fields(model)}
    if not lenient and (unknown := sorted(value.keys() - known.keys())):
        raise NotOfModel(f"{_at(where, unknown[0])}: there is no such field")
    given = {}
    for name, kind in _types(model).items():
        if name in value:
            given[name] = _value(kind, value[name], _at(where, name), lenient=lenient)
            _check(known[name].metadata, given[name], _at(where, name))
        elif known[name].default is MISSING:
            raise NotOfModel(f"{_at(where, name)}: is missing")
    return model(**given)


def _check(limits: Mapping[str, Any], value: object, where: str) -> None:
    if value is None:
        return
    size = len(value) if isinstance(value, str) else value
    assert isinstance(size, int | float) or not limits, where
    for name, limit in limits.items():
        if name.startswith("min") and size < limit:
            raise _expected(f"{name} {limit}", where)
        if name.startswith("max") and size > limit:
            raise _expected(f"{name} {limit}", where)


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _expected(what: str, where: str) -> NotOfModel:
    return NotOfModel(f"{where or 'the body'}: expected {what}")


def _collect(model: Any, found: dict[str, Any]) -> None:
    if model.__name__ in found:
        return
    shape: dict[str, Any] = {"type": "object", "description": summary(model)}
    found[model.__name__] = shape
    words = field_words(model)
    properties = {}
    for each in fields(model):
        kind = _schema(_types(model)[each.name], found, each.metadata)
        text = words.get(each.name)
        properties[each.name] = {**kind, "description": text} if text else kind
    shape |= {
        "properties": properties,
        "required": [each.name for each in fields(model) if each.default is MISSING],
        "additionalProperties": False,
    }


def _schema(kind: Any, found: dict[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        (inner,) = (each for each in get_args(kind) if each is not type(None))
        return {"anyOf": [_schema(inner, found, limits), _NULL]}
    if origin is tuple:
        return {"type": "array", "items": _schema(get_args(kind)[0], found, {})}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [each.value for each in kind]}
    if is_dataclass(kind):
        _collect(kind, found)
        return {"$ref": f"#/components/schemas/{kind.__name__}"}  # type: ignore[union-attr]
    return {"type": _SCALARS[kind], **limits}


def summary(model: type) -> str:
    """Return what a model is, in a line."""
    return (model.__doc__ or "").strip().partition("\n")[0]


@cache
def field_words(model: type) -> Mapping[str, str]:
    """Return what each field of a model means: the `Args` of its docstring."""
    _, _, args = (model.__doc__ or "").partition("Args:\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in args.splitlines():
        text = line.strip()
        is_new = _FIELD.match(text) if line.startswith(" " * 8) and line[8:9] != " " else None
        if is_new is not None:
            names = is_new[1].split(", ")
            text = is_new[2]
        for name in names:
            found[name] = f"{found[name]} {text}".strip() if name in found else text
    return found

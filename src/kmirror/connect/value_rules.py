"""
How Kafka reads a setting's text and what it says of a wrong one (`ConfigDef`).

A rule is a word with its limits: `range 0.5 1.0`, `in source, target`, `anycase V1, V2`,
`nonempty`, `name`, `list` (parts that differ and are not empty), `list some`, `listof legacy, new`,
`aliases`, `emptylist`, `regex`, `renames`. `?` behind the word lets a value be absent; `; ` stands
between two rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kmirror.config.secret import HIDDEN
from kmirror.policy.regex import RegexProblem, compile_any

Value = bool | int | float | str | tuple[str, ...] | None

_BITS = {"SHORT": 16, "INT": 32, "LONG": 64}
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
_COMMA = re.compile(r"\s*,\s*")
# Java writes doubles from here on as 1.0E7.
_PLAIN_MAX = 1e7
_CONTROL_MAX = 31


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """
    A setting's text, read.

    Args:
        value: What it stands for; `None` for nothing, or nothing that could be read.
        errors: What is wrong with it.
    """

    value: Value
    errors: tuple[str, ...] = ()


def read(name: str, type_: str, text: str, known_class: Callable[[str], bool]) -> Read:
    """
    Read a text as its type (`ConfigDef.parseType`).

    Args:
        name: The setting, for what is said.
        type_: Connect's name of the type.
        text: As it was posted.
        known_class: Tells which classes there are.
    """
    trimmed = text.strip()
    wrong: str | None = None
    value: Value = trimmed
    if type_ == "BOOLEAN":
        value = trimmed.lower() == "true"
        if trimmed.lower() not in ("true", "false"):
            wrong = "Expected value to be either true or false"
    elif type_ in _BITS:
        value = _integer(trimmed, _BITS[type_])
        wrong = None if value is not None else f"Not a number of type {type_}"
    elif type_ == "DOUBLE":
        value = float(trimmed) if _DECIMAL.fullmatch(trimmed) else None
        wrong = None if value is not None else f"Not a number of type {type_}"
    elif type_ == "LIST":
        value = tuple(_COMMA.split(trimmed)) if trimmed else ()
    elif type_ == "CLASS" and not known_class(trimmed):
        wrong = f"Class {text} could not be found."
    if wrong is None:
        return Read(value=value)
    return Read(value=None, errors=(f"Invalid value {text} for configuration {name}: {wrong}",))


def shown(value: Value, type_: str) -> str | None:
    """Return a value as Connect shows it (`ConfigDef.convertToString`)."""
    if value is None:
        return None
    if type_ == "PASSWORD":
        return HIDDEN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(value)
    return _double(value) if isinstance(value, float) else str(value)


def broken(name: str, value: Value, rules: str) -> tuple[str, ...]:
    """
    Say which of a setting's rules a value breaks; the first counts.

    Args:
        name: The setting, for what is said.
        value: What was read; `None` for nothing.
        rules: See above.
    """
    for rule in filter(None, rules.split("; ")):
        word, _, limits = rule.partition(" ")
        if word.endswith("?") and value is None:
            continue
        found = _RULES[word.removesuffix("?")](name, value, limits)
        if found is not None:
            return (found,)
    return ()


def _integer(text: str, bits: int) -> int | None:
    limit = 1 << (bits - 1)
    if not _INTEGER.fullmatch(text) or not -limit <= int(text) < limit:
        return None
    return int(text)


def _invalid(name: str, value: Value, words: str) -> str:
    text = "null" if value is None else _listed(value)
    return f"Invalid value {text} for configuration {name}: {words}"


def _listed(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return _double(value) if isinstance(value, float) else str(value)


def _double(value: float) -> str:
    if abs(value) < _PLAIN_MAX:
        return repr(value)
    mantissa, _, exponent = f"{value:.17E}".partition("E")
    for digits in range(1, 18):
        shorter = f"{value:.{digits}E}"
        if float(shorter) == value:
            mantissa, _, exponent = shorter.partition("E")
            break
    return f"{mantissa}E{int(exponent)}"


def _range(name: str, value: Value, limits: str) -> str | None:
    if value is None:
        return _invalid(name, value, "Value must be non-null")
    low, _, high = limits.partition(" ")
    assert isinstance(value, int | float)
    if low and value < float(low):
        return _invalid(name, value, f"Value must be at least {low}")
    if high and value > float(high):
        return _invalid(name, value, f"Value must be no more than {high}")
    return None


def _in(name: str, value: Value, limits: str) -> str | None:
    if value in limits.split(", "):
        return None
    return _invalid(name, value, f"String must be one of: {limits}")


def _anycase(name: str, value: Value, limits: str) -> str | None:
    if isinstance(value, str) and value.upper() in limits.upper().split(", "):
        return None
    return _invalid(name, value, f"String must be one of (case insensitive): {limits}")


def _nonempty(name: str, value: Value, limits: str) -> str | None:  # noqa: ARG001 - as others have it
    return _invalid(name, value, "String must be non-empty") if value == "" else None


def _name(name: str, value: Value, limits: str) -> str | None:  # noqa: ARG001
    if value is None:
        return None
    text = str(value)
    if not text:
        return _invalid(name, value, "String may not be empty")
    codes = [str(ord(char)) for char in text if ord(char) <= _CONTROL_MAX]
    if not codes:
        return None
    words = "String may not contain control sequences but had the following ASCII chars: "
    return _invalid(name, value, words + ", ".join(codes))


def _list(name: str, value: Value, limits: str) -> str | None:
    if value is None:
        return f"Configuration '{name}' values must not be null."
    assert isinstance(value, tuple)
    if not value and limits:
        return (
            f"Configuration '{name}' must not be empty. Valid values include: any non-empty value"
        )
    if len(set(value)) < len(value):
        return f"Configuration '{name}' values must not be duplicated."
    if not all(value):
        return f"Configuration '{name}' values must not be empty."
    return None


def _listof(name: str, value: Value, limits: str) -> str | None:
    if value is None:
        return f"Configuration '{name}' values must not be null."
    if value == ():
        return f"Configuration '{name}' must not be empty. Valid values include: [{limits}]"
    assert isinstance(value, tuple)
    if len(set(value)) < len(value):
        return f"Configuration '{name}' values must not be duplicated."
    return next(filter(None, (_in(name, part, limits) for part in value)), None)


def _aliases(name: str, value: Value, limits: str) -> str | None:  # noqa: ARG001
    if isinstance(value, tuple) and len(set(value)) < len(value):
        return _invalid(name, value, "Duplicate alias provided.")
    return None


def _emptylist(name: str, value: Value, limits: str) -> str | None:  # noqa: ARG001
    return _invalid(name, value, "Empty list") if not value else None


def _regex(name: str, value: Value, limits: str) -> str | None:  # noqa: ARG001
    try:
        compile_any((str(value),))
    except RegexProblem as problem:
        return _invalid(name, value, f"Invalid regex: {problem}")
    return None


def _renames(name: str, value: Value, limits: str) -> str | None:  # noqa: ARG001
    parts = value if isinstance(value, tuple) else ()
    wrong = next((part for part in parts if part.count(":") != 1), None)
    return None if wrong is None else _invalid(name, value, f"Invalid rename mapping: {wrong}")


_RULES: dict[str, Callable[[str, Value, str], str | None]] = {
    "aliases": _aliases,
    "anycase": _anycase,
    "emptylist": _emptylist,
    "in": _in,
    "list": _list,
    "listof": _listof,
    "name": _name,
    "nonempty": _nonempty,
    "range": _range,
    "regex": _regex,
    "renames": _renames,
}

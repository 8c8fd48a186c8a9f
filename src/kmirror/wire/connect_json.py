"""
JSON as Connect's `JsonConverter` writes it, and what it reads.

Connect finds a position by the bytes of its key, and compaction does too: what Connect has to find
again is written byte for byte as Jackson and Java's `HashMap` would write it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

# What JSON can say.
JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
_ESCAPES = re.compile(r"\\(?:u00([0-9a-f]{2})|.)")
_PAIRS = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_BUCKETS_MIN = 16

V = TypeVar("V")


class Damaged(ValueError):
    """Bytes that do not say what is expected; the message says what does not fit."""


def written(thing: object) -> bytes:
    """Return *thing* as Jackson writes it, with the characters that are one in Java as they are."""
    text = json.dumps(thing, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _PAIRS.sub(_surrogates, _ESCAPES.sub(_upper, text)).encode()


def _upper(escape: re.Match[str]) -> str:
    """Jackson's digits of control characters are capitals."""
    code = escape[1]
    return escape[0] if code is None else f"\\u00{code.upper()}"


def _surrogates(char: re.Match[str]) -> str:
    """Write what takes two of Java's characters as these, by their numbers."""
    units = char[0].encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def read(data: bytes | None) -> JsonValue:
    """
    Return what a key or value says; no bytes say `None`, as `null` does.

    Raises:
        Damaged: It is no JSON.
    """
    if data is None:
        return None
    try:
        value: JsonValue = json.loads(data.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Damaged("it is no JSON") from error
    return value


def _no_number(word: str) -> JsonValue:
    raise ValueError(word)


def fields_of(value: JsonValue) -> dict[str, JsonValue]:
    """
    Return the fields of an object.

    Raises:
        Damaged: It is none.
    """
    if not isinstance(value, dict):
        raise Damaged(f"expected a JSON object, not {kind_of(value)}")
    return value


def text(fields: Mapping[str, JsonValue], name: str) -> str:
    """
    Return a field that is a text.

    Raises:
        Damaged: It is not there, or something else.
    """
    value = fields.get(name)
    if not isinstance(value, str):
        raise Damaged(f"{name}: expected a text, not {kind_of(value)}")
    return value


def text_or_none(fields: Mapping[str, JsonValue], name: str) -> str | None:
    """
    Return a field that is a text, or may be missing.

    Raises:
        Damaged: It is something else.
    """
    return None if fields.get(name) is None else text(fields, name)


def number(fields: Mapping[str, JsonValue], name: str, *, max_: int = INT_MAX) -> int:
    """
    Return a field that is a whole number from 0 to *max_*.

    Raises:
        Damaged: It is not there, or something else.
    """
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= max_:
        raise Damaged(f"{name}: expected a number from 0 to {max_}, not {kind_of(value)}")
    return value


def kind_of(value: JsonValue) -> str:
    """Say what a value is, without saying the value: it may be a secret."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return "a number of another kind"
        case str():
            return "a text"
        case list():
            return "a list"
        case dict():
            return "an object"


def in_java_order(fields: Mapping[str, V]) -> dict[str, V]:
    """Return *fields* in the order in which Java's `HashMap` gives them, filled in their order."""
    buckets = _BUCKETS_MIN
    while len(fields) * 4 > buckets * 3:
        buckets *= 2
    return {name: fields[name] for name in sorted(fields, key=lambda name: _bucket(name, buckets))}


def _bucket(name: str, buckets: int) -> int:
    code = _hash_code(name.encode("utf-16-be", "surrogatepass"))
    return (code ^ code >> 16) & (buckets - 1)


def _hash_code(units: Iterable[int]) -> int:
    """Return Java's `String.hashCode` without its sign, of a string's UTF-16 bytes."""
    code, high = 0, None
    for byte in units:
        if high is None:
            high = byte
        else:
            code = (code * 31 + (high << 8 | byte)) & 0xFFFFFFFF
            high = None
    return code

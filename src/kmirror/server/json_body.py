"""Bodies of requests, read as Connect's Jackson reads them, but for what would be a 500 there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NoReturn

from kmirror.connect.model import JsonValue
from kmirror.errors import BadRequest

DEPTH_MAX = 32
BYTES_MAX = 1 << 20

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class NumberText(str):
    """A number as it was written: `1.0` as a setting is `1.0`, not `1`."""

    __slots__ = ()


def read_json(body: bytes) -> JsonValue:
    """
    Read a body.

    Raises:
        BadRequest: It is no JSON, is too deep, or is absent.
    """
    return _read(body, as_text=False)


def read_json_texts(body: bytes) -> JsonValue:
    """Read a body whose numbers stay texts (`NumberText`), since settings are texts."""
    return _read(body, as_text=True)


def _read(body: bytes, *, as_text: bool) -> JsonValue:
    if not body.strip():
        raise BadRequest("a body is expected: JSON")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest("the body is not UTF-8") from error
    if _depth(text) > DEPTH_MAX:
        raise BadRequest(f"the body is deeper than {DEPTH_MAX}")
    number = NumberText if as_text else None
    try:
        found: JsonValue = json.loads(
            text, parse_constant=_refuse, parse_int=number, parse_float=number
        )
    except json.JSONDecodeError as error:
        # It quotes nothing of the body, which may have secrets.
        raise BadRequest(
            f"the body is no JSON: {error.msg}, line {error.lineno}, column {error.colno}"
        ) from None
    except ValueError:  # a number of thousands of digits
        raise BadRequest("the body is no JSON: a number is too long") from None
    if "\\u" in text:
        _refuse_halves(found)
    return found


def _refuse_halves(found: JsonValue) -> None:
    """Refuse half of a surrogate pair: escaped it is JSON, and it is no text."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRequest("the body has half of a surrogate pair, which is no character") from None


def _refuse(name: str) -> NoReturn:
    raise BadRequest(f"the body is no JSON: {name} is no number there")


def _depth(text: str) -> int:
    """Return how deep arrays and objects are; brackets within strings are none."""
    depth = deepest = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        char = found[0][0]
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def object_of(value: JsonValue, what: str) -> Mapping[str, JsonValue]:
    """
    Return an object.

    Raises:
        BadRequest: It is none.
    """
    if not isinstance(value, dict):
        raise BadRequest(f"{what}: a JSON object is expected")
    return value


def text_of(value: JsonValue, what: str) -> str | None:
    """
    Return a text, as Jackson makes one of numbers and booleans.

    Raises:
        BadRequest: It is an array or an object.
    """
    if value is None or type(value) is str:
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        kind = "an array" if isinstance(value, list) else "an object"
        raise BadRequest(f"{what}: a text is expected, not {kind}")
    return str(value)

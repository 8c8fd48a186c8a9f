"""`response.http.headers.config`: headers that every answer of the REST server has."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kmirror.config.keys.key import ValueProblem

# One header, in double quotes if its value has commas.
_ITEM = re.compile(r'\s*(?:"([^"]*)"|([^,"]*))\s*(?:,|$)')
_HEADER = re.compile(r"(set|add)(Date)?\s+([!#$%&'*+.^_`|~0-9a-zA-Z-]+)\s*:\s*([\x20-\x7e]*)")
_MILLISECONDS = re.compile(r"-?[0-9]{1,15}")
_EXPECTED = (
    'expected "set NAME: VALUE" or "add NAME: VALUE", separated by commas, or the same with '
    "setDate and addDate and milliseconds from now"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseHeader:
    """
    A header.

    Args:
        name: Its name.
        value: Its value.
        is_added: Whether it comes beside others of its name, and not in their place.
        in_ms: For one that is a time: how far from now, milliseconds.
    """

    name: str
    value: str
    is_added: bool
    in_ms: int | None = None


def read_response_headers(text: str) -> tuple[ResponseHeader, ...]:
    """
    Read the headers.

    Raises:
        ValueProblem: With what was expected.
    """
    found: list[ResponseHeader] = []
    at = 0
    while at < len(text.rstrip()):
        item = _ITEM.match(text, at)
        header = None if item is None else _HEADER.fullmatch((item[1] or item[2] or "").strip())
        if item is None or header is None:
            raise ValueProblem(_EXPECTED)
        found.append(_header(header))
        at = item.end()
    return tuple(found)


def _header(found: re.Match[str]) -> ResponseHeader:
    value = found[4].strip()
    if found[2] and not _MILLISECONDS.fullmatch(value):
        raise ValueProblem(_EXPECTED)
    return ResponseHeader(
        name=found[3],
        value="" if found[2] else value,
        is_added=found[1] == "add",
        in_ms=int(value) if found[2] else None,
    )

"""One row of the table of what can be called: a method, a path, who may, and what is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPMethod

from kmirror.control.caller import Caller, Role
from kmirror.errors import BadRequest
from kmirror.server.answers import Answer

PARTITION_MAX = (1 << 31) - 1
"""The largest number that a partition may have."""
_INTEGER = re.compile(r"-?[0-9]{1,19}")


def whole_number(text: str, name: str, *, low: int = 0, high: int = 1 << 62) -> int:
    """
    Read an integer of a path or a query.

    Args:
        text: What was sent.
        name: What it is.
        low, high: The range.

    Raises:
        BadRequest: It is none, or out of its range.
    """
    if _INTEGER.fullmatch(text) is None or not low <= int(text) <= high:
        raise BadRequest(f"{name}: expected an integer from {low} to {high}")
    return int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    A request, as far as an endpoint cares.

    Args:
        path: The variable parts of the path, decoded.
        query: The parameters, decoded, in order.
        body: What came with it.
        base: `http://host:port`, as the caller knows this server.
        caller: Who asks.
    """

    path: Mapping[str, str]
    query: Sequence[tuple[str, str]]
    body: bytes
    base: str
    caller: Caller

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return every value of a query parameter."""
        return tuple(value for key, value in self.query if key == name)

    def text(self, name: str) -> str | None:
        """Return the first value of a query parameter; `None` without one, or an empty one."""
        return next((value for value in self.parameters(name) if value), None)

    def number(self, name: str, *, default: int | None, low: int = 0, high: int = 1 << 62) -> int:
        """
        Return a query parameter that is an integer.

        Args:
            name: Of the parameter.
            default: Without one; `None` where it has to be there.
            low, high: The range.

        Raises:
            BadRequest: It is missing, no integer, or out of its range.
        """
        text = self.text(name)
        if text is None and default is not None:
            return default
        return whole_number(text or "", name, low=low, high=high)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a boolean parameter as Java reads it: what is not `true` is false."""
        values = self.parameters(name)
        return values[0].lower() == "true" if values and values[0] else default


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """
    What a method of a path does.

    Args:
        method: Of HTTP.
        path: With variable parts in braces.
        role: What the caller must be.
        handle: Does it, in a thread of its own.
        summary: What it does, for the OpenAPI document.
        answers: Status to the name of the body's shape, `None` for no body.
        body: The name of the shape that it takes; `None` for no body.
        query: Query parameters with what they mean.
        numbers: Those of them that are integers.
        required: Those of them that have to be there.
        is_admin: Whether it is one of those that `admin.listeners` moves elsewhere.
        asks: Whether clusters are asked first: who only wants what is known does not wait for that.
    """

    method: HTTPMethod
    path: str
    role: Role
    handle: Callable[[Call], Answer]
    summary: str
    answers: Mapping[int, str | None]
    body: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    numbers: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    is_admin: bool = False
    asks: bool = False

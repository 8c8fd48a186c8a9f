r"""
Other names for copies: what Connect's RegexRouter and TimestampRouter make of topics' names.

A route is Java's, and its names are worked out twice: here, to create topics and to find them
again, and in Spark, for every record. Spark has Java's regexes; RE2 here catches the same as long
as no group is repeated, and other patterns are refused. tests/property/test_routes.py compares.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from kmirror.policy.regex import (
    NamePattern,
    RegexProblem,
    compile_any,
    compiled,
    translated_with_groups,
)

_GROUP_NAME = re.compile(r"\{([a-zA-Z][a-zA-Z0-9]*)\}")

Part = str | int
"""What a new name consists of: text, and numbers of groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameCondition:
    """
    Which topics a route is for: TopicNameMatches.

    Args:
        pattern: A Java regex for the whole name.
        negate: It is for the others.
    """

    pattern: str
    negate: bool

    def holds(self, name: str) -> bool:
        """Whether it is for a topic."""
        return _whole(self.pattern).matches(name) != self.negate


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """
    A change of names.

    Args:
        pattern: A Java regex; names that match as a whole change.
        parts: What stands in place of the part that is found.
        only: For which topics; `None` for all.
    """

    pattern: str
    parts: tuple[Part, ...]
    only: NameCondition | None = None

    def renamed(self, name: str) -> str:
        """Return a topic's name behind this route (`matches`, then `replaceFirst`)."""
        pattern, text = _groups(self.pattern), name.encode("utf-8", "surrogatepass")
        if self.only is not None and not self.only.holds(name):
            return name
        if pattern.fullmatch(text) is None:
            return name
        found = pattern.search(text)
        assert found is not None, "what matches as a whole is found, too"
        new = b"".join(
            part.encode() if isinstance(part, str) else found.group(part) or b""
            for part in self.parts
        )
        whole: bytes = text[: found.start()] + new + text[found.end() :]
        return whole.decode("utf-8", "surrogatepass")


def read_route(pattern: str, replacement: str, only: NameCondition | None = None) -> Route:
    """
    Read a RegexRouter.

    Args:
        pattern: Its `regex`.
        replacement: Its `replacement`.
        only: For which topics it is.

    Raises:
        RegexProblem: Java refuses one of them, or may make other names of it.
    """
    _, names = translated_with_groups(pattern)
    _groups(pattern)
    return Route(pattern=pattern, parts=tuple(_parts(replacement, names)), only=only)


def read_format(text: str, only: NameCondition | None = None) -> Route:
    """
    Read a TimestampRouter's `topic.format` that has no `${timestamp}`.

    Args:
        text: The format.
        only: For which topics it is.
    """
    pieces = text.split("${topic}")
    parts: list[Part] = [pieces[0]]
    for piece in pieces[1:]:
        parts += [0, piece]
    return Route(pattern=".*", parts=tuple(part for part in parts if part != ""), only=only)


def check_name_pattern(pattern: str) -> None:
    """
    Make sure that Java and RE2 find the same names by a pattern.

    Raises:
        RegexProblem: Java refuses it, or it cannot be matched in linear time.
    """
    _whole(pattern)


@cache
def _whole(pattern: str) -> NamePattern:
    found = compile_any((pattern,))
    assert found is not None, "one pattern is there"
    return found


@cache
def _groups(pattern: str) -> Any:
    translated, _ = translated_with_groups(pattern)
    return compiled(translated)


def _parts(text: str, names: tuple[str | None, ...]) -> list[Part]:
    """Take a replacement apart as `Matcher.appendReplacement` does."""
    parts: list[Part] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            if at + 1 == len(text):
                raise RegexProblem("a \\ at the end of a replacement: write \\\\")
            parts.append(text[at + 1])
            at += 2
        elif char == "$":
            number, at = _group(text, at + 1, names)
            parts.append(number)
        else:
            parts.append(char)
            at += 1
    return _joined(parts)


def _group(text: str, at: int, names: tuple[str | None, ...]) -> tuple[int, int]:
    """Return which group stands behind a $, and where it ends."""
    if named := _GROUP_NAME.match(text, at):
        if named[1] not in names:
            raise RegexProblem(f"there is no group {named[1]} in the regex")
        return names.index(named[1]) + 1, named.end()
    digits = re.match(r"[0-9]+", text[at:])
    if digits is None:
        raise RegexProblem("a $ in a replacement without a group's number: write \\$")
    # Java takes one digit, and more as long as there is such a group.
    number, length = int(digits[0][0]), 1
    for digit in digits[0][1:]:
        if number * 10 + int(digit) > len(names):
            break
        number, length = number * 10 + int(digit), length + 1
    if number > len(names):
        raise RegexProblem(f"there is no group {number} in the regex")
    return number, at + length


def _joined(parts: list[Part]) -> list[Part]:
    joined: list[Part] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return joined

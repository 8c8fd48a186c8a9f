"""
Lists of regexes as what an ACL can name: a name, names that begin with something, or all names.

Kafka's ACLs know no regexes (KIP-290). What a list of them asks for is covered by the fewest names
and prefixes; where these allow more than the regexes do, that is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

# A dot that nothing repeats is taken for a dot, as in `policy.unmatched`: it hardly ever is more.
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_ALL = ".*"
_SPECIAL = frozenset("\\^$.|?*+()[]{}")
_QUANTIFIERS = ("?", "*", "+", "{")
_EXPANDED_MAX = 64


@dataclass(frozen=True, slots=True, order=True)
class AclName:
    """
    The name of an ACL's resource.

    Args:
        text: The name or what it begins with; `*`, not as a prefix, is every name.
        is_prefix: Whether it is only the beginning.
        is_wider: The regexes that it stands for match less.
    """

    text: str
    is_prefix: bool = False
    is_wider: bool = field(default=False, compare=False)

    @property
    def is_any(self) -> bool:
        """Whether it is every name."""
        return self.text == "*" and not self.is_prefix

    def allows(self, name: str) -> bool:
        """Whether an ACL with it is about the resource *name*."""
        return self.is_any or name == self.text or (self.is_prefix and name.startswith(self.text))

    def covers(self, other: AclName) -> bool:
        """Whether it allows all that *other* does."""
        if self.is_any or (other.is_any or other.is_prefix) > self.is_prefix:
            return self.is_any
        return self.allows(other.text)


ANY_NAME = AclName("*")


def acl_names(items: Sequence[str]) -> tuple[AclName, ...]:
    """
    Cover what a list of regexes matches.

    Args:
        items: Java regexes that compile, as in `topics` and `groups`.

    Returns:
        Names and prefixes, by text; none covers another one.
    """
    # As in MM2 the items are one regex: `(a,b)` is read as `(a|b)`.
    parts = _alternatives("|".join(items))
    return without_covered(_cover(part) for part in parts if part)


def literally(name: str) -> str:
    """Return the regex that matches *name* alone."""
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in name)


def without_covered(names: Iterable[AclName]) -> tuple[AclName, ...]:
    """Return *names* without those that others allow anyway."""
    distinct = set(names)
    # The shortest prefix first: it may cover what follows. Names alone cover nothing else.
    broad: list[AclName] = []
    for name in sorted(each for each in distinct if each.is_any or each.is_prefix):
        if not any(other.covers(name) for other in broad):
            broad = [each for each in broad if not name.covers(each)] + [name]
    literal = distinct.difference(broad)
    kept = (each for each in literal if not any(other.covers(each) for other in broad))
    return tuple(sorted({*broad, *kept}))


def _cover(pattern: str) -> AclName:
    # A pattern has to match all of a name anyway.
    pattern = pattern.removeprefix("^").removesuffix("$")
    if _NAME.fullmatch(pattern):
        return AclName(pattern)
    text, rest = _beginning(pattern)
    if not rest:
        return AclName(text)
    return AclName(text or "*", is_prefix=bool(text), is_wider=rest != _ALL)


def _beginning(pattern: str) -> tuple[str, str]:
    """Split a regex into the literal text that every match begins with, and the rest."""
    text, at = "", 0
    while at < len(pattern):
        escaped = pattern[at] == "\\" and pattern[at + 1 : at + 2] in _SPECIAL | {"-", "_"}
        size = 2 if escaped else 1
        char = pattern[at + size - 1]
        is_literal = escaped or char == "." or char not in _SPECIAL
        if not is_literal or pattern[at + size : at + size + 1] in _QUANTIFIERS:
            break
        text, at = text + char, at + size
    return text, pattern[at:]


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield the parts of `a|b` and `(a|b)c`; a pattern of very many is given as it is."""
    pending, made = [pattern], 0
    while pending:
        part = pending.pop(0)
        split = list(_split(part))
        expanded = _without_group(part) if len(split) == 1 else split
        made += len(expanded)
        if expanded == [part] or made > _EXPANDED_MAX + len(split):
            yield part
        else:
            pending += expanded


def _split(pattern: str) -> Iterator[str]:
    """Split at every `|` that is in no group and no class."""
    begin = 0
    for at, char, depth in _places(pattern):
        if char == "|" and depth == 0:
            yield pattern[begin:at]
            begin = at + 1
    yield pattern[begin:]


def _without_group(pattern: str) -> list[str]:
    """Write `x(a|b)y` as `xay` and `xby`, where x is literal and nothing repeats the group."""
    prefix = pattern.partition("(")[0]
    if prefix == pattern or (set(prefix) & _SPECIAL) - {"."}:
        return [pattern]
    body = pattern[len(prefix) :]
    close = next((at for at, char, depth in _places(body) if char == ")" and depth == 0), None)
    if close is None:
        return [pattern]
    inside, rest = body[1:close].removeprefix("?:"), body[close + 1 :]
    if inside.startswith("?") or rest[:1] in _QUANTIFIERS:
        return [pattern]
    return [f"{prefix}{part}{rest}" for part in _split(inside)]


def _places(pattern: str) -> Iterator[tuple[int, str, int]]:
    """Yield what is neither escaped nor in a class, and how many groups are open behind it."""
    at, depth, classes = 0, 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            end = pattern.find("\\E", at) if pattern.startswith("\\Q", at) else at
            at = len(pattern) if end < 0 else end + 2
            continue
        classes += (char == "[") - (char == "]" and classes > 0)
        if not classes:
            depth += (char == "(") - (char == ")")
            yield at, char, depth
        at += 1

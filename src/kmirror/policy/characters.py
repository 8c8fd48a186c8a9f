"""Sets of characters, exact over all of Unicode: what a piece of a Java regex stands for."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

LAST = 0x10FFFF
_ASCII_LAST = 0x7F
_CASE_DISTANCE = ord("a") - ord("A")
# Beyond ASCII, and yet equal to an ASCII letter once Java has changed the case of both.
_SAME_AS_ASCII = {0x130: "Ii", 0x131: "Ii", 0x17F: "Ss", 0x212A: "Kk"}


@dataclass(frozen=True, slots=True)
class Characters:
    """
    A set of characters.

    Args:
        ranges: First and last code points, ascending, with gaps between them.
    """

    ranges: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def of(ranges: Iterable[tuple[int, int]]) -> Characters:
        """Return the set of all that lies in any of *ranges*."""
        merged: list[tuple[int, int]] = []
        for first, last in sorted(ranges):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        return Characters(tuple(merged))

    @staticmethod
    def of_text(text: str) -> Characters:
        """Return the set of the characters of *text*."""
        return Characters.of((ord(char), ord(char)) for char in text)

    def __or__(self, other: Characters) -> Characters:
        return Characters.of(self.ranges + other.ranges)

    def __and__(self, other: Characters) -> Characters:
        return ~(~self | ~other)

    def __invert__(self) -> Characters:
        edges = [-1, *itertools.chain(*self.ranges), LAST + 1]
        gaps = ((edges[i] + 1, edges[i + 1] - 1) for i in range(0, len(edges), 2))
        return Characters(tuple((first, last) for first, last in gaps if first <= last))

    @property
    def is_ascii(self) -> bool:
        """Whether no character lies beyond ASCII."""
        return not self.ranges or self.ranges[-1][1] <= _ASCII_LAST

    def in_either_case(self) -> Characters:
        """Return the set with the other case of each ASCII letter (`CASE_INSENSITIVE`)."""
        lower = (self & ascii_range("az")).ranges
        upper = (self & ascii_range("AZ")).ranges
        return Characters.of(
            (
                *self.ranges,
                *((first - _CASE_DISTANCE, last - _CASE_DISTANCE) for first, last in lower),
                *((first + _CASE_DISTANCE, last + _CASE_DISTANCE) for first, last in upper),
            )
        )

    def in_either_unicode_case(self) -> Characters:
        """Return the same by Unicode's cases (`UNICODE_CASE`), for a set that is ASCII."""
        assert self.is_ascii, "cases beyond ASCII are not known here"
        both = self.in_either_case()
        same = (code for code, text in _SAME_AS_ASCII.items() if both & Characters.of_text(text))
        return both | Characters.of((code, code) for code in same)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def re2(self) -> str:
        """Return what RE2 reads as one character of this set."""
        if not self:
            return rf"[^\x{{0}}-\x{{{LAST:x}}}]"
        if len(self.ranges) == 1 and self.ranges[0][0] == self.ranges[0][1]:
            return _code(self.ranges[0][0])
        inside = (
            _code(low) if low == high else f"{_code(low)}-{_code(high)}"
            for low, high in self.ranges
        )
        return f"[{''.join(inside)}]"


def _code(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and char.isalnum() else rf"\x{{{code:x}}}"


def ascii_range(*pairs: str) -> Characters:
    """Return the set of some ranges, each as its two ends: `ascii_range("az", "09")`."""
    return Characters.of((ord(pair[0]), ord(pair[1])) for pair in pairs)


ALL = Characters(((0, LAST),))


def in_category(name: str) -> Characters:
    """Return the set of a general category of Unicode, such as `Lu` or `L`; else empty."""
    return Characters.of(
        each
        for category, found in _categories().items()
        if category.startswith(name)
        for each in found
    )


def in_derived_case(*, upper: bool) -> Characters:
    """Return the set of Unicode's derived property `Uppercase`, or `Lowercase`."""
    has_case = str.isupper if upper else str.islower
    return Characters.of((code, code) for code in range(LAST + 1) if has_case(chr(code)))


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for category, group in itertools.groupby(range(LAST + 1), _category):
        codes = list(group)
        found.setdefault(category, []).append((codes[0], codes[-1]))
    return found


def _category(code: int) -> str:
    return unicodedata.category(chr(code))

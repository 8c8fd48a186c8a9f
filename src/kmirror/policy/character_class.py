"""The parts of a Java regex that stand for one character: escapes and [classes]."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from kmirror.policy.characters import (
    ALL,
    Characters,
    ascii_range,
    in_category,
    in_derived_case,
)

# Nobody writes that deep; a file that does must not exhaust the stack, or minutes of RE2's.
NESTED_MAX = 100

LINE_BREAKS = Characters.of([(0x0A, 0x0A), (0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029)])
VERTICAL = LINE_BREAKS | Characters.of([(0x0B, 0x0C)])
_BLANKS = Characters.of_text(" \t\xa0\u1680\u180e\u202f\u205f\u3000") | Characters.of(
    [(0x2000, 0x200A)]
)
_DIGITS = ascii_range("09")
_LETTERS = ascii_range("az", "AZ")
_GRAPH = ascii_range("!~")
_SPACE = Characters.of_text(" \t\n\x0b\f\r")
# As Java reads them without UNICODE_CHARACTER_CLASS.
_SETS = {
    "d": _DIGITS,
    "w": _LETTERS | _DIGITS | Characters.of_text("_"),
    "s": _SPACE,
    "h": _BLANKS,
    "v": VERTICAL,
}
_SETS.update({letter.upper(): ~found for letter, found in _SETS.items()})
_CONTROLS = {"t": 0x09, "n": 0x0A, "f": 0x0C, "r": 0x0D, "a": 0x07, "e": 0x1B}
_POSIX = {
    "Lower": ascii_range("az"),
    "Upper": ascii_range("AZ"),
    "ASCII": ascii_range("\0\x7f"),
    "Alpha": _LETTERS,
    "Digit": _DIGITS,
    "Alnum": _LETTERS | _DIGITS,
    "Punct": _GRAPH & ~(_LETTERS | _DIGITS),
    "Graph": _GRAPH,
    "Print": ascii_range(" ~"),
    "Blank": Characters.of_text(" \t"),
    "Cntrl": ascii_range("\0\x1f", "\x7f\x7f"),
    "XDigit": ascii_range("09", "af", "AF"),
    "Space": _SPACE,
}
# Behind `Is` the names are Unicode's; of these, those that Python's own data can tell.
_UNICODE: dict[str, Callable[[], Characters]] = {
    "ASCII": lambda: _POSIX["ASCII"],
    "Digit": lambda: in_category("Nd"),
    "Letter": lambda: in_category("L"),
    "Titlecase": lambda: in_category("Lt"),
    "Control": lambda: in_category("Cc"),
    "Punctuation": lambda: in_category("P"),
    "Lowercase": lambda: in_derived_case(upper=False),
    "Uppercase": lambda: in_derived_case(upper=True),
}
# With CASE_INSENSITIVE a property of one case is a property of all cases.
_CASES = (
    frozenset({"Ll", "Lu", "Lt"}),
    frozenset({"Lowercase", "Uppercase", "Titlecase"}),
    frozenset({"Lower", "Upper"}),
)
_CATEGORY = re.compile(r"[CLMNPSZ][a-z]?")
_PROPERTY = re.compile(r"\\[pP](?:\{(?:(Is)|gc=|general_category=)?([A-Za-z_]+)\}|([A-Z]))")
_CODE_POINT = re.compile(
    r"\\x\{([0-9a-fA-F]{1,8})\}|\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\0([0-3]?[0-7]{1,2})"
)


class RegexProblem(ValueError):
    """A pattern that cannot be used; the text says why, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """
    What `(?…)` has switched on.

    Args:
        ignore_case: `i`.
        unicode_case: `u`.
        dot_all: `s`.
        unix_lines: `d`.
    """

    ignore_case: bool = False
    unicode_case: bool = False
    dot_all: bool = False
    unix_lines: bool = False

    def in_any_case(self, characters: Characters) -> Characters:
        """
        Return what matches *characters*, which stand in the pattern as themselves.

        Raises:
            RegexProblem: Their cases are not known.
        """
        if not self.ignore_case:
            return characters
        if not self.unicode_case:
            return characters.in_either_case()
        if not characters.is_ascii:
            raise RegexProblem("(?iu) works for ASCII letters only: write both cases")
        return characters.in_either_unicode_case()

    @property
    def dot(self) -> Characters:
        """What `.` stands for."""
        if self.dot_all:
            return ALL
        return ~Characters.of_text("\n") if self.unix_lines else ~LINE_BREAKS


def read_escape(pattern: str, at: int, flags: Flags) -> tuple[Characters, int]:
    r"""
    Which characters the escape that starts at *at* (a `\`) stands for, and where it ends.

    Raises:
        RegexProblem: Java, or this translation, does not know it as an escape for one character.
    """
    found, end = _escape(pattern, at, flags)
    return (flags.in_any_case(_one(found)) if isinstance(found, int) else found), end


def read_class(pattern: str, at: int, flags: Flags) -> tuple[Characters, int]:
    """
    Which characters the class that starts at *at* (a `[`) stands for, and where it ends.

    Raises:
        RegexProblem: The class is not closed, has an empty side, or holds an unknown escape.
    """
    reader = _ClassReader(pattern, at, flags)
    return reader.read(NESTED_MAX), reader.at


def _one(code: int) -> Characters:
    return Characters(((code, code),))


def _escape(pattern: str, at: int, flags: Flags) -> tuple[int | Characters, int]:
    """Read an escape: the character or the set that it stands for, and where it ends."""
    letter = pattern[at + 1 : at + 2]
    if not letter:
        raise RegexProblem("the regex ends in a single \\")
    if found := _CODE_POINT.match(pattern, at):
        code = int(found[4], 8) if found[4] else int(found[1] or found[2] or found[3], 16)
        if code > ALL.ranges[0][1] or 0xD800 <= code < 0xE000:
            raise RegexProblem(f"{found[0]} is no character: write \\x{{…}} with its code point")
        return code, found.end()
    if found := _PROPERTY.match(pattern, at):
        named = _property(found[2] or found[3], is_unicode=bool(found[1]), flags=flags)
        return (~named if letter == "P" else named), found.end()
    if letter in _CONTROLS:
        return _CONTROLS[letter], at + 2
    if letter == "c" and pattern[at + 2 : at + 3]:
        return ord(pattern[at + 2]) ^ 64, at + 3
    if letter in _SETS:
        return _SETS[letter], at + 2
    if letter.isascii() and letter.isalnum():
        words = pattern[at : pattern.find("}", at) + 1] if letter in "pP" else f"\\{letter}"
        raise RegexProblem(f"{words or letter} is not an escape that is known here")
    return ord(letter), at + 2


def _property(name: str, *, is_unicode: bool, flags: Flags) -> Characters:
    names = {name}
    if flags.ignore_case:
        names.update(*(cases for cases in _CASES if name in cases))
    found = Characters()
    for each in names:
        found |= _named(each, is_unicode=is_unicode)
    return found


@cache
def _named(name: str, *, is_unicode: bool) -> Characters:
    if is_unicode and name in _UNICODE:
        return _UNICODE[name]()
    if not is_unicode and name in _POSIX:
        return _POSIX[name]
    found = in_category(name) if _CATEGORY.fullmatch(name) else Characters()
    if not found:
        shown = f"Is{name}" if is_unicode else name
        raise RegexProblem(
            f"\\p{{{shown}}} is not supported: write a general category such as \\p{{L}}, "
            "or the characters themselves"
        )
    return found


class _ClassReader:
    """One `[…]`; *at* moves behind its `]`."""

    def __init__(self, pattern: str, at: int, flags: Flags) -> None:
        self.at = at
        self._pattern = pattern
        self._flags = flags

    def read(self, depth_left: int) -> Characters:
        """Read from the `[`: sets side by side are joined, those around an && are intersected."""
        if depth_left == 0:
            raise RegexProblem(f"more than {NESTED_MAX} [ within each other")
        self.at += 1
        negated = self._here("^")
        self.at += negated
        found = self._side(depth_left, first=True)
        while self._here("&&"):
            self.at += 2
            if self._here("&"):
                raise RegexProblem("three & in a row in […]: write \\& for one that is meant")
            found &= self._side(depth_left, first=False)
        self.at += 1
        return ~found if negated else found

    def _side(self, depth_left: int, *, first: bool) -> Characters:
        """Read what stands before a `]` or an `&&`."""
        start, found = self.at, Characters()
        # Java takes a ] that comes first as itself.
        while not self._here("&&") and (not self._here("]") or (first and self.at == start)):
            if self.at >= len(self._pattern):
                raise RegexProblem("a [ is not closed")
            found |= self.read(depth_left - 1) if self._here("[") else self._range()
        if self.at == start:
            raise RegexProblem("an && with nothing on one side")
        return found

    def _range(self) -> Characters:
        low = self._character()
        if low is VERTICAL and self._here("-"):
            raise RegexProblem("\\v- is one character for Java: write \\x0B")
        follows = self._pattern[self.at + 1 : self.at + 2]
        if not self._here("-") or follows in ("]", "[", ""):
            return self._flags.in_any_case(_one(low)) if isinstance(low, int) else low
        if not isinstance(low, int):
            # Java reads the - behind a set as itself.
            return low
        self.at += 1
        high = self._character()
        if not isinstance(high, int) or high < low:
            raise RegexProblem("a range in […] ends before it begins")
        return self._flags.in_any_case(Characters(((low, high),)))

    def _character(self) -> int | Characters:
        if self._here("\\"):
            found, self.at = _escape(self._pattern, self.at, self._flags)
            return found
        self.at += 1
        return ord(self._pattern[self.at - 1])

    def _here(self, text: str) -> bool:
        return self._pattern.startswith(text, self.at)

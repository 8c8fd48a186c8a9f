r"""
Java regexes, run in linear time: the same names match, or the pattern is refused.

Patterns come from files, and run against names that others choose. A matcher that tries one way
after the other may take minutes for a short pattern and a name of sixty letters: Python's for
`(a|aa)+`, Java's for `(.*a){12}`. RE2 takes time in proportion to the name. It does so because it
has none of what needs backtracking: looking around, back references, and quantifiers that never
give back. These are refused, with what to do about it.

A pattern has to match all of a name (`Matcher.matches`). So it does not matter which of several
ways it takes, `*?` is `*`, and the order of alternatives has no effect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import re2

from kmirror.policy.character_class import NESTED_MAX, Flags, RegexProblem, read_class, read_escape
from kmirror.policy.characters import Characters

__all__ = ["NamePattern", "RegexProblem", "compile_any"]

# RE2's own limit; a name has at most 249 characters anyway.
REPEAT_MAX = 1000
# What RE2 makes of the patterns, and of the names that it meets, stays below this.
MEMORY_BYTES_MAX = 64 << 20
# What is written for RE2: \p{L} has hundreds of ranges, and a file may say it often.
TRANSLATED_LENGTH_MAX = 4 << 20

_REPEAT = re.compile(r"\{([0-9]{1,10})(?:(,)([0-9]{0,10}))?\}")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)])")
_NAMED_GROUP = re.compile(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>")
_FLAG_NAMES = {"i": "ignore_case", "u": "unicode_case", "s": "dot_all", "d": "unix_lines"}
_EXCLUDE = "name what is not wanted in the key that ends in .exclude"
_NOT_LINEAR = {
    "(?=": f"a look-ahead, (?=, cannot be matched in linear time: {_EXCLUDE}",
    "(?!": f"a negative look-ahead, (?!, cannot be matched in linear time: {_EXCLUDE}",
    "(?<=": "a look-behind, (?<=, cannot be matched in linear time: write the whole name",
    "(?<!": f"a negative look-behind, (?<!, cannot be matched in linear time: {_EXCLUDE}",
    "(?>": "an atomic group, (?>, cannot be matched in linear time: write (?: if backtracking does "
    "not matter",
}
# For names without line breaks `$` and \Z are \z; \b knows ASCII only, as Java's since JDK 19.
_PLACES = {"A": r"\A", "z": r"\z", "Z": r"\z", "b": r"\b", "B": r"\B"}


class NamePattern:
    """
    A pattern of names.

    Args:
        translated: In RE2's syntax.

    Raises:
        RegexProblem: RE2 refuses it.
    """

    __slots__ = ("_compiled",)

    def __init__(self, translated: str) -> None:
        self._compiled = compiled(translated)

    def matches(self, name: str) -> bool:
        """Whether all of *name* matches, in time proportional to its length."""
        # A lone surrogate, which a file's \ud800 makes, is no character that a pattern could mean.
        text = name.encode("utf-8", "surrogatepass")
        return self._compiled.fullmatch(text) is not None


def compiled(translated: str) -> Any:
    """
    Compile a pattern within the limits that all have, for UTF-8.

    Args:
        translated: In RE2's syntax.

    Raises:
        RegexProblem: RE2 refuses it.
    """
    options = re2.Options()
    options.max_mem = MEMORY_BYTES_MAX
    options.log_errors = False
    try:
        return re2.compile(translated.encode(), options)
    except re2.error as error:
        (words,) = error.args
        raise RegexProblem(f"too large for a regex ({words.decode()}): shorten it") from error


def compile_any(patterns: Sequence[str]) -> NamePattern | None:
    """
    One pattern that matches what any of *patterns* matches; None for an empty list.

    As in MM2 the texts are joined by `|` before they are read.

    Raises:
        RegexProblem: Java refuses the pattern, or it cannot be matched in linear time.
    """
    if not patterns:
        return None
    try:
        return NamePattern(_translated("|".join(patterns)))
    except RegexProblem as problem:
        place = _first_refused(patterns) if len(patterns) > 1 else None
        if place is None:
            raise
        # Not the pattern itself: it may have come out of a file of secrets.
        raise RegexProblem(f"regex {place} of {len(patterns)}: {problem}") from problem


def _first_refused(patterns: Sequence[str]) -> int | None:
    for place, pattern in enumerate(patterns, 1):
        try:
            _translated(pattern)
        except RegexProblem:
            return place
    return None


def translated_with_groups(pattern: str) -> tuple[str, tuple[str | None, ...]]:
    """
    Translate a pattern whose groups count, so that each catches what it does in Java.

    Args:
        pattern: A Java regex.

    Returns:
        The pattern for RE2, and the names of its groups in order; `None` for one without.

    Raises:
        RegexProblem: Java refuses the pattern, or what its groups catch may differ.
    """
    translator = _Translator(_without_quotes(pattern), groups_count=True)
    return translator.translate(), tuple(translator.group_names)


def _translated(pattern: str) -> str:
    return _Translator(_without_quotes(pattern)).translate()


def _without_quotes(pattern: str) -> str:
    r"""Write `\Q…\E` character by character, as Java does before it reads anything else."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern[at] != "\\":
            out.append(pattern[at])
            at += 1
        elif pattern.startswith("\\Q", at):
            quoted, _, _ = pattern[at + 2 :].partition("\\E")
            out.extend(_quoted(char, first=i == 0) for i, char in enumerate(quoted))
            at += 2 + len(quoted) + 2
        else:
            out.append(pattern[at : at + 2])
            at += 2
    return "".join(out)


def _quoted(char: str, *, first: bool) -> str:
    if char.isascii() and char.isdigit() and first:
        # It must not become part of an escape that stands before the quote.
        return f"\\x3{char}"
    return f"\\{char}" if char.isascii() and not char.isalnum() else char


class _Translator:
    """Reads a Java regex from left to right and writes RE2's."""

    def __init__(self, pattern: str, *, groups_count: bool = False) -> None:
        self._pattern = pattern
        self._groups_count = groups_count
        self.group_names: list[str | None] = []
        self._is_behind_group = False
        self._at = 0
        self._out: list[str] = []
        self._length = 0
        self._flags = Flags()
        # The flags that hold again behind each open group.
        self._outer: list[Flags] = []
        self._names: set[str] = set()
        # Whether there is something before here that a quantifier may stand behind.
        self._repeatable = False

    def translate(self) -> str:
        """Return the pattern for RE2."""
        while self._at < len(self._pattern):
            self._step(self._pattern[self._at])
        if self._outer:
            raise RegexProblem("a ( is not closed")
        return "".join(self._out)

    def _step(self, char: str) -> None:
        if char in "*+?{":
            self._repeat(char)
        elif char == "\\":
            self._escape()
        elif char == "[":
            self._set(*read_class(self._pattern, self._at, self._flags))
        elif char == "(":
            self._open()
        elif char == ")":
            self._close()
        elif char == "|":
            self._write("|", self._at + 1, repeatable=False)
        elif char == ".":
            self._set(self._flags.dot, self._at + 1)
        elif char in "^$":
            self._write(r"\A" if char == "^" else r"\z", self._at + 1)
        else:
            self._set(self._flags.in_any_case(Characters.of_text(char)), self._at + 1)

    def _write(self, text: str, end: int, *, repeatable: bool = True) -> None:
        self._out.append(text)
        self._is_behind_group = False
        self._length += len(text)
        if self._length > TRANSLATED_LENGTH_MAX:
            raise RegexProblem("too large for a regex: shorten it")
        self._at = end
        self._repeatable = repeatable

    def _set(self, characters: Characters, end: int) -> None:
        self._write(characters.re2(), end)

    def _escape(self) -> None:
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter in _PLACES:
            self._write(_PLACES[letter], self._at + 2)
        elif letter == "k" or (letter in "123456789" and letter):
            raise RegexProblem(
                f"a back reference, \\{letter}, cannot be matched in linear time: write out what "
                "it may stand for"
            )
        else:
            self._set(*read_escape(self._pattern, self._at, self._flags))

    def _repeat(self, char: str) -> None:
        text, end = char, self._at + 1
        if char == "{":
            found = _REPEAT.match(self._pattern, self._at)
            if found is None:
                raise RegexProblem("a { that does not open a repeat such as {2,3}: write \\{")
            text, end = found[0], found.end()
            self._check_times(int(found[1]), int(found[3]) if found[3] else None)
        if not self._repeatable:
            raise RegexProblem(f"a {text} behind nothing that could be repeated: write \\{char}")
        if self._pattern.startswith("+", end):
            raise RegexProblem(
                f"a possessive quantifier, {text}+, cannot be matched in linear time: write {text} "
                "if backtracking does not matter"
            )
        if self._groups_count and self._is_behind_group and text != "?":
            raise RegexProblem(
                f"a ( ) that is repeated by {text} catches other parts in other engines: write it "
                "out, or repeat characters only"
            )
        lazy = self._pattern.startswith("?", end)
        # Where all of a name has to match and no group counts, the order of attempts has no effect.
        self._write(
            f"{text}?" if lazy and self._groups_count else text, end + lazy, repeatable=False
        )

    def _check_times(self, low: int, high: int | None) -> None:
        if high is not None and high < low:
            raise RegexProblem(f"a {{{low},{high}}} that ends before it begins")
        if max(low, high or 0) > REPEAT_MAX:
            raise RegexProblem(f"a repeat of more than {REPEAT_MAX}: no name is that long")

    def _open(self) -> None:
        before = self._flags
        if named := _NAMED_GROUP.match(self._pattern, self._at):
            if named[1] in self._names:
                raise RegexProblem(f"two groups are called {named[1]}")
            self._names.add(named[1])
            self.group_names.append(named[1])
            end = named.end()
        elif flags := _FLAGS.match(self._pattern, self._at):
            self._flags = _changed(before, flags[1], flags[2] or "")
            end = flags.end()
            if flags[3] == ")":
                self._write("", end, repeatable=False)
                return
        elif self._pattern.startswith("(?", self._at):
            start = self._pattern[self._at : self._at + 4]
            told = next((why for text, why in _NOT_LINEAR.items() if start.startswith(text)), None)
            raise RegexProblem(told or f"{start} is not a group that Java knows")
        else:
            end = self._at + 1
            self.group_names.append(None)
        if len(self._outer) == NESTED_MAX:
            raise RegexProblem(f"more than {NESTED_MAX} ( within each other")
        self._outer.append(before)
        is_counted = self._groups_count and self._is_capturing()
        self._write("(" if is_counted else "(?:", end, repeatable=False)

    def _is_capturing(self) -> bool:
        return not self._pattern.startswith("(?", self._at) or bool(
            _NAMED_GROUP.match(self._pattern, self._at)
        )

    def _close(self) -> None:
        if not self._outer:
            raise RegexProblem("a ) without its (")
        self._flags = self._outer.pop()
        self._write(")", self._at + 1)
        self._is_behind_group = True


def _changed(flags: Flags, on: str, off: str) -> Flags:
    for letter in on + off:
        if letter == "m":
            raise RegexProblem(
                "the flag m is for texts of several lines, which no name has: leave it out"
            )
        if letter not in _FLAG_NAMES:
            raise RegexProblem(f"the flag {letter} is not supported: write the pattern without it")
    changes = {_FLAG_NAMES[letter]: letter in on and letter not in off for letter in on + off}
    return replace(flags, **changes)

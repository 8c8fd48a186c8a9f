"""
Java regexes, run by Python: the same names match, or the pattern is refused.

A regex comes from a file and runs against names that others choose, so it is bounded: a
pattern that could take exponential time is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kmirror.policy.character_class import RegexProblem, read_class, read_escape

__all__ = ["PATTERN_LENGTH_MAX", "RegexProblem", "compile_any"]

# Topic names have at most 249 characters; a longer pattern is a mistake.
PATTERN_LENGTH_MAX = 1000

# A repeated group with a repeat inside is tried n ** 2, n ** 3 … ways; ten is already absurd.
NESTED_REPEAT_MAX = 10

_REPEAT = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(-[a-zA-Z]*)?([:)])")
_GROUPS = ("(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!")
_NAMED_GROUP = re.compile(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>")
_FLAGS_SAME_IN_PYTHON = frozenset("ism")
_FLAGS_WITHOUT_EFFECT_ON_NAMES = frozenset("du")


def compile_any(patterns: Sequence[str]) -> re.Pattern[str] | None:
    """
    One pattern that matches what any of *patterns* matches; None for an empty list.

    As in MM2 the texts are joined by `|` before they are read.

    Raises:
        RegexProblem: Java refuses the pattern, it is too long, or not safe to run.
    """
    if not patterns:
        return None
    for pattern in patterns:
        if len(pattern) > PATTERN_LENGTH_MAX:
            raise RegexProblem(f"a regex has at most {PATTERN_LENGTH_MAX} characters")
    translated = _Translator("|".join(patterns)).translate()
    try:
        # Java's \d, \w, \s and \b know ASCII only.
        return re.compile(translated, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise RegexProblem(f"not a valid regex: {error}") from error


class _Group:
    """What is known of a group while it is read."""

    __slots__ = ("opened_flags", "repeats")

    def __init__(self) -> None:
        self.opened_flags: list[str] = []
        self.repeats = False


class _Translator:
    """Reads a Java regex from left to right and writes Python's."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._groups = [_Group()]
        # Whether the piece just read, when repeated, would nest two unbounded repeats.
        self._last_repeats = False

    def translate(self) -> str:
        """The Python pattern."""
        while self._at < len(self._pattern):
            self._step(self._pattern[self._at])
        if len(self._groups) != 1:
            raise RegexProblem("a ( is not closed")
        self._close_flags()
        return "".join(self._out)

    def _step(self, char: str) -> None:
        if char in "*+?{":
            self._repeat(char)
            return
        repeats = False
        if char == "\\":
            text, self._at = read_escape(self._pattern, self._at)
            self._out.append(text)
        elif char == "[":
            text, self._at = read_class(self._pattern, self._at)
            self._out.append(text)
        elif char == "(":
            self._open()
        elif char == ")":
            repeats = self._close()
        elif char == "|":
            self._alternative()
        else:
            self._out.append(char)
            self._at += 1
        self._last_repeats = repeats

    def _repeat(self, char: str) -> None:
        unbounded, text = char in "*+", char
        times_max = None if unbounded else 1
        if char == "{":
            found = _REPEAT.match(self._pattern, self._at)
            if found is None:
                raise RegexProblem("a { that does not open a repeat such as {2,3}: write \\{")
            text = found.group()
            times_max = int(found[3] or found[1]) if found[2] != "," else None
            unbounded = times_max is None
        if self._last_repeats and (times_max is None or times_max >= NESTED_REPEAT_MAX):
            raise RegexProblem("a repeat of a repeat, such as (a+)+, can take for ever: rewrite it")
        self._at += len(text)
        if self._at < len(self._pattern) and self._pattern[self._at] in "?+":
            text += self._pattern[self._at]
            self._at += 1
        self._out.append(text)
        self._groups[-1].repeats |= unbounded
        self._last_repeats = self._last_repeats or unbounded

    def _open(self) -> None:
        rest = self._pattern[self._at :]
        named = _NAMED_GROUP.match(rest)
        flags = _FLAGS.match(rest)
        if named is not None:
            text = f"(?P<{named[1]}>"
            self._at += len(named[0])
        elif plain := next((start for start in _GROUPS if rest.startswith(start)), None):
            text = plain
            self._at += len(plain)
        elif flags is not None:
            self._at += len(flags[0])
            text = _flag_group(flags[1], (flags[2] or "")[1:])
            if flags[3] == ")":
                self._out.append(text)
                self._groups[-1].opened_flags.append(text)
                return
        elif rest.startswith("(?"):
            raise RegexProblem(f"{rest[:4]} is not a group that Java knows")
        else:
            text = "("
            self._at += 1
        self._out.append(text)
        self._groups.append(_Group())

    def _close(self) -> bool:
        if len(self._groups) == 1:
            raise RegexProblem("a ) without its (")
        self._close_flags()
        repeats = self._groups.pop().repeats
        self._groups[-1].repeats |= repeats
        self._out.append(")")
        self._at += 1
        return repeats

    def _alternative(self) -> None:
        # In Java `(?i)` holds to the end of its group, over every |; Python wants it closed.
        self._close_flags()
        self._out.append("|")
        self._out.extend(self._groups[-1].opened_flags)
        self._at += 1

    def _close_flags(self) -> None:
        self._out.append(")" * len(self._groups[-1].opened_flags))


def _flag_group(on: str, off: str) -> str:
    unknown = (set(on) | set(off)) - _FLAGS_SAME_IN_PYTHON - _FLAGS_WITHOUT_EFFECT_ON_NAMES
    if unknown:
        raise RegexProblem(f"the flag {min(unknown)} is not supported")
    on = "".join(sorted(set(on) & _FLAGS_SAME_IN_PYTHON))
    off = "".join(sorted(set(off) & _FLAGS_SAME_IN_PYTHON))
    return f"(?{on}-{off}:" if off else f"(?{on}:"

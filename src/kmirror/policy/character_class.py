"""The parts of a Java regex that stand for one character: escapes and [classes]."""

from __future__ import annotations

import re

_BREAKS = r"\n\x0b\f\r\x85\u2028\u2029"
_BLANKS = r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"

# The same letter means the same in both languages (under re.ASCII).
_SAME = frozenset("dDwWsSbBtnrfA123456789")
_NOT_IN_CLASSES = frozenset("bBA123456789")
_LITERAL = {"a": "\x07", "e": "\x1b"}
_SETS = {"h": f"[{_BLANKS}]", "H": f"[^{_BLANKS}]", "v": f"[{_BREAKS}]", "V": f"[^{_BREAKS}]"}
_ANCHORS = {"z": r"\Z", "Z": r"(?=\n?\Z)", "R": f"(?:\\r\\n|[{_BREAKS}])"}
_PROPERTIES = {
    "Lower": "[a-z]",
    "Upper": "[A-Z]",
    "ASCII": r"[\x00-\x7f]",
    "Alpha": "[a-zA-Z]",
    "Digit": "[0-9]",
    "Alnum": "[a-zA-Z0-9]",
    "Punct": r"[!-/:-@\[-`{-~]",
    "Graph": "[!-~]",
    "Print": "[ -~]",
    "Blank": r"[ \t]",
    "Cntrl": r"[\x00-\x1f\x7f]",
    "XDigit": "[0-9a-fA-F]",
    "Space": r"[ \t\n\x0b\f\r]",
    # Letters and digits beyond ASCII cannot stand in a topic's name.
    "L": "[a-zA-Z]",
    "IsAlphabetic": "[a-zA-Z]",
    "Ll": "[a-z]",
    "IsLowercase": "[a-z]",
    "Lu": "[A-Z]",
    "IsUppercase": "[A-Z]",
    "N": "[0-9]",
    "Nd": "[0-9]",
    "IsDigit": "[0-9]",
}
_PROPERTY = re.compile(r"\\[pP](?:\{([A-Za-z_=]+)\}|([A-Za-z]))")
_CODE_POINT = re.compile(
    r"\\x\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\0([0-3]?[0-7]{1,2})"
)
_BACK_REFERENCE = re.compile(r"\\k<([a-zA-Z][a-zA-Z0-9]*)>")


class RegexProblem(ValueError):
    """A pattern that cannot be used; the text says why."""


def read_escape(pattern: str, at: int) -> tuple[str, int]:
    r"""
    What the escape that starts at *at* (a `\`) is in Python, and where it ends.

    Raises:
        RegexProblem: Java, or this translation, does not know the escape.
    """
    if at + 1 == len(pattern):
        raise RegexProblem("the regex ends in a single \\")
    letter = pattern[at + 1]
    if letter == "Q":
        end = pattern.find("\\E", at + 2)
        literal, after = (
            (pattern[at + 2 :], len(pattern)) if end < 0 else (pattern[at + 2 : end], end + 2)
        )
        # Repeats apply to the last character only, so no group.
        return re.escape(literal), after
    if found := _BACK_REFERENCE.match(pattern, at):
        return f"(?P={found[1]})", found.end()
    if letter in _ANCHORS:
        return _ANCHORS[letter], at + 2
    return _read_one_character(pattern, at)


def _read_one_character(pattern: str, at: int) -> tuple[str, int]:
    letter = pattern[at + 1]
    if found := _CODE_POINT.match(pattern, at):
        code = int(found[4], 8) if found[4] else int(found[1] or found[2] or found[3], 16)
        if code > 0x10FFFF:
            raise RegexProblem(f"{found[0]} is not a character")
        return re.escape(chr(code)), found.end()
    if found := _PROPERTY.match(pattern, at):
        return _property(found[1] or found[2], negated=letter == "P"), found.end()
    if letter in _SAME:
        return f"\\{letter}", at + 2
    if letter in _SETS:
        return _SETS[letter], at + 2
    if letter in _LITERAL:
        return re.escape(_LITERAL[letter]), at + 2
    if letter.isascii() and letter.isalnum():
        raise RegexProblem(f"\\{letter} is not an escape that can be used here")
    return re.escape(letter), at + 2


def _property(name: str, *, negated: bool) -> str:
    body = _PROPERTIES.get(name) or _PROPERTIES.get(name.removeprefix("Is"))
    if body is None:
        raise RegexProblem(f"\\p{{{name}}} is not a supported character property")
    return f"[^{body[1:]}" if negated else body


def read_class(pattern: str, at: int) -> tuple[str, int]:
    """
    What the class that starts at *at* (a `[`) is in Python, and where it ends.

    Java's classes may hold classes (union) and `&&` (intersection); Python's may not, so
    those become alternatives and look-aheads over one character.

    Raises:
        RegexProblem: the class is not closed, empty, or holds an unknown escape.
    """
    reader = _ClassReader(pattern, at + 1)
    return reader.read(), reader.at


class _ClassReader:
    """One `[…]`; *at* moves behind its `]`."""

    def __init__(self, pattern: str, at: int) -> None:
        self.at = at
        self._pattern = pattern
        self._plain: list[str] = []
        self._nested: list[str] = []
        self._operands: list[str] = []

    def read(self) -> str:
        negated = self._pattern.startswith("^", self.at)
        self.at += negated
        first = True
        while first or not self._pattern.startswith("]", self.at):
            if self.at >= len(self._pattern):
                raise RegexProblem("a [ is not closed")
            self._member()
            first = False
        self.at += 1
        if not self._nested and not self._operands:
            return f"[{'^' if negated else ''}{''.join(self._plain)}]"
        self._end_operand()
        *others, last = self._operands
        whole = "".join(f"(?={operand})" for operand in others) + last
        return f"(?:(?!{whole})[\\s\\S])" if negated else f"(?:{whole})"

    def _member(self) -> None:
        if self._pattern.startswith("&&", self.at):
            self.at += 2
            self._end_operand()
        elif self._pattern.startswith("[", self.at):
            text, self.at = read_class(self._pattern, self.at)
            self._nested.append(text)
        else:
            self._range()

    def _range(self) -> None:
        low = self._character()
        dash = self._pattern.startswith("-", self.at)
        if dash and self._pattern[self.at + 1 : self.at + 2] not in ("]", "[", ""):
            self.at += 1
            low = f"{low}-{self._character()}"
        if low.startswith("["):
            self._nested.append(low)
        else:
            self._plain.append(low)

    def _character(self) -> str:
        char = self._pattern[self.at]
        if char == "\\" and self._pattern.startswith("Q", self.at + 1):
            text, self.at = read_escape(self._pattern, self.at)
        elif char == "\\":
            if self.at + 1 == len(self._pattern):
                raise RegexProblem("the regex ends in a single \\")
            if self._pattern[self.at + 1] in _NOT_IN_CLASSES:
                raise RegexProblem(f"\\{self._pattern[self.at + 1]} cannot stand in a class")
            text, self.at = _read_one_character(self._pattern, self.at)
        else:
            text = re.escape(char)
            self.at += 1
        return text

    def _end_operand(self) -> None:
        parts = [f"[{''.join(self._plain)}]"] if self._plain else []
        parts += self._nested
        if not parts:
            raise RegexProblem("an empty [] or an && without one side")
        self._operands.append(parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})")
        self._plain, self._nested = [], []

"""
`java.util.Properties` files, with the line number of every key.

Bytes are read as UTF-8 where they are UTF-8 and as ISO-8859-1, Java's own encoding,
where they are not; what is written is ASCII with `\\uXXXX`, so both agree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# A driver file has hundreds of lines; anything near this is not one.
FILE_BYTES_MAX = 1 << 20

_BLANK = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}


class MalformedProperties(ValueError):
    """A file that Java would refuse; *line* says where."""

    def __init__(self, message: str, *, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """
    One `key = value`.

    Args:
        key: With its escapes undone.
        value: With its escapes undone; blanks before it are gone, blanks behind it are kept.
        line: The line the key is on, from 1.
    """

    key: str
    value: str
    line: int


def decode(content: bytes) -> str:
    """Decode a properties file, whichever of the two encodings it has."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("iso-8859-1")


def read(text: str) -> tuple[Property, ...]:
    """
    Every property of *text* in order; a key given twice is there twice (the last one counts).

    Raises:
        MalformedProperties: a `\\u` without four hexadecimal digits.
    """
    return tuple(_property(logical, line) for logical, line in _logical_lines(text))


def write(items: Iterable[tuple[str, str]]) -> str:
    """Write a file that `read` returns as *items*."""
    return "".join(
        f"{_escaped(key, key=True)}={_escaped(value, key=False)}\n" for key, value in items
    )


def written_line(key: str, value: str) -> str:
    """Write a line as people do, blanks around the `=` and no more escapes than it takes."""
    text = "".join(_WRITTEN.get(char, char) for char in value)
    escaped = f"\\{text}" if text.startswith(tuple(_BLANK)) else text
    return f"{_escaped(key, key=True)} = {escaped}"


def _natural_lines(text: str) -> list[str]:
    # Not splitlines(): Java ends a line at \n, \r or both, and at nothing else.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _logical_lines(text: str) -> Iterable[tuple[str, int]]:
    """Lines with continuations joined, without comments and blank lines."""
    pending, start = "", 0
    for number, natural in enumerate(_natural_lines(text), 1):
        line = natural.lstrip(_BLANK)
        # A line that is nothing but a continuation has not begun yet, for Java.
        if not pending:
            if not line or line[0] in "#!":
                continue
            start = number
        if (len(line) - len(line.rstrip("\\"))) % 2:
            pending += line[:-1]
            continue
        yield pending + line, start
        pending = ""
    if pending:
        yield pending, start


def _property(line: str, number: int) -> Property:
    end = 0
    while end < len(line) and line[end] not in f"=:{_BLANK}":
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(_BLANK)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANK)
    return Property(key=_unescaped(line[:end], number), value=_unescaped(rest, number), line=number)


def _unescaped(text: str, line: int) -> str:
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            # A \ at the very end has nothing to escape and goes, as in Java.
            char, at = text[at : at + 1], at + 1
            if char == "u":
                digits = text[at : at + 4]
                if len(digits) < 4 or any(d not in "0123456789abcdefABCDEF" for d in digits):
                    raise MalformedProperties("\\u needs four hexadecimal digits", line=line)
                char, at = chr(int(digits, 16)), at + 4
            else:
                char = _ESCAPES.get(char, char)
        out.append(char)
    # Java's \u counts in UTF-16: two of them may make one character.
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _escaped(text: str, *, key: bool) -> str:
    out: list[str] = []
    for at, char in enumerate(text):
        if char in _WRITTEN:
            out.append(_WRITTEN[char])
        elif (char == " " and (key or at == 0)) or char in "=:#!":
            out.append(f"\\{char}")
        elif " " <= char <= "~":
            out.append(char)
        else:
            units = char.encode("utf-16-be", "surrogatepass")
            out.extend(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
    return "".join(out)

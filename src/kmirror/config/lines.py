"""The lines of a properties file, with their references replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.table import is_secret
from kmirror.config.properties import FILE_BYTES_MAX, MalformedProperties, Property, decode, read
from kmirror.config.references import ReferenceProblem, References
from kmirror.errors import ConfigError, Problem

PROVIDERS_PREFIX = "config.providers"

ForeignText = Callable[[str], str | None]
ForeignLines = Callable[[Sequence[Property]], tuple[int, str] | None]


def read_properties(
    path: Path, *, foreign_text: ForeignText, foreign_lines: ForeignLines
) -> tuple[Property, ...]:
    """
    Read the properties of a file in order.

    Args:
        path: The file.
        foreign_text: Says of a text that is another kind of file what it is.
        foreign_lines: Says it of properties, with the line that tells it.

    Raises:
        ConfigError: It cannot be read, or is another kind of file.
    """
    text = read_text(path)
    if (words := foreign_text(text)) is not None:
        raise unusable(f"{path}:1", words)
    items = properties_of(path, text)
    if (foreign := foreign_lines(items)) is not None:
        line, words = foreign
        raise unusable(f"{path}:{line}", words)
    return items


def read_text(path: Path) -> str:
    """
    Read a file that has settings.

    Raises:
        ConfigError: It cannot be read, or is too large for one.
    """
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise unusable(str(path), f"cannot be read: {error.strerror}") from error
    if len(content) > FILE_BYTES_MAX:
        raise unusable(str(path), f"is larger than {FILE_BYTES_MAX} bytes: not a properties file")
    return decode(content)


def properties_of(path: Path, text: str) -> tuple[Property, ...]:
    """
    Return the properties that are the text of a file, in order.

    Raises:
        ConfigError: Java would refuse it.
    """
    try:
        return read(text)
    except MalformedProperties as problem:
        raise unusable(f"{path}:{problem.line}", str(problem)) from problem


def unusable(where: str, expected: str) -> ConfigError:
    """Return the error of a file that is not what was asked for."""
    return ConfigError((Problem(where=where, key="file", value=None, expected=expected),))


def entries_of(path: Path, items: Iterable[Property], findings: Findings) -> Entries:
    """Return the entries of a file; the last one counts where a key is given twice."""
    entries: Entries = {}
    for item in items:
        entry = Entry(
            key=item.key,
            text=item.value,
            where=f"{path}:{item.line}",
            secret=is_secret(item.key, item.value),
        )
        earlier = entries.pop(item.key, None)
        if earlier is not None:
            findings.doubt(earlier, f"has no effect: line {item.line} sets it again")
        entries[item.key] = entry
    return entries


def expanded(entries: Entries, references: References, findings: Findings) -> Entries:
    """Replace the references of *entries*; what they bring counts as secret."""
    return {
        name: entry if name.startswith(PROVIDERS_PREFIX) else _expand(entry, references, findings)
        for name, entry in entries.items()
    }


def _expand(entry: Entry, references: References, findings: Findings) -> Entry:
    try:
        text = references.expand(entry.text)
    except ReferenceProblem as problem:
        findings.refused(entry, str(problem))
        return entry
    stranger = references.unknown(entry.text)
    if stranger is not None:
        findings.doubt(entry, f"taken literally: config.providers does not name {stranger}")
    return entry if text == entry.text else replace(entry, text=text, secret=True)

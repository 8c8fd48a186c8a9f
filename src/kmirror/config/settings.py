"""Typed access to resolved entries, by the table of keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.key import Key, Value, ValueProblem
from kmirror.config.keys.table import KEYS
from kmirror.config.per_topic import read_per_topic
from kmirror.config.sql import SqlText
from kmirror.policy.per_topic import PerTopic

T = TypeVar("T")


class Settings:
    """
    The values of one flow or cluster.

    A text that is no value goes to the findings and reads as the default, so that one pass
    finds everything.

    Args:
        entries: The lines, by name.
        findings: Receives what is no value.
        keys: The table that has the names.
    """

    def __init__(
        self, entries: Entries, findings: Findings, keys: Mapping[str, Key] = KEYS
    ) -> None:
        self._entries = entries
        self._findings = findings
        self._keys = keys

    def has(self, name: str) -> bool:
        """Whether the file says anything about *name*."""
        return name in self._entries

    def entry(self, name: str) -> Entry | None:
        """Return the line of *name*; None if the file does not set it."""
        return self._entries.get(name)

    def value(self, name: str) -> Value | None:
        """Return the value of *name*, or its default."""
        key, entry = self._keys[name], self._entries.get(name)
        if entry is None:
            return key.default
        try:
            return key.parse(entry.text)
        except ValueProblem as problem:
            self._findings.wrong(entry, str(problem))
            return key.default

    def flag(self, name: str) -> bool:
        """Return the boolean *name*, which has a default."""
        value = self.value(name)
        assert isinstance(value, bool), name
        return value

    def number(self, name: str) -> int:
        """Return the whole number *name*, which has a default."""
        value = self.value(name)
        assert isinstance(value, int), name
        return value

    def number_or_none(self, name: str) -> int | None:
        """Return the whole number *name*, None when absent."""
        value = self.value(name)
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str:
        """Return the text *name*, which has a default."""
        value = self.value(name)
        assert isinstance(value, str), name
        return value

    def text_or_none(self, name: str) -> str | None:
        """Return the text *name*, None when absent."""
        value = self.value(name)
        return value if isinstance(value, str) else None

    def sql(self, name: str) -> SqlText | None:
        """Return the SQL text *name* with its place, None when absent."""
        text = self.text_or_none(name)
        return None if text is None else SqlText(sql=text, entry=self._entries[name])

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the list *name*, which has a default."""
        value = self.value(name)
        assert isinstance(value, tuple), name
        return value

    def per_topic(self, name: str, default: T, read: Callable[[str], T]) -> PerTopic[T]:
        """Return the choice that *name* makes for each topic; *default* where it says nothing."""
        return read_per_topic(self.texts(name), default, read)

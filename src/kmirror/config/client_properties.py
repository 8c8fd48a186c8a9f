"""The properties of one Kafka client, in Java's names, with their secrets hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kmirror.config.entry import Entries, Entry
from kmirror.config.secret import HIDDEN, Secret, revealed
from kmirror.errors import Problem


class ClientProperties(Mapping[str, str | Secret]):
    """
    An immutable mapping of Java client properties.

    Equal properties are equal and hash the same; secrets print as `[hidden]`.

    Args:
        values: By name.
        entries: The lines of the file that they come from, by name; what others give has none.
    """

    __slots__ = ("_entries", "_values")

    def __init__(
        self, values: Mapping[str, str | Secret] | None = None, entries: Entries | None = None
    ) -> None:
        self._values: dict[str, str | Secret] = dict(values or {})
        self._entries = dict(entries or {})

    def __getitem__(self, name: str) -> str | Secret:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in sorted(self._values.items()))
        return f"ClientProperties({inside})"

    def entry(self, name: str) -> Entry | None:
        """Return the line that gave *name*."""
        return self._entries.get(name)

    def with_defaults(self, defaults: Mapping[str, str | Secret]) -> ClientProperties:
        """Return these properties, and those of *defaults* that are absent here."""
        return ClientProperties({**defaults, **self._values}, self._entries)

    def overridden_by(self, overrides: Mapping[str, str | Secret]) -> ClientProperties:
        """Return these properties, overridden by *overrides*."""
        return ClientProperties({**self._values, **overrides}, self._entries)

    def without(self, *names: str) -> ClientProperties:
        """Return these properties without *names*."""
        kept = {name: value for name, value in self._values.items() if name not in names}
        return ClientProperties(kept, self._entries)

    def reveal(self) -> dict[str, str]:
        """Everything in clear text, to be handed to a client and to nobody else."""
        return {name: revealed(value) for name, value in self._values.items()}

    def problem(self, name: str, expected: str) -> Problem | None:
        """
        Return a problem with the line of *name*; None if the file does not set it.

        Args:
            name: The property.
            expected: What is wrong, in words of somebody who has seen the values: they are hidden.
        """
        entry = self._entries.get(name)
        if entry is None:
            return None
        if entry.secret and entry.text:
            expected = expected.replace(entry.text, HIDDEN)
        return entry.problem(expected)

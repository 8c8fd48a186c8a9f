"""JSON and YAML as one kind of tree, whose every node knows where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kmirror.importers.setting import Setting, wrong

NODES_MAX = 20_000
DEPTH_MAX = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """
    A value: a text, nothing, a mapping or a list.

    Args:
        key: Its name in the mapping that has it; empty for others.
        where: `file:line`, or the file and the JSON path.
        value: Numbers and `true` are texts, as Kafka takes them.
    """

    key: str
    where: str
    value: str | Mapping[str, Node] | Sequence[Node] | None = field(repr=False)

    def get(self, *names: str) -> Node | None:
        """Return what lies below *names*, None for what is not there or is nothing."""
        found: Node | None = self
        for name in names:
            if found is None or not isinstance(found.value, Mapping):
                return None
            found = found.value.get(name)
        return None if found is None or found.value is None else found

    def text(self, *names: str) -> str | None:
        """Return the text below *names*, None for what is no text."""
        found = self.get(*names)
        return found.value if found is not None and isinstance(found.value, str) else None

    def fields(self) -> Iterator[Node]:
        """Return what a mapping has, but for nothing; a value of another kind has no fields."""
        if isinstance(self.value, Mapping):
            yield from (node for node in self.value.values() if node.value is not None)

    def items(self) -> Iterator[Node]:
        """Return what a list has; a value of another kind has no items."""
        if not isinstance(self.value, str | Mapping) and self.value is not None:
            yield from self.value

    def setting(self, key: str = "") -> Setting:
        """
        Return it as a setting; what is no text is written as `{…}` or `[…]`.

        Args:
            key: A name that says more than its own.
        """
        if isinstance(self.value, str) or self.value is None:
            text = self.value or ""
        else:
            text = "{…}" if isinstance(self.value, Mapping) else "[…]"
        return Setting(key=key or self.key, text=text, where=self.where)

    def text_setting(self, key: str = "") -> Setting:
        """
        Return it as a setting that has to be a text; a draft refuses what is none.

        Args:
            key: A name that says more than its own.
        """
        if isinstance(self.value, str) or self.value is None:
            return self.setting(key)
        kind = "a mapping" if isinstance(self.value, Mapping) else "a list"
        return replace(self.setting(key), no_text=kind)

    def settings(self) -> tuple[Setting, ...]:
        """Return the fields of a mapping of texts."""
        return tuple(node.text_setting() for node in self.fields())


class Budget:
    """Counts nodes, so that a small file does not become a large tree."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._left = NODES_MAX

    def take(self, depth: int) -> None:
        """Count a node; refuse one too many or too deep."""
        self._left -= 1
        if self._left < 0:
            raise wrong(self._file, "file", f"has more than {NODES_MAX} values")
        if depth > DEPTH_MAX:
            raise too_deep(self._file)


def too_deep(file: str) -> Exception:
    """Return the error of a file whose values lie in each other too often."""
    return wrong(file, "file", f"has values more than {DEPTH_MAX} levels deep")

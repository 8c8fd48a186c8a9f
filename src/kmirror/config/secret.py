"""Values that must never be shown."""

from __future__ import annotations

HIDDEN = "[hidden]"


class Secret:
    """
    A text that prints as `[hidden]`, Connect's own word for it.

    Only the builders of client properties may call `reveal`.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    def __format__(self, spec: str) -> str:
        return format(HIDDEN, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


def revealed(value: str | Secret) -> str:
    """Return a value itself, whether or not it is a secret."""
    return value.reveal() if isinstance(value, Secret) else value

"""Values that must never be shown."""

from __future__ import annotations

import re

HIDDEN = "[hidden]"

# Shorter parts of a secret are in other words by chance; in quotes they are hidden all the same.
_PART_LENGTH_MIN = 3
_WORD = r"\w.$/-"


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


def without_secret(words: str, secret: str) -> str:
    """
    Return *words* without a secret that they quote, as a whole or in parts.

    Args:
        words: For people.
        secret: A text that may be a list, or have several words.
    """
    wholes = {secret, secret.strip()}
    parts = wholes | {
        part.strip()
        for split in (r",", r"[,:=]", r"\s", rf"[^{_WORD}]+")
        for part in re.split(split, secret)
    }
    # Quoted as Python's `repr` does, too.
    parts |= {repr(part)[1:-1] for part in parts}
    found = sorted((part for part in parts if part and part in words), key=len, reverse=True)
    if not found:
        return words
    patterns = [re.escape(repr(part)) for part in found]
    for part in found:
        if len(part) >= _PART_LENGTH_MIN:
            bare = re.escape(part)
            around = part not in wholes
            patterns.append(rf"(?<![{_WORD}]){bare}(?![\w$/-]|\.\w)" if around else bare)
    return re.sub("|".join(patterns), HIDDEN, words)

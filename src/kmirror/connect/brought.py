"""What references have brought into a connector's settings, kept out of what is said of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kmirror.config.references import ReferenceProblem, References, Resolved
from kmirror.config.secret import HIDDEN

# Errors show parts of lists, the first word of a login, and names of options.
_BETWEEN = re.compile(r"[\s,;=]+")
_COMMA = re.compile(r"\s*,\s*")
# What is wrong with a regex may be told with letters of it.
_REGEX = re.compile(r"(regex[^:]*): .*", re.DOTALL)
# What is shorter is in every other text by chance: it is hidden where it stands alone.
_LENGTH_MIN = 4


class Brought:
    """
    Hides what references have brought, and the parts of it that errors show.

    Whoever may have settings checked need not be allowed to read what they refer to.
    """

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._names: set[str] = set()

    def add(self, name: str, resolved: Resolved) -> None:
        """Hide from now on what a setting's references have brought."""
        if not resolved.brought:
            return
        self._names.add(name)
        for text in resolved.brought:
            self._texts.update(_parts(text))
        # What stands together with it is shown together.
        whole = [text.strip() for text in resolved.brought]
        self._texts.update(
            part for part in _parts(resolved.text) if any(each in part for each in whole if each)
        )

    def add_read(self, text: str | None) -> None:
        """Hide a value as it was read, too: `007` is shown as 7."""
        if text:
            self._texts.add(text)

    def hidden(self, text: str, name: str = "") -> str:
        """
        Return a text for people without any of it.

        Args:
            text: The text.
            name: The setting that it is about; none for none.
        """
        if not self._texts:
            return text
        if name in self._names:
            text = _REGEX.sub(r"\1", text)
        # The longest first: one may be a part of another.
        known = sorted(self._texts, key=len, reverse=True)
        return re.sub("|".join(map(_pattern, known)), HIDDEN, text)


def brought_by(config: Mapping[str, str], references: References) -> Brought:
    """
    Return what hides all that the references of settings bring.

    Args:
        config: The settings, as they were posted.
        references: What they mean.
    """
    found = Brought()
    for name, text in config.items():
        try:
            found.add(name, references.resolve(text))
        except ReferenceProblem:
            continue
    return found


def _pattern(text: str) -> str:
    escaped = re.escape(text)
    return escaped if len(text) >= _LENGTH_MIN else rf"(?<!\w){escaped}(?!\w)"


def _parts(text: str) -> Iterator[str]:
    """Yield a text and its parts, also as Python quotes them."""
    whole = (text, text.strip())
    listed = (*_COMMA.split(text.strip()), ", ".join(_COMMA.split(text.strip())))
    words = _BETWEEN.split(text)
    for part in _some((*whole, *listed, *words, *(word.rpartition(".")[2] for word in words))):
        yield part
        yield repr(part)[1:-1]


def _some(parts: Iterable[str]) -> Iterator[str]:
    return (part for part in parts if part.strip())

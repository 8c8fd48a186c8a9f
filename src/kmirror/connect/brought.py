"""What references have brought into a connector's settings, kept out of what is said of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kmirror.config.hiding import without_secrets
from kmirror.config.references import ReferenceProblem, References, Resolved

# What is wrong with a regex may be told with letters of it.
_REGEX = re.compile(r"(regex[^:]*): .*", re.DOTALL)


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
        if resolved.brought:
            self._names.add(name)
            self._texts.update(resolved.brought)

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
        if name in self._names:
            text = _REGEX.sub(r"\1", text)
        return without_secrets(text, self._texts)


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

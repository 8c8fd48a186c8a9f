"""Parts of sentences."""

from __future__ import annotations

from collections.abc import Sequence

_SOME_MAX = 5


def first_few(names: Sequence[object]) -> str:
    """Give the first of many names, and how many more there are."""
    shown = ", ".join(map(str, names[:_SOME_MAX]))
    more = len(names) - _SOME_MAX
    return f"{shown} and {more} more" if more > 0 else shown

"""Parts of sentences."""

from __future__ import annotations

from collections.abc import Sequence


def first_few(names: Sequence[object], *, at_most: int = 5) -> str:
    """Return the first of many names, and how many more there are."""
    shown = ", ".join(map(str, names[:at_most]))
    more = len(names) - at_most
    return f"{shown} and {more} more" if more > 0 else shown


def setting_value(value: str) -> str:
    """Return a setting's value for people, who do not see an empty one."""
    return value or '""'

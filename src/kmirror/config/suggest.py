"""The nearest thing that the user may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the item of *known* most similar to *name*; None if none is."""
    found = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.75)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return the end of a sentence about *name*: what was meant, behind *prefix*; or nothing."""
    meant = nearest(name, known)
    return f"; did you mean {prefix}{meant}?" if meant else ""

"""Long sequences in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def pieces(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield *items* in pieces of *size*; the last one may be smaller."""
    for at in range(0, len(items), size):
        yield items[at : at + size]

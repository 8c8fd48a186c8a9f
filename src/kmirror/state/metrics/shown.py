"""Which topics and partitions have series of their own: a scrape does not grow for ever; pure."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TypeVar

SHOWN_MAX = 2_000
"""Up to so many, of all flows of the process, all have."""

SHOWN_OF_FLOW = 20
"""Of more, so many of each flow: those that are the furthest behind."""

T = TypeVar("T")


def shown(lags: Mapping[T, int], *, of_process: int) -> list[T]:
    """
    Return those that are shown, in the order of their names.

    Args:
        lags: The lag of each one of a flow.
        of_process: How many there are of all flows together.
    """
    if of_process <= SHOWN_MAX:
        return sorted(lags)  # type: ignore[type-var]  # names, or pairs with them
    worst = heapq.nsmallest(SHOWN_OF_FLOW, lags, key=lambda each: (-lags[each], each))
    return sorted(worst)  # type: ignore[type-var]

"""What many numbers say in a few."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

_CURVE = (
    *(percent / 100 for percent in range(1, 100)),
    *(0.99 + part / 1000 for part in range(1, 10)),
    *(0.999 + part / 10_000 for part in range(1, 10)),
    1.0,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """
    How numbers are spread: the value that a part of them does not exceed.

    Args:
        count: How many there were.
        p50: Half.
        p95: 95 of 100.
        p99: 99 of 100.
        p999: 999 of 1000.
        max: All.
        curve: Many more pairs of part and value, for a plot.
    """

    count: int
    p50: float
    p95: float
    p99: float
    p999: float
    max: float
    curve: tuple[tuple[float, float], ...]


QUANTILES: tuple[tuple[str, Callable[[Quantiles], float]], ...] = (
    ("p50", lambda found: found.p50),
    ("p95", lambda found: found.p95),
    ("p99", lambda found: found.p99),
    ("p99.9", lambda found: found.p999),
    ("max", lambda found: found.max),
)
"""Those that tables show, and how they are called there."""


def quantile(ordered: Sequence[float], part: float) -> float:
    """
    Give the smallest of the numbers that *part* of them do not exceed.

    It is a number that was measured, never one between two of them.

    Args:
        ordered: The numbers in their order, one at least.
        part: From 0 to 1.
    """
    assert ordered, "no numbers, no quantiles"
    # 0.999 * 1000 is a little more than 999 to a computer.
    return ordered[max(0, math.ceil(round(part * len(ordered), 6)) - 1)]


def quantiles(numbers: Sequence[float]) -> Quantiles:
    """Describe *numbers*, one at least, in any order."""
    ordered = sorted(numbers)
    return Quantiles(
        count=len(ordered),
        p50=quantile(ordered, 0.5),
        p95=quantile(ordered, 0.95),
        p99=quantile(ordered, 0.99),
        p999=quantile(ordered, 0.999),
        max=ordered[-1],
        curve=tuple((part, quantile(ordered, part)) for part in _CURVE),
    )


def spread(numbers: Sequence[float], form: str = "{:,.1f}") -> str:
    """
    Write the median, and behind it the smallest and the largest where there are several.

    Args:
        numbers: One at least.
        form: How to write one of them.
    """
    middle, least, most = (form.format(each) for each in (median(numbers), *_ends(numbers)))
    return middle if len(numbers) == 1 else f"{middle} ({least} to {most})"


def _ends(numbers: Sequence[float]) -> tuple[float, float]:
    return min(numbers), max(numbers)

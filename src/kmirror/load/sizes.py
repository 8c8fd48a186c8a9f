"""How large records are: `--size` read, and sizes drawn from it; pure."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from kmirror.units import UnitProblem, quantity

_BYTES = {"": 1.0, "b": 1.0, "kb": 1e3, "kib": 1024.0, "mb": 1e6, "mib": 1048576.0}
_EXPECTED = (
    "a size such as 1000 or 16KiB, a range 100..2000, a mean and a deviation 1000~200, or sizes "
    "with weights 100:90,10KB:10"
)
SIZE_BYTES_MAX = 64 << 20
"""Brokers take 1 MiB unless they are told otherwise; this keeps a slip of the pen from memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """
    A distribution of sizes.

    Args:
        text: As it was written.
        largest: No record is larger, bytes.
        draw: Gives the next size, bytes.
    """

    text: str
    largest: int
    draw: Callable[[random.Random], int]


def parse_sizes(text: str) -> Sizes:
    """
    Read a distribution.

    Args:
        text: `1000`, `100..2000`, `1000~200`, or any of these with weights: `100:90,1KB..2KB:10`.

    Raises:
        UnitProblem: It is none.
    """
    parts = [part.rpartition(":") for part in text.split(",")]
    if len(parts) == 1 and not parts[0][1]:
        return _one(text.strip())
    if not all(colon for _, colon, _ in parts):
        raise UnitProblem(f"expected {_EXPECTED}")
    sizes = [_one(size.strip()) for size, _, _ in parts]
    bounds = list(accumulate(_weight(weight) for _, _, weight in parts))
    if not bounds[-1]:
        raise UnitProblem("expected a weight above 0 for at least one size")

    def draw(rng: random.Random) -> int:
        return sizes[bisect_right(bounds, rng.random() * bounds[-1])].draw(rng)

    return Sizes(text=text, largest=max(size.largest for size in sizes), draw=draw)


def _one(text: str) -> Sizes:
    low, dots, high = text.partition("..")
    if dots:
        first, last = _bytes(low), _bytes(high)
        if first > last:
            raise UnitProblem(f"expected the smaller size first, not {text}")
        return Sizes(text=text, largest=last, draw=lambda rng: rng.randint(first, last))
    middle, tilde, spread = text.partition("~")
    mean = _bytes(middle)
    if not tilde:
        return Sizes(text=text, largest=mean, draw=lambda _: mean)
    deviation = _bytes(spread)
    # What lies further out is one of many thousand, and is cut off.
    largest = min(mean + 6 * deviation, SIZE_BYTES_MAX)
    return Sizes(
        text=text,
        largest=largest,
        draw=lambda rng: min(max(0, round(rng.gauss(mean, deviation))), largest),
    )


def _bytes(text: str) -> int:
    found = round(quantity(text, _BYTES, _EXPECTED))
    if found > SIZE_BYTES_MAX:
        raise UnitProblem(f"expected at most {SIZE_BYTES_MAX} bytes")
    return found


def _weight(text: str) -> float:
    return quantity(text, {"": 1.0, "%": 1.0}, "a weight such as 90 or 90%")

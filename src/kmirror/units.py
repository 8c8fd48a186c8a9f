"""Quantities with units, as people write them; which units there are is for others to say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

DURATIONS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
"""Seconds of each unit of a duration."""

_QUANTITY = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z/%]*)")


class UnitProblem(ValueError):
    """A text that is not a quantity; the message says what is."""


def quantity(text: str, units: Mapping[str, float], expected: str) -> float:
    """
    Read a number and its unit.

    Args:
        text: What somebody wrote.
        units: What one of each unit is, by its name in lower case; `""` when none is needed.
        expected: What would be right, with an example.

    Raises:
        UnitProblem: It is none, or of another unit.
    """
    found = _QUANTITY.fullmatch(text.strip())
    if found is None or found[2].lower() not in units:
        names = ", ".join(unit for unit in units if unit)
        raise UnitProblem(f"expected {expected} (units: {names})")
    return float(found[1]) * units[found[2].lower()]


def size(count: float) -> str:
    """Give bytes for people."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def utc(at_ms: int) -> datetime | None:
    """Give a time, in milliseconds since the epoch; `None` beyond the years 1 to 9999."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        # Whoever writes a record says its time, and some say it in microseconds.
        return None


def moment(at_ms: int) -> str:
    """Give such a time for people; the number itself where it is beyond those years."""
    at = utc(at_ms)
    return str(at_ms) if at is None else at.strftime("%Y-%m-%d %H:%M:%S UTC")

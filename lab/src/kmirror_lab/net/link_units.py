"""Rates, durations and shares as people write them, and back."""

from __future__ import annotations

from collections.abc import Mapping

from kmirror.units import UnitProblem, quantity

_BITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_WORDS_FOR_NOTHING = {"0", "none"}


def rate_bit_s(text: str) -> int:
    """
    Read a rate, such as `1mbit`; 0 stands for no limit, and is written `none`.

    Raises:
        ValueError: It is none; the message says what would be one.
    """
    if text.lower() in _WORDS_FOR_NOTHING:
        return 0
    return round(_number(text, _BITS, "a rate like 1mbit, 500kbit or none"))


def bytes_s(text: str) -> int:
    """
    Read bytes a second, such as `1MB` or `60kB`, which are 1,000,000 and 60,000.

    Raises:
        ValueError: It is none, or nothing at all.
    """
    found = round(_number(text, _BYTES, "bytes a second like 60kB or 1MB"))
    if found < 1:
        raise ValueError(f"{text}: at least one byte a second is needed")
    return found


def size_bytes(text: str) -> int:
    """
    Read a size, such as `32kB`, which is 32,000 bytes; 0 stands for what is usual.

    Raises:
        ValueError: It is none.
    """
    if text.lower() in _WORDS_FOR_NOTHING:
        return 0
    return round(_number(text, _BYTES, "a size like 4kB, 1MB or 0"))


def duration_s(text: str) -> float:
    """
    Read a duration, such as `100ms`.

    Raises:
        ValueError: It is none.
    """
    if text.lower() in _WORDS_FOR_NOTHING:
        return 0.0
    return _number(text, _SECONDS, "a duration like 100ms, 1.5s or 0")


def share(text: str) -> float:
    """
    Read a share of all packets, such as `5%`, as a number from 0 to 1.

    Raises:
        ValueError: It is none, or more than all.
    """
    if text.lower() in _WORDS_FOR_NOTHING:
        return 0.0
    found = _number(text, {"%": 0.01}, "a share like 5% or 0.5%")
    if found > 1:
        raise ValueError(f"{text}: more than 100 %")
    return found


def show_rate(bit_s: float) -> str:
    """Write a rate in the unit that suits it; no limit is `none`."""
    for unit, size in reversed(_BITS.items()):
        if bit_s >= size:
            return f"{bit_s / size:.4g}{unit}"
    return "none" if bit_s == 0 else f"{bit_s:.4g}bit"


def show_size(size: float) -> str:
    """Write a size in the unit that suits it."""
    for unit, of in (("MB", 10**6), ("kB", 10**3)):
        if size >= of:
            return f"{size / of:.4g}{unit}"
    return f"{size:.4g}B"


def show_duration(seconds: float) -> str:
    """Write a duration in milliseconds."""
    return f"{seconds * 1000:.4g}ms"


def show_share(part: float) -> str:
    """Write a share in per cent."""
    return f"{part * 100:.4g}%"


def _number(text: str, units: Mapping[str, float], expected: str) -> float:
    try:
        return quantity(text, units, expected)
    except UnitProblem as problem:
        raise ValueError(f"{text}: {problem}") from None

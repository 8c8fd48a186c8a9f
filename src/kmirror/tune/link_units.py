"""Times, rates and sizes as people write and read them."""

from __future__ import annotations

from kmirror.units import UnitProblem, quantity

_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
_BYTES_S = {"kbit": 125.0, "mbit": 125e3, "gbit": 125e6, "kb/s": 1e3, "mb/s": 1e6, "gb/s": 1e9}
_BYTES = {"": 1, "b": 1, "kb": 1000, "mb": 10**6, "kib": 1 << 10, "mib": 1 << 20}
_RTT_MS_MAX = 60_000.0
BYTES_S_MIN, _BYTES_S_MAX = 1000.0, 125e9
_BYTES_MAX = 64 << 20


def parse_rtt_ms(text: str) -> float:
    """
    Read a round-trip time, such as `100ms` or `0.1s`.

    Raises:
        UnitProblem: It is none.
    """
    found = quantity(text, _MS, "a time such as 100ms")
    if not 0 < found <= _RTT_MS_MAX:
        raise UnitProblem("expected a time above 0 and of at most 60s")
    return found


def parse_rate(text: str) -> float:
    """
    Read a rate, such as `10mbit`, `1gbit` or `5MB/s`; gives bytes per second.

    Raises:
        UnitProblem: It is none.
    """
    found = quantity(
        text.removesuffix("/s") if "bit" in text else text, _BYTES_S, "a rate as 10mbit"
    )
    if not BYTES_S_MIN <= found <= _BYTES_S_MAX:
        raise UnitProblem("expected a rate from 8kbit to 1000gbit")
    return found


def parse_size(text: str) -> int:
    """
    Read a size in bytes, such as `1000`, `16KiB` or `2MB`.

    Raises:
        UnitProblem: It is none.
    """
    found = int(quantity(text, _BYTES, "a size such as 1000 or 16KiB"))
    if not 1 <= found <= _BYTES_MAX:
        raise UnitProblem("expected a size from 1 byte to 64MiB")
    return found


def time_text(milliseconds: float) -> str:
    """Return a duration for people."""
    if milliseconds < 1000:
        return f"{milliseconds:.3g} ms"
    return (
        f"{milliseconds / 1000:,.3g} s" if milliseconds < 1e6 else f"{milliseconds / 1000:,.0f} s"
    )


def rate_text(bytes_per_s: float) -> str:
    """Return a rate for people, in bits as links are sold."""
    bits = bytes_per_s * 8
    for unit in ("bit/s", "kbit/s", "Mbit/s"):
        if bits < 999.5:
            return f"{bits:.3g} {unit}"
        bits /= 1000
    return f"{bits:,.3g} Gbit/s"


def size_text(count: float) -> str:
    """Format bytes for people."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:,.4g} GiB"

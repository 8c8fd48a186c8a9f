"""Numbers, times and verdicts as the pages show them; what is not known says so."""

from __future__ import annotations

from kmirror.units import moment, utc

UNKNOWN = "\N{EN DASH}"
"""What stands where a number is not known; its cell says why."""

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400
_TONES = {
    "IN_SYNC": "ok",
    "BEHIND": "warn",
    "BROKEN": "bad",
    "PAUSED": "rest",
    "STOPPED": "rest",
    "UNKNOWN": "none",
    "caught up": "ok",
    "mirroring": "ok",
    "initializing": "none",
    "waiting": "none",
    "paused": "rest",
    "quarantined": "warn",
    "parked": "bad",
    "stopped": "bad",
    "identical": "ok",
    "undecidable": "warn",
    "missing": "bad",
    "extra": "bad",
    "different": "bad",
    "all arrives": "ok",
    "trouble": "bad",
    "lost": "bad",
    "disorder": "bad",
    "overdue": "warn",
    "off": "rest",
    "mirrored": "ok",
    "partly mirrored": "warn",
    "not mirrored": "bad",
    "running": "none",
    "done": "ok",
    "incomplete": "warn",
    "refused": "warn",
    "failed": "bad",
    "OK": "ok",
    "WARN": "warn",
    "ERR": "bad",
    "STOP": "bad",
    "STALL": "bad",
    "REWIND": "warn",
    "ERROR": "bad",
    "WARNING": "warn",
    "INFO": "none",
    "DEBUG": "none",
}
_WORDS = {
    "IN_SYNC": "in sync",
    "BEHIND": "behind",
    "BROKEN": "broken",
    "PAUSED": "paused",
    "STOPPED": "stopped",
    "UNKNOWN": "not known yet",
}
_ARROWS = {"growing": "↗", "shrinking": "↘", "steady": "→"}


def count(value: float | None) -> str:
    """Give a number of things."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def megabytes(per_s: float | None) -> str:
    """Give a rate in MB/s: one unit down a column."""
    if per_s is None:
        return UNKNOWN
    value = per_s / 1e6
    return f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def share(value: float | None) -> str:
    """Give a share as a percentage; all of it only where nothing is missing."""
    if value is None:
        return UNKNOWN
    percent = value * 100
    return f"{percent:.0f} %" if value in {0.0, 1.0} else f"{min(percent, 99.9):.1f} %"


def duration(seconds: float | None) -> str:
    """Give a time that something takes, or is old, in the two largest units."""
    if seconds is None:
        return UNKNOWN
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S} min {whole % _MINUTE_S:02} s"
    if whole < _DAY_S:
        return f"{whole // _HOUR_S} h {whole % _HOUR_S // _MINUTE_S:02} min"
    return f"{whole // _DAY_S} d {whole % _DAY_S // _HOUR_S:02} h"


def latency(seconds: float | None) -> str:
    """Give a time that a record is under way."""
    if seconds is None:
        return UNKNOWN
    if seconds < 1:
        ms = seconds * 1000
        return f"{ms:.1f} ms" if ms < 10 and ms != int(ms) else f"{ms:.0f} ms"
    return f"{round(seconds, 2):g} s" if seconds < 10 else duration(seconds)


exact = moment
"""Gives a moment for people, as everywhere."""


def iso(at_ms: int) -> str:
    """Give a moment for programs; the number itself where it is beyond the years 1 to 9999."""
    at = utc(at_ms)
    return str(at_ms) if at is None else at.isoformat(timespec="milliseconds")


def tone(word: str) -> str:
    """Return how good a state, a verdict or a level is."""
    return _TONES.get(word, "none")


def verdict(word: str) -> str:
    """Give a verdict for people."""
    return _WORDS.get(word, word)


def arrow(trend: str) -> str:
    """Give where a lag goes as a sign; nothing when that is not known."""
    return _ARROWS.get(trend, "")

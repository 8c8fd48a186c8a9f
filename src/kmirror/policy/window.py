"""
Time windows in which a flow copies: `22:00-06:00`, `Mon-Fri 20:00-06:00, Sat-Sun 00:00-24:00`.

A range that ends at or before its beginning goes on past midnight, and belongs to the day on which
it begins. A time zone at the end, such as `Europe/Berlin`, is for all ranges; without one it is
UTC.
Where clocks are changed, a time that they show twice is the first of both, and one that they skip
is as long after the change as it would have been.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_EXAMPLE = "such as Mon-Fri 22:00-06:00 Europe/Berlin"
_TIMES = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")
_DAY_MINUTES = 24 * 60
_WHOLE_DAY = "00:00-24:00"
# A week, the day before and a change of clocks: what has not changed until then never does.
_DAYS_AHEAD = 9


class WindowProblem(ValueError):
    """A text that is no window; the message says what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """
    One range of a window.

    Args:
        days: On which it begins, Monday is 0.
        start, end: Minutes since midnight; an end that is not later is on the next day.
    """

    days: frozenset[int]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """
    When a flow copies.

    Args:
        text: As the file has it.
        ranges: It is open in each of these.
        zone: The name of the time zone.
    """

    text: str
    ranges: tuple[TimeRange, ...]
    zone: str

    def __str__(self) -> str:
        return self.text

    def is_open(self, at_ms: int) -> bool:
        """Return whether it is open at a time, milliseconds since the epoch."""
        return any(start <= at_ms < end for start, end in self._around(at_ms))

    def next_change_ms(self, at_ms: int) -> int | None:
        """Return when it opens or closes next, milliseconds since the epoch; `None` for never."""
        spans = sorted(self._around(at_ms))
        if not self.is_open(at_ms):
            return min((start for start, _ in spans if start > at_ms), default=None)
        until_ms = at_ms
        for start, end in spans:
            # Ranges that touch or overlap are one.
            if start <= until_ms:
                until_ms = max(until_ms, end)
        horizon_ms = at_ms + (_DAYS_AHEAD - 1) * _DAY_MINUTES * 60_000
        return until_ms if until_ms < horizon_ms else None

    def _around(self, at_ms: int) -> Iterator[tuple[int, int]]:
        """Yield beginnings and ends of ranges from the day before *at_ms* on."""
        zone = _zone(self.zone)
        today = datetime.fromtimestamp(at_ms / 1000, zone).date()
        for ahead in range(-2, _DAYS_AHEAD + 1):
            day = today + timedelta(days=ahead)
            for each in self.ranges:
                if day.weekday() in each.days:
                    late = each.end if each.end > each.start else each.end + _DAY_MINUTES
                    yield _instant_ms(day, each.start, zone), _instant_ms(day, late, zone)


def read_window(text: str) -> Window:
    """
    Read a window.

    Raises:
        WindowProblem: It is none.
    """
    parts = [part.split() for part in text.split(",")]
    zone = "UTC"
    if parts[-1] and not _TIMES.fullmatch(parts[-1][-1]):
        zone = parts[-1].pop()
    _check_zone(zone)
    return Window(text=text.strip(), ranges=tuple(map(_range, parts)), zone=zone)


def _range(words: list[str]) -> TimeRange:
    found = _TIMES.fullmatch(words[-1]) if words else None
    if found is None or len(words) > 2:
        raise WindowProblem(f"expected ranges of times, {_EXAMPLE}")
    from_hour, from_minute, to_hour, to_minute = map(int, found.groups())
    start, end = from_hour * 60 + from_minute, to_hour * 60 + to_minute
    if start >= _DAY_MINUTES or end > _DAY_MINUTES:
        raise WindowProblem("expected times from 00:00 to 24:00")
    if start == end:
        raise WindowProblem(f"expected a range that is not empty; the whole day is {_WHOLE_DAY}")
    return TimeRange(
        days=_days(words[0]) if len(words) == 2 else frozenset(range(7)), start=start, end=end
    )


def _days(text: str) -> frozenset[int]:
    first, dash, last = text.partition("-")
    names = [name.capitalize() for name in ((first, last) if dash else (first, first))]
    if any(name not in DAYS for name in names):
        raise WindowProblem(f"expected days as {', '.join(DAYS)} or Mon-Fri, not {text!r}")
    begin, end = map(DAYS.index, names)
    return frozenset((begin + ahead) % 7 for ahead in range((end - begin) % 7 + 1))


def _check_zone(name: str) -> None:
    try:
        _zone(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise WindowProblem(
            f"expected a time zone of this machine at the end, {_EXAMPLE}; not {name!r}"
        ) from error


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo:
    return UTC if name == "UTC" else ZoneInfo(name)


def _instant_ms(day: date, minutes: int, zone: tzinfo) -> int:
    """Return when clocks in *zone* show so many minutes after midnight of *day* first."""
    days, rest = divmod(minutes, _DAY_MINUTES)
    shown = datetime.combine(day + timedelta(days=days), datetime.min.time())
    shown = shown.replace(hour=rest // 60, minute=rest % 60, tzinfo=zone)
    return round(shown.timestamp() * 1000)

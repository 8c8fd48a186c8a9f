"""Time windows over a year, changes of clocks included."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kmirror.policy.window import DAYS, Window, WindowProblem, read_window

YEAR_MS = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
MINUTE_MS = 60_000
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")

times = st.integers(0, 24 * 60 - 1)
minutes_of_year = st.integers(0, 365 * 24 * 60 - 1).map(lambda at: YEAR_MS + at * MINUTE_MS)


def clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


@st.composite
def windows(draw: st.DrawFn) -> Window:
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(times)
        end = draw(times.filter(lambda at, start=start: at != start))
        days = draw(st.sampled_from(["", "Mon-Fri ", "Sat-Mon ", "Wed "]))
        parts.append(f"{days}{clock(start)}-{clock(end)}")
    return read_window(f"{', '.join(parts)} {draw(st.sampled_from(ZONES))}")


def shows(window: Window, at_ms: int) -> bool:
    """Tell whether it is open, by what clocks on the wall show: right on days without a change."""
    shown = datetime.fromtimestamp(at_ms / 1000, ZoneInfo(window.zone))
    minute = shown.hour * 60 + shown.minute
    today, yesterday = shown.weekday(), (shown - timedelta(days=1)).weekday()
    for each in window.ranges:
        if each.start < each.end:
            if today in each.days and each.start <= minute < each.end:
                return True
        elif (today in each.days and minute >= each.start) or (
            yesterday in each.days and minute < each.end
        ):
            return True
    return False


def clocks_change(window: Window, at_ms: int) -> bool:
    """Tell whether clocks are changed within two days."""
    zone, at = ZoneInfo(window.zone), datetime.fromtimestamp(at_ms / 1000, UTC)
    offsets = {(at + timedelta(days=d)).astimezone(zone).utcoffset() for d in (-2, 0, 2)}
    return len(offsets) > 1


@given(windows(), minutes_of_year)
def test_it_is_open_when_clocks_say_so(window: Window, at_ms: int) -> None:
    if not clocks_change(window, at_ms):
        assert window.is_open(at_ms) == shows(window, at_ms)


@given(windows(), minutes_of_year)
def test_nothing_changes_before_the_next_change(window: Window, at_ms: int) -> None:
    """And there it does; also in the nights in which clocks are changed."""
    change_ms = window.next_change_ms(at_ms)
    is_open = window.is_open(at_ms)
    if change_ms is None:
        change_ms = at_ms + 8 * 24 * 3600 * 1000
    else:
        assert window.is_open(change_ms) is not is_open
    assert change_ms > at_ms
    step_ms = max(MINUTE_MS, (change_ms - at_ms) // 50)
    for between_ms in (*range(at_ms, change_ms, step_ms), change_ms - 1):
        assert window.is_open(between_ms) is is_open


@pytest.mark.parametrize(
    ("text", "opens", "closes"),
    [
        # Clocks go from 02:00 to 03:00 on 29 March, and from 03:00 to 02:00 on 25 October.
        ("02:30-05:00 Europe/Berlin", "2026-03-29T01:30", "2026-03-29T03:00"),
        ("22:00-06:00 Europe/Berlin", "2026-03-28T21:00", "2026-03-29T04:00"),
        ("02:30-05:00 Europe/Berlin", "2026-10-25T00:30", "2026-10-25T04:00"),
        ("22:00-06:00 Europe/Berlin", "2026-10-24T20:00", "2026-10-25T05:00"),
        ("22:00-06:00", "2026-03-28T22:00", "2026-03-29T06:00"),
    ],
)
def test_when_clocks_are_changed(text: str, opens: str, closes: str) -> None:
    """The times are UTC."""
    open_ms, close_ms = (
        int(datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp() * 1000)
        for at in (opens, closes)
    )
    window = read_window(text)
    assert not window.is_open(open_ms - 1)
    assert window.next_change_ms(open_ms - 1) == open_ms
    assert window.next_change_ms(open_ms) == close_ms


def test_days() -> None:
    """Of a range over midnight, the day of its beginning; always open never changes."""
    window = read_window("Fri 20:00-06:00, sat-sun 12:00-24:00")
    friday = int(datetime(2026, 5, 8, 21, tzinfo=UTC).timestamp() * 1000)
    hour_ms = 3600_000
    assert DAYS[4] == "Fri"
    assert [window.is_open(friday + hours * hour_ms) for hours in (0, 8, 9, 15, 27, 50)] == [
        *(True, True, False, True, False, True)
    ]
    assert read_window("00:00-24:00").next_change_ms(friday) is None
    assert read_window("00:00-12:00, 12:00-24:00").next_change_ms(friday) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ranges of times"),
        ("22:00", "ranges of times|time zone"),
        ("22:00-25:00", "time zone|00:00 to 24:00"),
        ("24:00-06:00", "00:00 to 24:00"),
        ("06:00-06:00", "whole day is 00:00-24:00"),
        ("Mo-Fr 22:00-06:00", "expected days"),
        ("22:00-06:00 Europe/Berlino", "time zone of this machine"),
        ("22:00-06:00 ../../etc/passwd", "time zone of this machine"),
        ("Mon 22:00-06:00 x, 06:00-07:00", "ranges of times"),
    ],
)
def test_what_is_no_window(text: str, words: str) -> None:
    """The message says what would be one."""
    with pytest.raises(WindowProblem, match=words):
        read_window(text)

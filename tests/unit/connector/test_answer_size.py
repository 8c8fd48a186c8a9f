"""How much one answer of the source may hold, so that it arrives in time on any link."""

from __future__ import annotations

from pathlib import Path

from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("AnswerSizes.java")
_MAX_BYTES = 16 * 1024 * 1024
_REQUEST_TIMEOUT_MS = 40_000  # an answer may take a quarter of it, 10 s
_FIRST_BYTES = 256 * 1024
_FULL = f"{_FIRST_BYTES} 1000"  # 262 kB/s
_MEASURED = 10 * _FIRST_BYTES


def asked(*answers: str) -> list[int]:
    """Give what is asked for after each of *answers*, bytes and ms."""
    size = (str(_MAX_BYTES), str(_REQUEST_TIMEOUT_MS))
    printed = run_java(_PROGRAM, *size, jars=connector_path(), lines="\n".join(answers))
    return [int(each) for each in printed.split()]


def test_as_much_as_comes_in_a_quarter_of_the_timeout() -> None:
    """By the last full answer; never more than `fetch.max.bytes`."""
    assert asked(_FULL, f"{_MEASURED} 20000", f"{_MEASURED // 4} 1") == [
        _MEASURED,
        _MEASURED // 2,
        _MAX_BYTES,
    ]


def test_the_end_of_the_log_is_no_slow_link() -> None:
    """What comes one by one had to be waited for."""
    assert asked(_FULL, "80 500", "16000 500") == [_MEASURED] * 3


def test_a_link_that_has_become_slow_is_noticed_at_once() -> None:
    """Before an answer as large as on the fast one needs longer than the time-out."""
    fast, slow, small_and_fast = asked("262144 10", "2000000 8000", "100000 1")
    assert fast == _MAX_BYTES
    assert slow == small_and_fast == 2_500_000


def test_what_did_not_come_is_asked_for_in_small_pieces() -> None:
    """A few times smaller each time, down to 16 KiB."""
    assert asked("262144 10", "failed", "failed", "failed", "failed") == [
        _MAX_BYTES, 65_536, 16_384, 16_384, 16_384,
    ]  # fmt: skip


def test_connections_share_size_and_time() -> None:
    """Side by side they hold what one answer did; all that fill the link have half the time-out."""
    quarter = _MEASURED // 4
    answers = (f"{quarter} 10000", f"{quarter} 1", "share 1", f"{_MAX_BYTES} 1")
    assert asked(_FULL, "share 4", *answers) == [
        _MEASURED, quarter, quarter // 2, _MAX_BYTES // 4, _MAX_BYTES // 4, _MAX_BYTES,
    ]  # fmt: skip

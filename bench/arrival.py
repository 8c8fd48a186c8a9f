"""When records were written at one end and read at the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_SECOND_NS = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """
    One record's way, in nanoseconds since the epoch.

    Args:
        written_ns: The producer wrote it; or the source answered, where that is looked at.
        seen_ns: The consumer got it.
    """

    written_ns: int
    seen_ns: int


def ages_ms(arrivals: Sequence[Arrival], *, warm_up_s: float, seconds: float) -> list[float]:
    """
    Give the age at arrival of the records that were written in the measured time.

    Args:
        arrivals: All records of a load, one at least.
        warm_up_s: How long after the first of them measuring begins.
        seconds: How long it lasts.
    """
    begin_ns = min(each.written_ns for each in arrivals) + int(warm_up_s * _SECOND_NS)
    return written_within_ms(arrivals, begin_ns, seconds)


def written_within_ms(arrivals: Sequence[Arrival], begin_ns: int, seconds: float) -> list[float]:
    """
    Give the age at arrival of the records that were written within a time.

    Args:
        arrivals: All records of a load.
        begin_ns: When it begins, nanoseconds since the epoch.
        seconds: How long it lasts.
    """
    end_ns = begin_ns + int(seconds * _SECOND_NS)
    return [
        (each.seen_ns - each.written_ns) / 1e6
        for each in arrivals
        if begin_ns <= each.written_ns < end_ns
    ]


def lag_series(arrivals: Sequence[Arrival], *, warm_up_s: float, seconds: int) -> tuple[int, ...]:
    """
    Count at the end of each measured second what was written and not seen.

    Args:
        arrivals: All records of a load, one at least.
        warm_up_s: How long after the first of them measuring begins.
        seconds: How long it lasts.
    """
    written = sorted(each.written_ns for each in arrivals)
    seen = sorted(each.seen_ns for each in arrivals)
    begin_ns = written[0] + int(warm_up_s * _SECOND_NS)
    moments = [begin_ns + second * _SECOND_NS for second in range(1, seconds + 1)]
    return tuple(bisect_right(written, at) - bisect_right(seen, at) for at in moments)

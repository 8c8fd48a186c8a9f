"""
What a lag means: Burrow's verdicts with their known faults repaired, the trend, and a flow's SLO.

The rules are those of linkedin/Burrow, `core/internal/evaluator/caching.go`. What differs, and why:

- A lag is that of the moment, never that of the last commit: it does not freeze (Burrow 58, 287).
- STOP comes after a few usual intervals without a commit, not after as long as the window is, and
  STALL and WARN look at what came since the lag began, not at all of the window (303).
- A lag that stays as it is, or is small, is no WARN: records are always on their way (223).
- One commit after an idle night is not too late: the time counts from when the lag began (290).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from itertools import pairwise
from typing import NamedTuple


class LagVerdict(IntEnum):
    """What a lag means; the numbers are Burrow's."""

    OK = 1
    WARN = 2
    ERR = 3
    STOP = 4
    STALL = 5
    REWIND = 6


class Trend(Enum):
    """Where a lag goes."""

    UNKNOWN = "unknown"
    GROWING = "growing"
    STEADY = "steady"
    SHRINKING = "shrinking"


class Look(NamedTuple):
    """
    How far somebody was who had just committed.

    Args:
        at_ms: When, milliseconds since the epoch.
        position: The next offset to read or copy.
        lag: Offsets between it and the end at that time; `None` where it is not known.
    """

    at_ms: int
    position: int
    lag: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LagLimits:
    """
    What is no trouble yet.

    Args:
        allowed_records: A lag of so many offsets is none.
        small_s: A lag of so many seconds may grow: that much is on its way.
        stop_ms: Who has lag and does not commit for longer has stopped, or stalled.
        stop_intervals: And for longer than so many of the longest of the usual intervals; 0 for
            those who commit whenever they have something.
        slo_s: A lag that grows beyond so many seconds is an error.
    """

    allowed_records: int = 0
    small_s: float = 5.0
    stop_ms: int = 8_000
    stop_intervals: int = 3
    slo_s: float = 30.0


def judge(
    looks: Sequence[Look],
    *,
    now_ms: int,
    lag: int,
    since_ms: int,
    lag_s: float | None,
    limits: LagLimits,
) -> LagVerdict:
    """
    Say what the lag of one partition means.

    Args:
        looks: The window: what was seen at commits, oldest first.
        now_ms: The time, milliseconds since the epoch.
        lag: The lag now.
        since_ms: Since when there has been a lag without a break.
        lag_s: The lag in time, seconds; `None` when it is not known.
        limits: What is no trouble yet.
    """
    if not looks or lag <= limits.allowed_records:
        return LagVerdict.OK
    if now_ms - max(looks[-1].at_ms, since_ms) > _patience_ms(looks, limits):
        return LagVerdict.STOP
    if _is_rewound([look.position for look in looks]):
        return LagVerdict.REWIND
    recent = [
        look
        for look in looks
        if look.at_ms >= since_ms and (look.lag is None or look.lag > limits.allowed_records)
    ]
    if len(recent) >= 2:
        stands = len({look.position for look in recent}) == 1
        if stands and now_ms - recent[0].at_ms > limits.stop_ms:
            return LagVerdict.STALL
        if _only_grows(recent) and (lag_s is None or lag_s > limits.small_s):
            too_long = lag_s is not None and lag_s > limits.slo_s
            return LagVerdict.ERR if too_long else LagVerdict.WARN
    return LagVerdict.OK


def _patience_ms(looks: Sequence[Look], limits: LagLimits) -> int:
    longest_ms = max((after.at_ms - before.at_ms for before, after in pairwise(looks)), default=0)
    return max(limits.stop_ms, limits.stop_intervals * longest_ms)


def _is_rewound(positions: Sequence[int]) -> bool:
    """Whether somebody went back, and has not come to where they were."""
    return positions[-1] < max(positions)


def _only_grows(looks: Sequence[Look]) -> bool:
    lags = [look.lag for look in looks if look.lag is not None]
    if len(lags) < 2 or lags[-1] <= lags[0]:
        return False
    return all(before <= after for before, after in pairwise(lags))


def summed(verdicts: Iterable[LagVerdict]) -> LagVerdict:
    """Give the verdict of many together, as Burrow does: what stands still is an error."""
    worst = max(verdicts, default=LagVerdict.OK)
    return min(worst, LagVerdict.ERR)


def trend(looks: Sequence[Look]) -> Trend:
    """Say where a lag goes; a tenth more or less is as much as before."""
    lags = [look.lag for look in looks if look.lag is not None]
    if len(lags) < 3:
        return Trend.UNKNOWN
    first, last = lags[0], lags[-1]
    if abs(last - first) <= max(first, last) / 10:
        return Trend.STEADY
    return Trend.GROWING if last > first else Trend.SHRINKING


def eta_s(looks: Sequence[Look]) -> float | None:
    """Return in how many seconds a lag is gone if it shrinks as it did; `None` if it does not."""
    known = [(look.at_ms, look.lag) for look in looks if look.lag is not None]
    if len(known) < 2:
        return None
    (first_ms, first), (last_ms, last) = known[0], known[-1]
    if last >= first or last_ms <= first_ms:
        return None
    return last * (last_ms - first_ms) / 1000 / (first - last)


class SloVerdict(Enum):
    """How a flow stands against what its operator wants of it."""

    IN_SYNC = "IN_SYNC"
    BEHIND = "BEHIND"
    BROKEN = "BROKEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """
    What the operator of a flow wants of it.

    Args:
        lag_s: Its lag in time is at most this, seconds.
        rpo_s: What would be lost with the source is at most as old as this, seconds.
    """

    lag_s: float = 30.0
    rpo_s: float = 300.0


DEFAULT_SLO = Slo()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowJudgement:
    """
    How a flow stands.

    Args:
        verdict: For programs.
        words: Why, for people.
    """

    verdict: SloVerdict
    words: str


def judge_flow(
    slo: Slo,
    *,
    trouble: str,
    parked: int,
    silent: int,
    lag: LagVerdict,
    lag_s: float | None,
    rpo_s: float | None,
) -> FlowJudgement:
    """
    Hold a flow against its SLO.

    Args:
        slo: What is wanted.
        trouble: Why nothing can move; empty when the flow copies.
        parked: How many partitions stand still until somebody decides.
        silent: Of how many partitions the source does not tell the end.
        lag: The verdict of its partitions together.
        lag_s: Its lag in time, without what is parked or paused; `None` when it is not known.
        rpo_s: How old the oldest record is that only the source has; `None` when not known.
    """
    broken = trouble
    if not broken and parked:
        broken = f"{parked} partitions are parked"
    if not broken and rpo_s is not None and rpo_s > slo.rpo_s:
        broken = f"{rpo_s:,.0f} s would be lost with the source, and {slo.rpo_s:g} s may be"
    if broken:
        return FlowJudgement(verdict=SloVerdict.BROKEN, words=broken)
    behind = ""
    if lag_s is None:
        behind = "the lag is not known yet"
    elif silent:
        behind = f"leaders of {silent} partitions on the source do not answer"
    elif lag_s > slo.lag_s:
        behind = f"{lag_s:,.0f} s behind, and {slo.lag_s:g} s are wanted"
    elif lag >= LagVerdict.ERR:
        behind = "some partitions do not move"
    if behind:
        return FlowJudgement(verdict=SloVerdict.BEHIND, words=behind)
    words = f"at most {lag_s:,.0f} s behind, and {slo.lag_s:g} s may be"
    return FlowJudgement(verdict=SloVerdict.IN_SYNC, words=words)

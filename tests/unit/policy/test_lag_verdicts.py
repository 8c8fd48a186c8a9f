"""What a lag means: Burrow's own cases, and those that Burrow gets wrong."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kmirror.policy.lag_verdicts import (
    LagLimits,
    LagVerdict,
    Look,
    Slo,
    SloVerdict,
    Trend,
    eta_s,
    judge,
    judge_flow,
    summed,
    trend,
)

OK, WARN, ERR = LagVerdict.OK, LagVerdict.WARN, LagVerdict.ERR
STOP, STALL, REWIND = LagVerdict.STOP, LagVerdict.STALL, LagVerdict.REWIND


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A row.

    Args:
        name: What it is about.
        commits: Time in seconds, position, lag.
        lag, now_s: At the moment.
        since_s: Since when there has been a lag; by default since the first commit that has one.
        lag_s: In time; not known for Burrow.
        ours: The verdict.
        burrow: Burrow's, where it differs.
    """

    name: str
    commits: list[tuple[float, int, int | None]]
    lag: int
    now_s: float
    ours: LagVerdict
    burrow: LagVerdict | None = None
    since_s: float | None = None
    lag_s: float | None = None
    allowed: int = 0

    @property
    def began_s(self) -> float:
        lagging = [at_s for at_s, _, lag in self.commits if lag is None or lag > self.allowed]
        return self.since_s if self.since_s is not None else min(lagging, default=self.now_s)


def commits(
    *lags: int | None, step: int = 1000, first: int = 1000
) -> list[tuple[float, int, int | None]]:
    """Give commits every 100 s, each of them *step* offsets further."""
    return [(100.0 * (n + 1), first + step * n, lag) for n, lag in enumerate(lags)]


GROWS = commits(50, 100, 150, 200, 250)
FROM_ZERO = commits(0, 50, 100, 150, 200)
NIGHT_S = 1512224618.356
EACH_SECOND: list[tuple[float, int, int | None]] = [
    (NIGHT_S + n, 792748079 + n, 0) for n in range(15)
]
WITH_GAPS: list[tuple[float, int, int | None]] = [
    row
    for n, (at_s, at, lag) in enumerate(FROM_ZERO)
    for row in [(at_s, at, lag), (at_s + 50, at + 500, None)]
]

# The numbers are those of Burrow's caching_test.go.
BURROWS = [
    Case(name="0", commits=FROM_ZERO, lag=200, now_s=600, ours=WARN, burrow=OK, lag_s=20),
    Case(name="1", commits=FROM_ZERO, lag=200, now_s=900, ours=STOP, burrow=OK),
    Case(name="2", commits=FROM_ZERO, lag=200, now_s=1000, ours=STOP),
    Case(name="3", commits=GROWS, lag=250, now_s=1000, ours=STOP),
    Case(
        name="4",
        commits=commits(0, 50, 100, 150, 200, step=0),
        lag=200,
        now_s=600,
        ours=STALL,
        burrow=OK,
    ),
    Case(
        name="5", commits=commits(100, 150, 200, 250, 300, step=0), lag=300, now_s=600, ours=STALL
    ),
    Case(name="6", commits=commits(*[100] * 5, step=0), lag=100, now_s=600, ours=STALL),
    Case(
        name="7",
        commits=[
            (100, 1000, 100),
            (200, 2000, 150),
            (300, 3000, 200),
            (400, 2000, 1250),
            (500, 4000, 300),
        ],
        lag=300,
        now_s=600,
        ours=OK,
    ),
    Case(name="8", commits=GROWS, lag=0, now_s=1000, ours=OK),
    Case(name="9", commits=EACH_SECOND, lag=931, now_s=1512224650, since_s=NIGHT_S + 15, ours=STOP),
    Case(name="10", commits=EACH_SECOND, lag=1, now_s=1512224650, since_s=1512224650, ours=OK),
    Case(name="11", commits=WITH_GAPS, lag=200, now_s=600, ours=WARN, burrow=OK, lag_s=20),
    Case(
        name="12",
        commits=[(100, 1000, 2), (200, 2000, 1), (300, 2000, 1)],
        lag=1,
        now_s=550,
        allowed=1,
        ours=OK,
    ),
    Case(
        name="13",
        commits=commits(100, 150, 200, 250, 300, step=0),
        lag=300,
        now_s=600,
        allowed=99,
        ours=STALL,
    ),
    Case(
        name="14",
        commits=[
            (100, 1000, 100),
            (200, 2000, 150),
            (300, 3000, 200),
            (400, 2000, 1250),
            (500, 4000, 300),
        ],
        lag=300,
        now_s=600,
        allowed=99,
        ours=OK,
    ),
    Case(
        name="15",
        commits=[
            (100, 1000, 100),
            (200, 2000, 150),
            (300, 3000, 200),
            (400, 2000, 1250),
            (500, 2500, 300),
        ],
        lag=300,
        now_s=600,
        ours=REWIND,
    ),
]
OURS = [
    Case(name="nothing committed yet", commits=[], lag=10, now_s=1, ours=OK),
    Case(name="one commit is no stop", commits=[(1, 5, 10)], lag=10, now_s=5, ours=OK, burrow=STOP),
    Case(name="one commit long ago is", commits=[(1, 5, 10)], lag=10, now_s=10, ours=STOP),
    Case(
        name="a lag that is always one record is on its way",
        commits=commits(1, 1, 1, 1),
        lag=1,
        now_s=401,
        lag_s=0.1,
        ours=OK,
        burrow=WARN,
    ),
    Case(
        name="a lag that stays as it is does not grow",
        commits=commits(5000, 5000, 5000),
        lag=5000,
        now_s=301,
        lag_s=20,
        ours=OK,
        burrow=WARN,
    ),
    Case(
        name="small and growing", commits=GROWS, lag=250, now_s=501, lag_s=2, ours=OK, burrow=WARN
    ),
    Case(name="growing", commits=GROWS, lag=250, now_s=501, lag_s=20, ours=WARN),
    Case(
        name="growing beyond what is wanted", commits=GROWS, lag=250, now_s=501, lag_s=31, ours=ERR
    ),
    Case(
        name="it goes on after a stop",
        commits=[(100, 1, 10), (101, 2, 10), (190, 3, 9)],
        lag=9,
        now_s=191,
        ours=OK,
    ),
    Case(
        name="back to the beginning, with no lag before",
        commits=[(1, 100, 0), (2, 100, 0), (3, 0, 100), (4, 10, 90)],
        lag=90,
        now_s=5,
        ours=REWIND,
    ),
]


@pytest.mark.parametrize("case", [*BURROWS, *OURS], ids=lambda case: case.name)
def test_a_case(case: Case) -> None:
    looks = [Look(round(at_s * 1000), position, lag) for at_s, position, lag in case.commits]
    found = judge(
        looks,
        now_ms=round(case.now_s * 1000),
        lag=case.lag,
        since_ms=round(case.began_s * 1000),
        lag_s=case.lag_s,
        limits=LagLimits(allowed_records=case.allowed),
    )
    assert found is case.ours
    assert case.burrow is not case.ours, "a row says what Burrow does where that is something else"


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ((), OK),
        ((OK, OK), OK),
        ((OK, WARN), WARN),
        ((OK, STOP), ERR),
        ((WARN, REWIND), ERR),
        ((STALL,), ERR),
    ],
)
def test_many_together(verdicts: tuple[LagVerdict, ...], together: LagVerdict) -> None:
    """As Burrow: what stands still is an error of the whole."""
    assert summed(verdicts) is together


@pytest.mark.parametrize(
    ("lags", "where"),
    [
        ((), Trend.UNKNOWN),
        ((5, 500), Trend.UNKNOWN),
        ((100, 150, 200), Trend.GROWING),
        ((200, 150, 100), Trend.SHRINKING),
        ((100, 300, 105), Trend.STEADY),
    ],
)
def test_the_trend(lags: tuple[int, ...], where: Trend) -> None:
    assert trend([Look(n, 0, lag) for n, lag in enumerate(lags)]) is where


def test_when_a_lag_will_be_gone() -> None:
    """As it went on so far; never when it does not shrink."""
    assert eta_s([Look(0, 0, 300), Look(10_000, 200, 100)]) == 5
    assert eta_s([Look(0, 0, 300), Look(10_000, 0, 300)]) is None
    assert eta_s([Look(0, 0, 300)]) is None


SLO = Slo(lag_s=30, rpo_s=300)
WELL = {"trouble": "", "parked": 0, "silent": 0, "lag": OK, "lag_s": 1.0, "rpo_s": 1.0}


@pytest.mark.parametrize(
    ("changed", "verdict", "words"),
    [
        ({}, SloVerdict.IN_SYNC, "at most 1 s behind, and 30 s may be"),
        (
            {"silent": 2},
            SloVerdict.BEHIND,
            "leaders of 2 partitions on the source do not answer",
        ),
        ({"lag": WARN}, SloVerdict.IN_SYNC, "at most 1 s behind, and 30 s may be"),
        ({"lag": ERR}, SloVerdict.BEHIND, "some partitions do not move"),
        ({"lag_s": 31.0}, SloVerdict.BEHIND, "31 s behind, and 30 s are wanted"),
        ({"lag_s": None}, SloVerdict.BEHIND, "the lag is not known yet"),
        (
            {"rpo_s": 301.0},
            SloVerdict.BROKEN,
            "301 s would be lost with the source, and 300 s may be",
        ),
        ({"parked": 2}, SloVerdict.BROKEN, "2 partitions are parked"),
        ({"trouble": "cluster B is away"}, SloVerdict.BROKEN, "cluster B is away"),
    ],
)
def test_a_flow_against_its_slo(
    changed: dict[str, object], verdict: SloVerdict, words: str
) -> None:
    found = judge_flow(SLO, **(WELL | changed))  # type: ignore[arg-type]
    assert (found.verdict, found.words) == (verdict, words)

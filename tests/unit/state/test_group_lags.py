"""How far behind consumer groups are."""

from __future__ import annotations

import pytest

from kmirror.model import TopicPartition
from kmirror.policy.lag_verdicts import LagVerdict, Trend
from kmirror.state.group_lags import GroupLags

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


class Watched:
    """Two groups of a source that gets a record a second in each partition."""

    def __init__(self) -> None:
        self.lags = GroupLags()
        self.now_s = 0

    def look(self, **positions: dict[TopicPartition, int]) -> None:
        """Let a second pass; the groups are there."""
        self.now_s += 1
        now_ms = 1_000_000 + 1000 * self.now_s
        self.lags.follow(positions)
        self.lags.look(now_ms, now_ms, {T0: self.now_s, T1: self.now_s})


def test_a_group_that_keeps_up_and_one_that_has_stopped() -> None:
    """The first commits every 5 s; the other has not for two minutes."""
    watched = Watched()
    for second in range(1, 121):
        at = second - second % 5
        watched.look(quick={T0: at, T1: at}, dead={T0: 1})
    quick, dead = watched.lags.groups["quick"], watched.lags.groups["dead"]
    assert (quick.verdict, dead.verdict) == (LagVerdict.OK, LagVerdict.ERR)
    assert quick.seconds <= 6
    assert dead.records == 119
    assert dead.seconds == pytest.approx(119, abs=2)
    assert dead.trend is Trend.GROWING


def test_who_commits_once_a_minute_has_not_stopped() -> None:
    """It is known by its habits."""
    watched = Watched()
    for second in range(1, 600):
        watched.look(slow={T0: second - second % 50})
        assert watched.lags.groups["slow"].verdict is not LagVerdict.ERR


def test_where_the_lag_of_a_group_goes() -> None:
    """As that of a flow: all its partitions together, in the last minute."""
    watched = Watched()
    for second in range(1, 7):
        watched.look(group={T0: 0, T1: second})
    assert watched.lags.groups["group"].trend is Trend.UNKNOWN
    for second in range(7, 200):
        watched.look(group={T0: 0, T1: second})
    assert watched.lags.groups["group"].trend is Trend.GROWING
    for behind in range(190, 0, -5):
        watched.look(group={T0: watched.now_s - behind, T1: watched.now_s})
    assert watched.lags.groups["group"].trend is Trend.SHRINKING
    for _ in range(100):
        watched.look(group={T0: watched.now_s - 40, T1: watched.now_s})
    assert watched.lags.groups["group"].trend is Trend.STEADY


def test_partitions_that_are_not_mirrored_do_not_count() -> None:
    watched = Watched()
    watched.look(elsewhere={TopicPartition("other", 0): 0})
    assert watched.lags.groups == {}


def test_of_very_many_groups_only_some_are_judged() -> None:
    """What a look costs is bounded."""
    watched = Watched()
    watched.look(**{f"group-{number}": {T0: 0, T1: 0} for number in range(1_001)})
    assert len(watched.lags.groups) == 1_000

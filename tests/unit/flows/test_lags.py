"""How a flow's lags add up, and what its board says of them."""

from __future__ import annotations

import pytest

from kmirror.model import Flow, TopicPartition
from kmirror.pipeline.desk import LaneReport, PartitionReport
from kmirror.policy.lag_verdicts import LagVerdict, Slo, SloVerdict
from kmirror.state.progress import Progress
from kmirror.state.status import FlowState, FlowStatus, ParkedPartition

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)
SLO = Slo(lag_s=30, rpo_s=300)


class Watched:
    """A flow with three partitions that is looked at once a second."""

    def __init__(self) -> None:
        self.progress = Progress()
        self.progress.begin({T0: 0, T1: 0, U0: 0})
        self.now_ms = 1_000_000

    def look(self, *, ends: dict[TopicPartition, int], copied: dict[TopicPartition, int]) -> None:
        """Let a second pass; a lane has copied up to these offsets."""
        self.now_ms += 1000
        entries = tuple(
            PartitionReport(source=tp, target="x", position=at, next_target=0, records=0, bytes=0)
            for tp, at in copied.items()
        )
        self.progress.add(
            LaneReport(
                flow="A->B",
                slot=0,
                generation=1,
                last_commit_ms=self.now_ms if copied else 0,
                last_failure=None,
                partitions=entries,
            )
        )
        self.progress.set_ends(ends, seen_ms=self.now_ms)
        self.progress.look(self.now_ms, SLO)


def test_the_worst_partition_counts() -> None:
    """For its topic and for the flow; another topic has nothing to do with it."""
    watched = Watched()
    watched.look(ends={T0: 0, T1: 0, U0: 0}, copied={})
    for second in range(1, 21):
        watched.look(ends={T0: second, T1: second, U0: second}, copied={T0: second, U0: second})
    lags = watched.progress.lags
    assert lags.flow.seconds == pytest.approx(20, abs=1)
    assert lags.topics["t"].seconds == lags.flow.seconds == lags.rpo_s
    assert (lags.topics["t"].verdict, lags.topics["u"].verdict) == (LagVerdict.ERR, LagVerdict.OK)
    found = lags.of(T1)
    assert found is not None
    assert found.verdict is LagVerdict.STALL


def test_what_is_parked_is_no_lag_and_can_be_lost() -> None:
    watched = Watched()
    watched.look(ends={T0: 0, T1: 0, U0: 0}, copied={})
    watched.progress.park(ParkedPartition(partition=T0, kind="data_gap", reason="a gap"))
    for _ in range(10):
        watched.look(ends={T0: 5, T1: 0, U0: 0}, copied={})
    lags = watched.progress.lags
    assert lags.flow.seconds == 0
    assert lags.rpo_s == pytest.approx(10, abs=1)
    assert lags.topics["t"].verdict is LagVerdict.ERR


def test_ends_that_are_not_known_are_no_lag_of_zero() -> None:
    watched = Watched()
    watched.look(ends={T0: 0}, copied={})
    assert watched.progress.lags.flow.seconds is None
    assert watched.progress.lags.rpo_s is None


def status(state: FlowState = FlowState.RUNNING, **more: object) -> FlowStatus:
    fields = {"words": "cluster B is away", "looked_ms": 1000, "rpo_s": 0.0}
    return FlowStatus(flow=Flow("A", "B"), state=state, **(fields | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "state", [state for state in FlowState if state not in {FlowState.RUNNING, FlowState.COMPLETE}]
)
def test_what_does_not_run_is_broken(state: FlowState) -> None:
    """Whatever was known before, and with the flow's own words."""
    judgement = status(state).judgement(1000)
    assert judgement.verdict is SloVerdict.BROKEN
    assert judgement.words == "cluster B is away"


def test_a_lag_grows_while_nobody_looks() -> None:
    """The query starts again, or its cluster is away."""
    watched = Watched()
    watched.look(ends={T0: 0, T1: 0, U0: 0}, copied={})
    watched.look(ends={T0: 1, T1: 0, U0: 0}, copied={})
    found = status(lag=watched.progress.lags.flow)
    assert found.lag_s(61_000) == pytest.approx(60, abs=1.1)
    assert found.rpo_s_max(61_000) == pytest.approx(60, abs=1.1)
    assert status().lag_s(61_000) is None

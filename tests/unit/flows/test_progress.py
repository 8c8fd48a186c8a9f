"""How lanes' reports add up."""

from __future__ import annotations

from dataclasses import replace

from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.desk import LaneReport, LeftOut, PartitionReport
from kmirror.plans.parking import ParkCause, ParkCode
from kmirror.policy.poison import Poison
from kmirror.state.progress import Progress
from kmirror.state.status import ParkedPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
GAP = ParkCause(code=ParkCode.DATA_GAP, offset=7)
BROKEN = ClientError(name="TimeoutException", message="broken")


def report(
    *partitions: PartitionReport, slot: int = 0, failure: ClientError | None = None
) -> LaneReport:
    return LaneReport(
        flow="A->B",
        slot=slot,
        generation=1,
        last_commit_ms=5,
        last_failure=failure,
        partitions=partitions,
    )


def at(
    tp: TopicPartition,
    position: int,
    *,
    records: int = 0,
    size: int = 0,
    parked: ParkCause | None = None,
) -> PartitionReport:
    return PartitionReport(
        source=tp,
        target="A.t",
        position=position,
        next_target=0,
        records=records,
        bytes=size,
        parked=parked,
    )


def test_lag_is_unknown_until_all_ends_are_known() -> None:
    """A lag that leaves partitions out would look like being caught up."""
    progress = Progress()
    progress.begin({T0: 0, T1: 5})
    assert progress.lag_records is None
    progress.set_ends({T0: 10})
    assert progress.lag_records is None
    progress.set_ends({T0: 10, T1: 10})
    assert progress.lag_records == 15


def test_counters_survive_a_new_lane() -> None:
    """A lane that takes a partition over counts from 0; the sum does not."""
    progress = Progress()
    progress.begin({T0: 0})
    progress.add(report(at(T0, 10, records=10, size=100)))
    progress.add(report(at(T0, 12, records=12, size=120)))
    progress.add(report(at(T0, 15, records=3, size=30)))
    assert (progress.records, progress.bytes) == (15, 150)
    assert progress.positions == {T0: 15}


def test_a_new_lane_may_begin_with_more_than_the_last_had() -> None:
    """Another slot, or another start of the flow: what it has counted is its own."""
    progress = Progress()
    progress.begin({T0: 0})
    progress.add(report(at(T0, 3, records=3, size=300)))
    progress.add(replace(report(at(T0, 8, records=5, size=50)), slot=1))
    progress.add(replace(report(at(T0, 14, records=6, size=60)), slot=1, generation=2))
    assert (progress.records, progress.bytes) == (14, 410)


def test_reports_of_partitions_that_left_are_ignored() -> None:
    """A late report must not bring a partition back."""
    progress = Progress()
    progress.begin({T0: 0})
    progress.add(report(at(T1, 7, records=7)))
    assert progress.positions == {T0: 0}


def test_parked_partitions_do_not_count_as_lag_of_the_flow() -> None:
    """What waits for the operator must not keep the flow from being caught up."""
    progress = Progress()
    progress.begin({T0: 0, T1: 10})
    progress.add(report(at(T0, 0, parked=GAP)))
    progress.set_ends({T0: 10, T1: 10})
    assert progress.lag_records == 0
    assert progress.parked == (
        ParkedPartition(partition=T0, kind="data_gap", reason=GAP.reason(T0), at=7),
    )
    assert progress.topics()[0].lag_records == 10


def test_a_new_plan_forgives_parked_partitions() -> None:
    """They get another chance; if they fail again they are parked again."""
    progress = Progress()
    progress.begin({T0: 0})
    progress.add(report(at(T0, 0, parked=GAP)))
    progress.begin({T0: 0})
    assert progress.parked == ()


def test_one_lanes_commit_does_not_hide_anothers_failure() -> None:
    """The failure stays until the same lane has committed."""
    progress = Progress()
    progress.begin({T0: 0})
    progress.add(report(slot=0, failure=BROKEN))
    progress.add(report(slot=1))
    assert progress.last_failure == BROKEN
    progress.add(report(slot=0))
    assert progress.last_failure is None


def test_the_initial_catch_up_is_a_share() -> None:
    """From nothing copied to all of it."""
    progress = Progress()
    progress.begin({T0: 0})
    progress.set_ends({T0: 100})
    assert progress.caught_up_share == 0.0
    progress.add(report(at(T0, 25)))
    assert progress.caught_up_share == 0.25
    progress.add(report(at(T0, 100)))
    assert progress.caught_up_share == 1.0


def test_nothing_to_catch_up_is_caught_up() -> None:
    """An empty source needs no progress bar."""
    progress = Progress()
    progress.begin({T0: 7})
    progress.set_ends({T0: 7})
    assert progress.caught_up_share == 1.0


def test_what_is_selected_and_in_no_plan_is_lag_too() -> None:
    """A topic that could not be made holds records that nobody has copied."""
    progress = Progress()
    progress.begin({T0: 3})
    progress.wait_for([T1])
    progress.set_ends({T0: 10, T1: 120}, {T1: 20})
    assert (progress.planned_lag, progress.lag_records) == (7, 107)
    progress.begin({T0: 10, T1: 120})
    progress.wait_for([])
    progress.set_ends({T0: 10, T1: 120})
    assert progress.lag_records == 0


def test_the_lag_is_unknown_until_what_waits_is_known() -> None:
    """Nothing planned would look like being caught up."""
    progress = Progress()
    progress.begin({})
    progress.wait_for([T1])
    assert progress.lag_records is None
    progress.set_ends({T1: 5}, {T1: 0})
    assert progress.lag_records == 5


def test_what_is_left_out_counts_once() -> None:
    """Reports may come twice; behind a position that goes back it may be met again."""
    progress = Progress()
    progress.begin({T0: 0})
    cause = ParkCause(code=ParkCode.RECORD_REFUSED, offset=7, error=BROKEN)
    kept = LeftOut(cause=cause, reason="too_large", end=8, bytes=100, poison=Poison.DLQ, letter=0)
    skipped = LeftOut(
        cause=replace(cause, offset=9), reason="too_large", end=10, bytes=100, poison=Poison.SKIP
    )
    first = replace(at(T0, 8), left_out=(kept,))
    second = replace(at(T0, 10), left_out=(kept, skipped))
    assert progress.add(report(first)) == [(first, kept)]
    assert progress.add(report(first)) == []
    assert progress.add(report(second)) == [(second, skipped)]
    (topic,) = progress.topics()
    assert (topic.kept, topic.skipped) == (1, 1)
    progress.begin({T0: 3})
    assert progress.add(report(first)) == [(first, kept)]

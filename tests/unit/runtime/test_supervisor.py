"""The supervisor, with flows that do as they are told and a clock that waits for nobody."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterator

import pytest

from kmirror.clock import ManualClock
from kmirror.errors import (
    ClusterUnavailable,
    ConfigError,
    Fenced,
    Held,
    JvmLost,
    NameTaken,
    PipelineError,
)
from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage
from kmirror.plans.topics import TopicProblem
from kmirror.runtime.backoff import Backoff
from kmirror.runtime.supervisor import Outcome, Supervisor
from kmirror.schedule.throttle import Throttle
from kmirror.state.status import FlowState, ParkedPartition, StatusBoard

Step = Callable[["Scripted"], FlowState]


class Scripted:
    """A flow whose every run is the next step of a script."""

    name = "A->B"

    def __init__(self, clock: ManualClock, *steps: Step) -> None:
        self.board = StatusBoard(Flow("A", "B"))
        self.throttle = Throttle(clock)
        self.starts_s: list[float] = []
        self._clock = clock
        self._steps: Iterator[Step] = iter(steps)

    def run(self, stop: threading.Event) -> FlowState:
        assert not stop.is_set()
        self.starts_s.append(self._clock.monotonic_s())
        return next(self._steps)(self)


def ends(state: FlowState) -> Step:
    def step(flow: Scripted) -> FlowState:
        flow.board.set_state(FlowState.RUNNING, "copying")
        return state

    return step


def fails(error: Exception, after_s: float = 0.0, clock: ManualClock | None = None) -> Step:
    def step(flow: Scripted) -> FlowState:
        flow.board.set_state(FlowState.RUNNING, "copying")
        if clock is not None:
            clock.advance(after_s)
        raise error

    return step


def supervise(clock: ManualClock, *flows: Scripted, bounded: bool = False) -> Outcome:
    supervisor = Supervisor(flows, clock=clock, rng=random.Random(1), bounded=bounded)
    return supervisor.run(threading.Event())


def test_a_failed_flow_starts_again_with_growing_pauses() -> None:
    """Each pause is longer than the one before, up to the cap."""
    clock = ManualClock()
    flow = Scripted(clock, *[fails(PipelineError("lost"))] * 10, ends(FlowState.STOPPED))
    assert supervise(clock, flow) is Outcome.STOPPED
    pauses = [b - a for a, b in zip(flow.starts_s, flow.starts_s[1:], strict=False)]
    assert len(pauses) == 10
    assert 0.8 <= pauses[0] <= 1.0
    assert all(pause <= 60.0 for pause in pauses)
    assert pauses[-1] > 40.0


def test_a_flow_that_was_healthy_starts_again_soon() -> None:
    """The pauses begin anew after a good hour."""
    clock = ManualClock()
    flow = Scripted(
        clock,
        *[fails(PipelineError("lost"))] * 5,
        fails(PipelineError("lost"), after_s=3600.0, clock=clock),
        ends(FlowState.STOPPED),
    )
    supervise(clock, flow)
    assert flow.starts_s[-1] - (flow.starts_s[-2] + 3600.0) <= 1.0


def test_a_cluster_that_is_away_is_asked_again_every_few_seconds() -> None:
    """However long it is away."""
    clock = ManualClock()
    flow = Scripted(clock, *[fails(ClusterUnavailable("down"))] * 20, ends(FlowState.STOPPED))
    supervise(clock, flow)
    pauses = [b - a for a, b in zip(flow.starts_s, flow.starts_s[1:], strict=False)]
    assert max(pauses) <= 5.0


def test_a_flow_that_is_held_waits_for_the_end_of_it() -> None:
    """Whoever lets it go should not wait for us."""
    clock = ManualClock()
    held = fails(Held("kept from copying", generation=7))
    flow = Scripted(clock, *[held] * 20, ends(FlowState.STOPPED))
    assert supervise(clock, flow) is Outcome.STOPPED
    pauses = [b - a for a, b in zip(flow.starts_s, flow.starts_s[1:], strict=False)]
    assert max(pauses) <= 5.0


def test_a_cluster_that_is_away_is_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    """Also when each request fails with other words; the status always has the newest."""
    clock = ManualClock()
    downs = [fails(ClusterUnavailable(f"could not ask for thing {at}")) for at in range(20)]
    flow = Scripted(clock, *downs, ends(FlowState.STOPPED))
    supervise(clock, flow)
    # Threads of other tests may still have something to say.
    told = [text for each in caplog.records if "next try in" in (text := each.getMessage())]
    assert 1 <= len(told) <= 1 + flow.starts_s[-1] // 60, told
    assert "A->B: waiting: could not ask for thing 0; next try in" in told[0]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Fenced("gone", owner="another"), Outcome.FENCED),
        (ConfigError(()), Outcome.FAILED),
        (NameTaken("another"), Outcome.FAILED),
    ],
)
def test_some_errors_are_final(error: Exception, outcome: Outcome) -> None:
    """Nobody fights a newer driver, and a wrong file stays wrong."""
    clock = ManualClock()
    flow = Scripted(clock, fails(error))
    assert supervise(clock, flow) is outcome
    assert len(flow.starts_s) == 1


def test_a_surprise_restarts_the_flow_and_leaves_the_others_alone() -> None:
    """A defect in one flow is no reason to stop mirroring."""
    clock = ManualClock()
    broken = Scripted(clock, fails(KeyError("what")), ends(FlowState.STOPPED))
    well = Scripted(clock, ends(FlowState.STOPPED))
    assert supervise(clock, broken, well) is Outcome.STOPPED
    assert (len(broken.starts_s), len(well.starts_s)) == (2, 1)


def test_a_stop_ends_the_pause() -> None:
    """A process that shall end does not wait for its next try."""
    clock = ManualClock()
    stop = threading.Event()

    def stops(flow: Scripted) -> FlowState:
        stop.set()
        raise PipelineError("lost")

    flow = Scripted(clock, stops)
    supervisor = Supervisor([flow], clock=clock, rng=random.Random(1))
    assert supervisor.run(stop) is Outcome.STOPPED


@pytest.mark.parametrize("seen_by", ["the supervisor", "a flow"])
def test_a_dead_jvm_ends_everything(seen_by: str, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing here can start it again: one line, whatever all the flows meet meanwhile."""
    clock, ended = ManualClock(), threading.Event()

    def meets(flow: Scripted) -> FlowState:
        flow.board.set_state(FlowState.RUNNING, "copying")
        if seen_by == "a flow":
            ended.set()
            raise JvmLost("no answer")
        ended.wait(10)
        raise KeyError("what follows from it")

    flows = [Scripted(clock, meets), Scripted(clock, meets)]
    supervisor = Supervisor(
        flows,
        clock=clock,
        rng=random.Random(1),
        jvm_end=lambda: "killed" if ended.is_set() else "",
    )
    if seen_by == "the supervisor":
        ended.set()
    assert supervisor.run(threading.Event()) is Outcome.FAILED
    assert [record.getMessage() for record in caplog.records] == ["killed"]
    assert all(flow.board.status.words == "killed" for flow in flows)
    assert all(len(flow.starts_s) <= 1 for flow in flows)


@pytest.mark.parametrize(("state", "wait_s"), [(FlowState.STARTING, 1), (FlowState.STOPPING, 6)])
def test_a_flow_that_cannot_be_interrupted_is_left_behind(
    state: FlowState, wait_s: int, caplog: pytest.LogCaptureFixture
) -> None:
    """One that copied has longer: it may finish its transactions."""
    clock, stop, hangs = ManualClock(), threading.Event(), threading.Event()

    def waits(flow: Scripted) -> FlowState:
        if state is FlowState.STOPPING:
            flow.board.set_state(FlowState.RUNNING, "copying")
        flow.board.set_state(state, "in a call that nothing interrupts")
        stop.set()
        hangs.wait(10)
        raise KeyError("nobody wants to know")

    def now_s() -> float:
        clock.advance(0.5)
        return clock.monotonic_s()

    moving = ManualClock()
    moving.monotonic_s = now_s  # type: ignore[method-assign]  # time passes with each look
    flow = Scripted(clock, waits)
    try:
        assert Supervisor([flow], clock=moving, rng=random.Random(1)).run(stop) is (Outcome.STOPPED)
    finally:
        hangs.set()
    assert wait_s <= clock.monotonic_s() <= wait_s + 2
    (line,) = [record.getMessage() for record in caplog.records]
    assert "in a call that nothing interrupts" in line


def test_parked_partitions_make_a_bounded_copy_incomplete() -> None:
    """A script that goes on after the copy must learn of them."""
    clock = ManualClock()
    flow = Scripted(clock, ends(FlowState.COMPLETE))
    parked = ParkedPartition(partition=TopicPartition("t", 0), kind="gap", reason="why")
    flow.board.update(parked=(parked,))
    assert supervise(clock, flow, bounded=True) is Outcome.INCOMPLETE


def test_what_is_not_mirrored_makes_a_bounded_copy_incomplete() -> None:
    """As what is parked does; a copy of everything is complete."""
    clock = ManualClock()
    problem = TopicProblem(source_topic="t", reason="why")
    for coverage, outcome in (
        (Coverage(selected=1, problems=(problem,)), Outcome.INCOMPLETE),
        (Coverage(selected=0), Outcome.INCOMPLETE),
        (Coverage(selected=1), Outcome.COMPLETE),
    ):
        flow = Scripted(clock, ends(FlowState.COMPLETE))
        flow.board.update(coverage=coverage)
        assert supervise(clock, flow, bounded=True) is outcome


def test_a_bounded_copy_that_is_stopped_is_none() -> None:
    """Whoever goes on after it must not take it for complete; without an end a stop is in order."""
    clock = ManualClock()
    script = [ends(FlowState.COMPLETE), ends(FlowState.STOPPED)]
    bounded = supervise(clock, *(Scripted(clock, step) for step in script), bounded=True)
    assert bounded is Outcome.INCOMPLETE
    assert supervise(clock, Scripted(clock, ends(FlowState.STOPPED))) is Outcome.STOPPED


def test_a_stop_of_one_flow_does_not_hide_what_another_has_parked() -> None:
    """The worst of all flows counts."""
    clock = ManualClock()
    parked = Scripted(clock, ends(FlowState.COMPLETE))
    entry = ParkedPartition(partition=TopicPartition("t", 0), kind="gap", reason="why")
    parked.board.update(parked=(entry,))
    stopped = Scripted(clock, ends(FlowState.STOPPED))
    assert supervise(clock, stopped, parked, bounded=True) is Outcome.INCOMPLETE


def test_backoff_stays_between_its_bounds() -> None:
    """From the first second to the cap, also after a thousand failures."""
    backoff, rng = Backoff(first_s=1.0, max_s=60.0), random.Random(7)
    for failures in (1, 2, 3, 10, 1000):
        assert 0.8 <= backoff.delay_s(failures, rng) <= 60.0


def test_lanes_that_give_up_on_a_cluster_are_the_same_trouble(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The flow said it was waiting; that its query failed of it is no second line."""
    clock = ManualClock()

    def gives_up(flow: Scripted) -> FlowState:
        flow.board.set_state(FlowState.RUNNING, "copying")
        assert flow.throttle.allows(FlowState.WAITING.value)
        flow.board.set_state(FlowState.WAITING, "cluster B is away")
        raise PipelineError("the target failed 6 times in a row")

    flow = Scripted(clock, gives_up, ends(FlowState.STOPPED))
    assert supervise(clock, flow) is Outcome.STOPPED
    assert flow.starts_s[1] <= 5.0
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]

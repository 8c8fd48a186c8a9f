"""The supervisor, with flows that come and go while it runs."""

from __future__ import annotations

import random
import threading

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import ManualClock, SystemClock
from kmirror.errors import ClusterUnavailable, ConfigError, Fenced
from kmirror.runtime.supervisor import Outcome, Supervisor
from kmirror.state.status import FlowState
from tests.unit.runtime.test_supervisor import Scripted, ends, fails


class Lasting(Scripted):
    """A flow that runs until it is stopped."""

    def __init__(self, clock: ManualClock, name: str) -> None:
        super().__init__(clock)
        self.name = name
        self.runs = 0

    def run(self, stop: threading.Event) -> FlowState:
        self.runs += 1
        self.board.set_state(FlowState.RUNNING, "copying")
        assert stop.wait(20.0)
        self.board.set_state(FlowState.STOPPING, "finishing")
        return FlowState.STOPPED


def test_flows_come_go_and_begin_anew_while_others_run() -> None:
    """A reload touches what has changed; the rest is not even asked."""
    clock = SystemClock()
    one, other, third = (Lasting(ManualClock(), name) for name in ("A->B", "B->A", "A->C"))
    supervisor = Supervisor([one, other], clock=clock, rng=random.Random(1))
    stop, outcomes = threading.Event(), list[Outcome]()
    thread = threading.Thread(target=lambda: outcomes.append(supervisor.run(stop)), daemon=True)
    thread.start()

    def running(flow: Lasting, runs: int) -> None:
        wait_until(
            lambda: flow.runs == runs and flow.board.status.state is FlowState.RUNNING,
            f"{flow.name} runs for the {runs}. time",
            timeout_s=20.0,
        )

    running(one, 1)
    running(other, 1)
    supervisor.restart("A->B")
    running(one, 2)
    supervisor.add(third)
    running(third, 1)
    supervisor.remove("B->A")
    assert other.board.status.state is FlowState.STOPPED
    assert thread.is_alive()
    stop.set()
    thread.join(20.0)
    assert outcomes == [Outcome.STOPPED]
    assert (one.runs, other.runs, third.runs) == (2, 1, 1)
    assert third.board.status.state is FlowState.STOPPED


def test_a_supervisor_that_stays_waits_for_flows() -> None:
    """Neither that there are none yet nor that one has failed for good ends the process."""
    clock = SystemClock()
    broken = Scripted(ManualClock(), fails(ConfigError(())))
    supervisor = Supervisor((), clock=clock, rng=random.Random(1), stays=True)
    stop, outcomes = threading.Event(), list[Outcome]()
    thread = threading.Thread(target=lambda: outcomes.append(supervisor.run(stop)), daemon=True)
    thread.start()
    supervisor.add(broken)
    wait_until(
        lambda: broken.board.status.state is FlowState.FAILED, "it has failed", timeout_s=20.0
    )
    lasting = Lasting(ManualClock(), "A->C")
    supervisor.add(lasting)
    wait_until(lambda: lasting.runs == 1, "another one runs", timeout_s=20.0)
    assert thread.is_alive()
    stop.set()
    thread.join(20.0)
    assert outcomes == [Outcome.STOPPED]


def test_what_was_added_before_is_started_once() -> None:
    clock = ManualClock()
    supervisor = Supervisor((), clock=clock, rng=random.Random(1))
    early = Scripted(clock, ends(FlowState.STOPPED))
    supervisor.add(early)
    assert supervisor.run(threading.Event()) is Outcome.STOPPED
    assert len(early.starts_s) == 1


class Stubborn(Lasting):
    """A flow that still claims its target when it was told to end, and notices later."""

    def __init__(self, name: str, meets: Exception | None) -> None:
        super().__init__(ManualClock(), name)
        self._meets = meets
        self.answers = threading.Event()

    def run(self, stop: threading.Event) -> FlowState:  # noqa: ARG002 - it cannot be interrupted
        self.runs += 1
        assert self.answers.wait(20.0)
        if self._meets is not None:
            raise self._meets
        return FlowState.STOPPED


@pytest.mark.parametrize(
    "meets",
    [None, Fenced("another has it", owner="another"), ClusterUnavailable("away"), KeyError()],
)
def test_what_was_left_behind_is_told_until_it_has_ended(
    meets: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever takes the flow waits for that: a claim on its way would take it back."""
    supervisor = Supervisor((), clock=SystemClock(), rng=random.Random(1), stays=True)
    flow, stop = Stubborn("A->B", meets), threading.Event()
    thread = threading.Thread(target=supervisor.run, args=(stop,), daemon=True)
    thread.start()
    supervisor.add(flow)
    wait_until(lambda: flow.runs == 1, "it claims", timeout_s=20.0)
    assert supervisor.left() == ()
    ended: list[tuple[str, ...]] = []
    note = flow.board.set_state

    def note_end(state: FlowState, words: str) -> None:
        note(state, words)
        ended.append(supervisor.left())

    flow.board.set_state = note_end  # type: ignore[method-assign]
    supervisor.remove("A->B")
    assert supervisor.left() == ("A->B",)
    assert ended == [("A->B",)], "for a moment it looked as if it were let go"
    told = caplog.text
    flow.answers.set()
    wait_until(lambda: supervisor.left() == (), "it has ended", timeout_s=20.0)
    # What it met then is nobody's news: the flow is another's.
    assert flow.board.status.state is FlowState.STOPPED
    assert caplog.text == told
    stop.set()
    thread.join(20.0)

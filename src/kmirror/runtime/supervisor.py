"""Keeps every flow of the process going, each in a thread of its own."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from kmirror.clock import Clock
from kmirror.errors import (
    ClusterError,
    ConfigError,
    Fenced,
    Held,
    JvmLost,
    MirrorError,
    NameTaken,
)
from kmirror.events.emit import emit
from kmirror.events.nodes import FLOW_HANDOVER
from kmirror.events.table import (
    FLOW_ABANDONED,
    FLOW_CRASHED,
    FLOW_ENDED,
    FLOW_FAILED,
    FLOW_FENCED,
    FLOW_INTERRUPTED,
    JVM_LOST,
)
from kmirror.runtime.backoff import Backoff
from kmirror.schedule.throttle import Throttle
from kmirror.state.status import ENDED, FlowState, StatusBoard

# A flow that ran so long had recovered: its next failure is a first one.
_HEALTHY_S = 60.0
# SIGTERM promises an end within 10 s; the rest of them is for Spark's JVM.
_FINISH_S_MAX = 6.5
# A flow that has nothing to finish may wait for a cluster's answer, which cannot be interrupted.
_ANSWER_S_MAX = 1.0
_JVM_END_S_MAX = 1.0
_TICK_S = 0.1


class Supervised(Protocol):
    """What the supervisor keeps going: `MirrorFlow` is one."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def board(self) -> StatusBoard:
        """Where its status is shown."""
        ...

    @property
    def throttle(self) -> Throttle:
        """What of its trouble is in the log already."""
        ...

    def run(self, stop: threading.Event) -> FlowState:
        """Run until *stop* is set or nothing is left to do; may be called again after an error."""
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class _Kept:
    """A flow, the thread that keeps it going, and what makes it end or begin anew."""

    flow: Supervised
    stop: threading.Event = field(default_factory=threading.Event)
    restarts: bool = False
    thread: threading.Thread | None = None

    @property
    def is_alive(self) -> bool:
        return self.thread is not None and self.thread.is_alive()


class Outcome(Enum):
    """How a process of flows ended."""

    STOPPED = "stopped"
    COMPLETE = "complete"
    INCOMPLETE = "something that is selected was not copied"
    FENCED = "fenced"
    FAILED = "failed"


class Supervisor:
    """
    Starts flows, restarts those that fail, and stops all of them.

    Args:
        flows: The flows.
        clock: Where time comes from.
        rng: For the spread of restarts.
        jvm_end: Says how the JVM ended that all flows run on; empty while it runs.
        backoff: How long a failed flow waits.
        bounded: The flows are to end by themselves, with everything copied.
        stays: It goes on without flows, and when flows have ended for good.
    """

    def __init__(
        self,
        flows: Sequence[Supervised],
        *,
        clock: Clock,
        rng: random.Random,
        jvm_end: Callable[[], str] = str,
        backoff: Backoff | None = None,
        bounded: bool = False,
        stays: bool = False,
    ) -> None:
        self._kept = [_Kept(flow=flow) for flow in flows]
        self._clock = clock
        self._rng = rng
        self._jvm_end = jvm_end
        self._backoff = backoff or Backoff()
        self._bounded = bounded
        self._stays = stays
        self._left: list[_Kept] = []
        self._lock, self._ending = threading.Lock(), threading.Lock()
        self._jvm_lost = ""
        # Others shall have the flows: who takes one does what was asked for.
        self._hands_over = False
        # From here on nobody wants to know what flows still meet.
        self._over = threading.Event()

    def run(self, stop: threading.Event) -> Outcome:
        """
        Run until every flow has ended; setting *stop* makes them end.

        A flow that cannot be interrupted, because it waits for a cluster's answer, is left behind.

        Returns:
            The worst that happened to any flow.
        """
        for kept in self._all():
            self._start(kept)
        self._join(stop)
        self._over.set()
        for kept in self._all():
            self._leave(kept.flow)
        return self._outcome()

    def add(self, flow: Supervised) -> None:
        """Keep one more flow going, from any thread while `run` runs."""
        kept = _Kept(flow=flow)
        with self._lock:
            if self._over.is_set():
                return
            self._kept.append(kept)
        self._start(kept)

    def restart(self, name: str) -> None:
        """Have a flow end in good order, and begin anew at once."""
        for kept in self._all():
            if kept.flow.name == name and kept.is_alive:
                kept.restarts = True
                kept.stop.set()

    def hand_over(self) -> None:
        """Expect other drivers to take the flows over from now on."""
        self._hands_over = True

    def remove(self, name: str) -> None:
        """
        End a flow in good order, and forget it: it does not count for the outcome.

        What is not done in time is left behind, as at the end of the process.
        """
        for kept in self._all():
            if kept.flow.name != name:
                continue
            kept.restarts = False
            kept.stop.set()
            if kept.thread is not None:
                kept.thread.join(_end_s_max(kept.flow))
            # First: at no moment may it look as if the flow were let go.
            with self._lock:
                self._left = [each for each in (*self._left, kept) if each.is_alive]
            self._leave(kept.flow)
            with self._lock:
                self._kept.remove(kept)

    def left(self) -> tuple[str, ...]:
        """Return the flows that were removed, and may still claim what they had."""
        with self._lock:
            self._left = [kept for kept in self._left if kept.is_alive]
            return tuple(kept.flow.name for kept in self._left)

    def _all(self) -> tuple[_Kept, ...]:
        with self._lock:
            return tuple(self._kept)

    def _start(self, kept: _Kept) -> None:
        """Start a flow's thread, unless it was started already: those that were added before."""
        name = f"kmirror-{kept.flow.name}"
        with self._lock:
            if kept.thread is not None:
                return
            kept.thread = threading.Thread(target=self._keep, args=(kept,), name=name, daemon=True)
            kept.thread.start()

    def _join(self, stop: threading.Event) -> None:
        """Wait for the flows' ends, as long as there is time."""
        stopped_s: float | None = None
        while True:
            alive = [kept for kept in self._all() if kept.is_alive]
            if alive:
                assert alive[0].thread is not None, "it is alive"
                alive[0].thread.join(_TICK_S)
            elif not self._stays or self._over.is_set() or self._clock.wait(stop, _TICK_S):
                return
            if end := self._jvm_end():
                self._lose(end)
            if stop.is_set() or self._over.is_set():
                now_s = self._clock.monotonic_s()
                stopped_s = now_s if stopped_s is None else stopped_s
                for kept in alive:
                    kept.restarts = False
                    kept.stop.set()
                if all(now_s - stopped_s >= _end_s_max(kept.flow) for kept in alive):
                    return

    def _leave(self, flow: Supervised) -> None:
        """Note the end of a flow that has not come to one."""
        words = flow.board.status.words
        if self._jvm_lost:
            self._end(flow, FlowState.FAILED, self._jvm_lost)
        elif self._end(flow, FlowState.STOPPED, "stopped"):
            emit(FLOW_ABANDONED, flow=flow.name, status=words)

    def _end(self, flow: Supervised, state: FlowState, words: str) -> bool:
        """Note a flow's end, if it has none; what one meets that was left behind is no news."""
        with self._ending:
            if flow.board.status.state in ENDED:
                return False
            flow.board.set_state(state, words)
            return True

    def _outcome(self) -> Outcome:
        flows = [kept.flow for kept in self._all()]
        states = {flow.board.status.state for flow in flows}
        if self._jvm_lost:
            return Outcome.FAILED
        if self._stays:
            return Outcome.STOPPED
        if FlowState.FAILED in states:
            return Outcome.FAILED
        if FlowState.FENCED in states:
            return Outcome.FENCED
        if not self._bounded:
            return Outcome.STOPPED
        # Whoever goes on after a copy has to know that it is one: a stop came too early.
        whole = all(flow.board.status.is_whole for flow in flows)
        return Outcome.COMPLETE if whole and states == {FlowState.COMPLETE} else Outcome.INCOMPLETE

    def _keep(self, kept: _Kept) -> None:
        """Keep one flow going until it ends for good, or nobody wants to know any more."""
        flow = kept.flow
        self._keep_once(kept)
        while kept.restarts and not self._nobody_asks(flow):
            kept.restarts = False
            kept.stop.clear()
            flow.board.set_state(FlowState.STARTING, "starting")
            self._keep_once(kept)
        if not self._over.is_set():
            self._end(flow, FlowState.STOPPED, "stopped")

    def _keep_once(self, kept: _Kept) -> None:
        """Run one flow, again and again while it fails, until it is stopped or has ended."""
        flow, stop, failures = kept.flow, kept.stop, 0
        while not stop.is_set():
            began_s = self._clock.monotonic_s()
            trouble = self._try(kept)
            if trouble is None or self._nobody_asks(flow):
                return
            if stop.is_set():
                break
            if self._clock.monotonic_s() - began_s >= _HEALTHY_S:
                failures = 0
            failures += 1
            if not self._pause(flow, trouble, failures, stop):
                flow.board.set_state(FlowState.STARTING, "starting")
        if kept.restarts:
            flow.board.set_state(FlowState.RESTARTING, "starting again")

    def _try(self, kept: _Kept) -> Exception | None:
        """Run a flow once; give what it failed with, if it is worth another try."""
        flow = kept.flow
        try:
            ended = flow.run(kept.stop)
            if kept.restarts and ended is FlowState.STOPPED:
                flow.board.set_state(FlowState.RESTARTING, "starting again")
                return None
            if self._end(flow, ended, ended.value):
                emit(FLOW_ENDED, flow=flow.name, state=ended.value)
        except Fenced as error:
            flow.board.update(fenced_by=error.process)
            self._note_fenced(flow, error)
        except (ConfigError, NameTaken) as error:
            self._note_failed(flow, error)
        except JvmLost as error:
            self._lose(self._jvm_end_soon() or str(error))
        except MirrorError as error:
            return error
        except Exception as error:  # noqa: BLE001 - one flow's surprise must not end the others
            if end := self._jvm_end_soon():
                self._lose(end)
            if not self._nobody_asks(flow):
                emit(FLOW_CRASHED, flow=flow.name, error=error, trace=error)
            return error
        return None

    def _note_failed(self, flow: Supervised, error: MirrorError) -> None:
        if self._end(flow, FlowState.FAILED, str(error)):
            emit(FLOW_FAILED, flow=flow.name, error=error)

    def _note_fenced(self, flow: Supervised, error: Fenced) -> None:
        if not self._end(flow, FlowState.FENCED, str(error)):
            return
        if self._hands_over:
            emit(FLOW_HANDOVER, flow=flow.name, error=error)
        else:
            emit(FLOW_FENCED, flow=flow.name, error=error)

    def _nobody_asks(self, flow: Supervised) -> bool:
        """Whether it matters no more what a flow meets: it was left behind, or all were."""
        return self._over.is_set() or flow.board.status.state in ENDED

    def _jvm_end_soon(self) -> str:
        """Wait a moment: a JVM closes its sockets before it is seen to have ended."""
        deadline_s = self._clock.monotonic_s() + _JVM_END_S_MAX
        never = threading.Event()
        while not (end := self._jvm_end()) and self._clock.monotonic_s() < deadline_s:
            self._clock.wait(never, _TICK_S)
        return end

    def _lose(self, end: str) -> None:
        """Nothing goes on without the JVM, and nothing here can start it again: say so once."""
        with self._lock:
            if self._over.is_set():
                return
            self._jvm_lost = end
            self._over.set()
            kept_now = tuple(self._kept)
        emit(JVM_LOST, reason=end)
        for kept in kept_now:
            kept.stop.set()

    def _pause(
        self,
        flow: Supervised,
        trouble: Exception,
        failures: int,
        stop: threading.Event,
    ) -> bool:
        """Wait before the next try; tells whether the process stops."""
        # Lanes give up on a cluster that is away: the same trouble in other words.
        away = flow.board.status.state is FlowState.WAITING
        waits = away or isinstance(trouble, (ClusterError, Held))
        state = FlowState.WAITING if waits else FlowState.RESTARTING
        flow.board.set_state(state, str(trouble))
        delay_s = self._backoff.delay_s(failures, self._rng)
        if waits:
            # Asking again is cheap, and what is back should not wait for us.
            delay_s = min(delay_s, 5.0)
        if flow.throttle.allows(state.value):
            emit(
                FLOW_INTERRUPTED,
                flow=flow.name,
                state=state.value,
                error=trouble,
                delay_s=delay_s,
            )
        return self._clock.wait(stop, delay_s)


def _end_s_max(flow: Supervised) -> float:
    """How long after a stop its end is waited for."""
    copies = flow.board.status.state in {FlowState.RUNNING, FlowState.STOPPING}
    return _FINISH_S_MAX if copies else _ANSWER_S_MAX

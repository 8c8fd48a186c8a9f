"""Keeps every flow of the process going, each in a thread of its own."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
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
    ) -> None:
        self._flows = flows
        self._clock = clock
        self._rng = rng
        self._jvm_end = jvm_end
        self._backoff = backoff or Backoff()
        self._bounded = bounded
        self._lock = threading.Lock()
        self._jvm_lost = ""
        # From here on nobody wants to know what flows still meet.
        self._over = threading.Event()

    def run(self, stop: threading.Event) -> Outcome:
        """
        Run until every flow has ended; setting *stop* makes them end.

        A flow that cannot be interrupted, because it waits for a cluster's answer, is left behind.

        Returns:
            The worst that happened to any flow.
        """
        threads = [
            threading.Thread(
                target=self._keep, args=(flow, stop), name=f"kmirror-{flow.name}", daemon=True
            )
            for flow in self._flows
        ]
        for thread in threads:
            thread.start()
        self._join(threads, stop)
        self._over.set()
        for flow in self._flows:
            self._leave(flow)
        return self._outcome()

    def _join(self, threads: Sequence[threading.Thread], stop: threading.Event) -> None:
        """Wait for the flows' ends, as long as there is time."""
        stopped_s: float | None = None
        for flow, thread in zip(self._flows, threads, strict=True):
            while thread.is_alive():
                thread.join(_TICK_S)
                if end := self._jvm_end():
                    self._lose(end, stop)
                if not stop.is_set():
                    continue
                now_s = self._clock.monotonic_s()
                stopped_s = now_s if stopped_s is None else stopped_s
                if now_s - stopped_s >= _end_s_max(flow):
                    break

    def _leave(self, flow: Supervised) -> None:
        """Note the end of a flow that has not come to one."""
        status = flow.board.status
        if status.state in ENDED:
            return
        if self._jvm_lost:
            flow.board.set_state(FlowState.FAILED, self._jvm_lost)
            return
        emit(FLOW_ABANDONED, flow=flow.name, status=status.words)
        flow.board.set_state(FlowState.STOPPED, "stopped")

    def _outcome(self) -> Outcome:
        states = {flow.board.status.state for flow in self._flows}
        if self._jvm_lost or FlowState.FAILED in states:
            return Outcome.FAILED
        if FlowState.FENCED in states:
            return Outcome.FENCED
        if not self._bounded:
            return Outcome.STOPPED
        # Whoever goes on after a copy has to know that it is one: a stop came too early.
        whole = all(flow.board.status.is_whole for flow in self._flows)
        return Outcome.COMPLETE if whole and states == {FlowState.COMPLETE} else Outcome.INCOMPLETE

    def _keep(self, flow: Supervised, stop: threading.Event) -> None:
        """Run one flow until it ends for good, or nobody wants to know any more."""
        failures = 0
        while not stop.is_set():
            began_s = self._clock.monotonic_s()
            trouble = self._try(flow, stop)
            if trouble is None or self._over.is_set():
                return
            if stop.is_set():
                break
            if self._clock.monotonic_s() - began_s >= _HEALTHY_S:
                failures = 0
            failures += 1
            if not self._pause(flow, trouble, failures, stop):
                flow.board.set_state(FlowState.STARTING, "starting")
        if not self._over.is_set():
            flow.board.set_state(FlowState.STOPPED, "stopped")

    def _try(self, flow: Supervised, stop: threading.Event) -> Exception | None:
        """Run a flow once; give what it failed with, if it is worth another try."""
        try:
            ended = flow.run(stop)
            flow.board.set_state(ended, ended.value)
            emit(FLOW_ENDED, flow=flow.name, state=ended.value)
        except Fenced as error:
            flow.board.set_state(FlowState.FENCED, str(error))
            emit(FLOW_FENCED, flow=flow.name, error=error)
        except (ConfigError, NameTaken) as error:
            flow.board.set_state(FlowState.FAILED, str(error))
            emit(FLOW_FAILED, flow=flow.name, error=error)
        except JvmLost as error:
            self._lose(self._jvm_end_soon() or str(error), stop)
        except MirrorError as error:
            return error
        except Exception as error:  # noqa: BLE001 - one flow's surprise must not end the others
            if end := self._jvm_end_soon():
                self._lose(end, stop)
            if not self._over.is_set():
                emit(FLOW_CRASHED, flow=flow.name, error=error, trace=error)
            return error
        return None

    def _jvm_end_soon(self) -> str:
        """Wait a moment: a JVM closes its sockets before it is seen to have ended."""
        deadline_s = self._clock.monotonic_s() + _JVM_END_S_MAX
        never = threading.Event()
        while not (end := self._jvm_end()) and self._clock.monotonic_s() < deadline_s:
            self._clock.wait(never, _TICK_S)
        return end

    def _lose(self, end: str, stop: threading.Event) -> None:
        """Nothing goes on without the JVM, and nothing here can start it again: say so once."""
        with self._lock:
            if self._over.is_set():
                return
            self._jvm_lost = end
            self._over.set()
        emit(JVM_LOST, reason=end)
        stop.set()

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

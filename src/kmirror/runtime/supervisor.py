"""Keeps every flow of the process going, each in a thread of its own."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from py4j.protocol import Py4JNetworkError

from kmirror.clock import Clock
from kmirror.errors import ClusterError, ConfigError, Fenced, Held, MirrorError
from kmirror.flows.status import FlowState, StatusBoard
from kmirror.flows.told import Told
from kmirror.runtime.backoff import Backoff

_log = logging.getLogger(__name__)

# A flow that ran so long had recovered: its next failure is a first one.
_HEALTHY_S = 60.0


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
    def told(self) -> Told:
        """What of its trouble is in the log already."""
        ...

    def run(self, stop: threading.Event) -> FlowState:
        """Run until *stop* is set or nothing is left to do; may be called again after an error."""
        ...


class Outcome(Enum):
    """How a process of flows ended."""

    STOPPED = "stopped"
    COMPLETE = "complete"
    PARKED = "complete, but partitions are parked"
    FENCED = "fenced"
    FAILED = "failed"


class Supervisor:
    """
    Starts flows, restarts those that fail, and stops all of them.

    Args:
        flows: The flows.
        clock: Where time comes from.
        chance: For the spread of restarts.
        backoff: How long a failed flow waits.
    """

    def __init__(
        self,
        flows: Sequence[Supervised],
        *,
        clock: Clock,
        chance: random.Random,
        backoff: Backoff | None = None,
    ) -> None:
        self._flows = flows
        self._clock = clock
        self._chance = chance
        self._backoff = backoff or Backoff()

    def run(self, stop: threading.Event) -> Outcome:
        """
        Run until every flow has ended; setting *stop* makes them end.

        Returns:
            The worst that happened to any flow.
        """
        threads = [
            threading.Thread(target=self._keep, args=(flow, stop), name=f"kmirror-{flow.name}")
            for flow in self._flows
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self._outcome()

    def _outcome(self) -> Outcome:
        states = {flow.board.status.state for flow in self._flows}
        if FlowState.FAILED in states:
            return Outcome.FAILED
        if FlowState.FENCED in states:
            return Outcome.FENCED
        if FlowState.STOPPED in states:
            return Outcome.STOPPED
        parked = any(flow.board.status.parked for flow in self._flows)
        return Outcome.PARKED if parked else Outcome.COMPLETE

    def _keep(self, flow: Supervised, stop: threading.Event) -> None:
        """Run one flow until it ends for good."""
        failures = 0
        while not stop.is_set():
            began_s = self._clock.monotonic_s()
            try:
                ended = flow.run(stop)
                flow.board.set_state(ended, ended.value)
                _log.info("%s: %s", flow.name, ended.value)
                return
            except Fenced as error:
                flow.board.set_state(FlowState.FENCED, str(error))
                _log.error("%s", error)
                return
            except ConfigError as error:
                flow.board.set_state(FlowState.FAILED, str(error))
                _log.error("%s", error)
                return
            except Py4JNetworkError as error:
                # A dead JVM cannot be started again within this process.
                flow.board.set_state(FlowState.FAILED, f"Spark's JVM is gone: {error}")
                _log.error("%s: Spark's JVM is gone: %s", flow.name, error)
                stop.set()
                return
            except MirrorError as error:
                trouble: Exception = error
            except Exception as error:  # noqa: BLE001 - one flow's surprise must not end the others
                _log.exception("%s: unexpected", flow.name)
                trouble = error
            if stop.is_set():
                break
            if self._clock.monotonic_s() - began_s >= _HEALTHY_S:
                failures = 0
            failures += 1
            if not self._pause(flow, trouble, failures, stop):
                flow.board.set_state(FlowState.STARTING, "starting")
        flow.board.set_state(FlowState.STOPPED, "stopped")

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
        delay_s = self._backoff.delay_s(failures, self._chance)
        if waits:
            # Asking again is cheap, and what is back should not wait for us.
            delay_s = min(delay_s, 5.0)
        if flow.told.should_tell(state.value):
            _log.warning("%s: %s: %s; next try in %.0f s", flow.name, state.value, trouble, delay_s)
        return self._clock.wait(stop, delay_s)

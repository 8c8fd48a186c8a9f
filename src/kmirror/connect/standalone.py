"""A Connect worker without a group: its connectors are in memory."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection

from kmirror.connect.abstract_herder import TRACKING_INTERVAL_S, AbstractHerder, Change
from kmirror.connect.config_state import ConfigFold, ConfigState
from kmirror.connect.model import ConnectorStatus, Health
from kmirror.connect.topic_tracker import TopicTracker
from kmirror.connect.worker_face import HEALTHY, STARTING, HerderParts
from kmirror.errors import MirrorError
from kmirror.events.connect import CONNECTORS_POSTPONED
from kmirror.events.emit import emit
from kmirror.model import Flow
from kmirror.runtime.worker import RETRY_INTERVAL_S
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.wire.connect_configs import RestartRequest

_TICK_S = 0.5


class StandaloneHerder(AbstractHerder):
    """
    The name is Connect's.

    Args:
        parts: What it works with.
    """

    def __init__(self, parts: HerderParts) -> None:
        super().__init__(parts)
        self._fold = ConfigFold()
        self._writing = threading.Lock()
        self._news = threading.Event()
        self._restarts: deque[RestartRequest] = deque()
        self._tracker = TopicTracker()
        self._done: ConfigState | None = None
        self._retrying = PeriodicTask(parts.clock, RETRY_INTERVAL_S, self._retry)
        self._tracking = PeriodicTask(parts.clock, TRACKING_INTERVAL_S, self._track_offsets)

    def run(self, stop: threading.Event) -> None:
        """Have the worker do what is wanted, until *stop* is set."""
        while not stop.is_set():
            try:
                self._round()
            except MirrorError as error:
                emit(CONNECTORS_POSTPONED, error=error)
                self._clock.wait(stop, _TICK_S)
            self._clock.wait(self._news, _TICK_S)
            self._news.clear()

    def owner(self, flow: Flow) -> str:  # noqa: ARG002 - there is nobody else
        """Return the other worker that has a flow: none."""
        return ""

    def health(self) -> Health:
        """Return whether it can serve."""
        return STARTING if self._done is None else HEALTHY

    def topics(self, name: str) -> tuple[str, ...]:
        """Return which topics a connector has written to since they were last forgotten."""
        self._track()
        return self._tracker.topics(name)

    def _round(self) -> None:
        state = self._state()
        if state is not self._done:
            plan = self.plan()
            self._worker.do(plan.work(plan.flows))
            self._done = state
        self._retrying.run_if_due()
        self._tracking.run_if_due()
        while self._restarts:
            self.restart_here(self._restarts.popleft())
        self._track()

    def _retry(self) -> None:
        plan = self.plan()
        if any(map(self._worker.trouble, plan.flows)):
            self._worker.do(plan.work(plan.flows))

    def _track(self) -> None:
        plan = self.plan()
        for name in plan.connectors:
            self._tracker.look(name, self._reporter.written(plan, name))

    def _state(self) -> ConfigState:
        with self._writing:
            return self._fold.state()

    def _edit(self, change: Change) -> None:
        with self._writing:
            known = self._fold.state()
            for at, record in enumerate(change(known), known.version):
                self._fold.take(record, at)
        self._news.set()

    def _found(self, name: str) -> ConnectorStatus | None:
        plan = self.plan()
        return self._reporter.status(plan, name) if name in plan.connectors else None

    def _request_restart(self, request: RestartRequest) -> None:
        self._restarts.append(request)
        self._news.set()

    def _forget_topics(self, name: str) -> None:
        self._track()
        self._tracker.forget(name)

    def _run_anywhere(self, flows: Collection[Flow]) -> bool:
        return self._worker.has_any(flows)

    def _set_logger_elsewhere(self, name: str, level: str) -> None:
        """There is nobody else."""

"""
A Connect worker of a group: its connectors are in the workers' topics, and flows are shared.

Every worker serves every request. What changes something is decided by what is in the topic at that
moment: a worker claims the transactional id that Connect's leader has, reads to the end, decides
and writes. If another worker has claimed meanwhile, nothing was written, and it begins again. So
workers need not call each other.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kmirror.connect.abstract_herder import TRACKING_INTERVAL_S, AbstractHerder, Change
from kmirror.connect.config_state import ConfigState
from kmirror.connect.model import ConnectorStatus, Health, Status, WorkerState
from kmirror.connect.reporter import Reporter
from kmirror.connect.status_publisher import StatusPublisher, StatusStore
from kmirror.connect.worker_face import HEALTHY, STARTING, HerderParts
from kmirror.errors import MirrorError, RebalanceNeeded
from kmirror.events.connect import CONNECTORS_POSTPONED
from kmirror.events.emit import emit
from kmirror.model import Flow
from kmirror.runtime.own_share import Group, OwnShare
from kmirror.runtime.worker import RETRY_INTERVAL_S
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.throttle import Throttle
from kmirror.wire.connect_configs import ClusterLoggerLevel, ConfigRecord, RestartRequest

_TICK_S = 0.1
_PUBLISH_INTERVAL_S = 0.5
_TRIES = 8
# So that Connect's 32 bits have room for it.
_GENERATIONS_SINCE_S = 1_767_225_600
_HEARD_S_MAX = 5.0
_ALONE = Health(
    status="unhealthy",
    message="The other workers of the group do not hear this one; its flows go on elsewhere.",
)
_NOT_NOW = "Request cannot be completed because a rebalance is expected"


class ClusterStore(StatusStore, Protocol):
    """Where the workers keep their state: `ConnectStore` does."""

    def snapshot(self) -> ConfigState:
        """Return what connectors there are and what they shall do, as far as it was read."""
        ...

    def claim(self) -> ConfigState:
        """Become the one that writes, and read to the end."""
        ...

    def write(self, records: Sequence[ConfigRecord]) -> ConfigState:
        """Write all of *records*, or none; raises RebalanceNeeded if another one has claimed."""
        ...

    def put_logger_level(self, logger: str, level: str) -> None:
        """Have all workers log from a level on."""
        ...


class Others(Group, Protocol):
    """The other workers of the group: `GroupChannel` knows them."""

    @property
    def is_member(self) -> bool:
        """Whether this worker is heard."""
        ...

    @property
    def leads(self) -> bool:
        """Whether this worker is the oldest of those that are there."""
        ...

    @property
    def number(self) -> int:
        """Of the shares as they are now; 0 before the first."""
        ...

    def owners(self) -> Mapping[str, str]:
        """Return the workers that are there and have something, by what that is."""
        ...

    def holds(self, flows: Collection[str]) -> bool:
        """Tell whether anybody still has any of *flows*."""
        ...


class DistributedHerder(AbstractHerder):
    """
    The name is Connect's.

    Args:
        parts: What it works with.
        store: The workers' topics; it has started, and tells `listen` of news.
        channel: The other workers.
    """

    def __init__(self, parts: HerderParts, store: ClusterStore, channel: Others) -> None:
        super().__init__(parts)
        self._store = store
        self._channel = channel
        self._publisher = StatusPublisher(store, parts.clock.wall_ms)
        self._editing = threading.Lock()
        self._restarts: deque[RestartRequest] = deque()
        self._own = OwnShare(parts.worker, channel)
        self._throttle = Throttle(parts.clock)
        self._was_member = False
        self._publishing = PeriodicTask(parts.clock, _PUBLISH_INTERVAL_S, self._publish)
        self._retrying = PeriodicTask(parts.clock, RETRY_INTERVAL_S, self._retry)
        self._tracking = PeriodicTask(parts.clock, TRACKING_INTERVAL_S, self._track_offsets)

    def listen(self, record: ConfigRecord) -> None:
        """Hear what somebody has written to the topic of settings."""
        match record:
            case RestartRequest():
                self._restarts.append(record)
            case ClusterLoggerLevel(logger=name, level=level):
                self._loggers.set(name, level)

    def run(self, stop: threading.Event) -> None:
        """Have the worker do its share of what is wanted, until *stop* is set."""
        while not self._clock.wait(stop, _TICK_S):
            try:
                self._round()
                self._retrying.run_if_due()
                self._publishing.run_if_due()
                self._tracking.run_if_due()
            except MirrorError as error:
                if self._throttle.allows("postponed"):
                    emit(CONNECTORS_POSTPONED, error=error)

    def owner(self, flow: Flow) -> str:
        """Return the other worker that has a flow; empty where none does, as far as is known."""
        shares = self.plan().shares
        share = next((name for name, flows in shares.items() if str(flow) in flows), "")
        found = self._channel.owners().get(share, "")
        return "" if found == self._worker_id else found

    def health(self) -> Health:
        """Return whether it can serve."""
        if self._channel.is_member:
            return HEALTHY
        return _ALONE if self._was_member else STARTING

    def topics(self, name: str) -> tuple[str, ...]:
        """Return which topics a connector has written to since they were last forgotten."""
        return tuple(sorted(self._store.statuses().topics.get(name, ())))

    def shared(self) -> tuple[str, ...]:
        """Return what all workers share."""
        return tuple(self.plan().shares)

    def _round(self) -> None:
        if self._channel.leaves:
            return
        self._own.do(self.plan())
        while self._restarts:
            self.restart_here(self._restarts.popleft())

    def _retry(self) -> None:
        if self._own.trouble:
            self._own.again()

    def _publish(self) -> None:
        """Say what this worker's connectors do; who leads speaks for those that nobody runs."""
        plan, leads = self.plan(), self._channel.leads
        if not self._channel.is_member:
            return
        self._was_member = True
        mine, spoken_for = self._own.running, []
        for name in plan.connectors:
            flows = plan.of(name)
            if flows[0].flow in mine if flows else leads:
                spoken_for.append(self._reporter.status(plan, name))
                self._publisher.track(name, self._reporter.written(plan, name))
        self._publisher.publish(spoken_for, self._channel.number // 1000 - _GENERATIONS_SINCE_S)
        if leads:
            self._publisher.forget(plan.connectors)

    def _state(self) -> ConfigState:
        return self._store.snapshot()

    def _edit(self, change: Change) -> None:
        self._await_group()
        with self._editing:
            for _ in range(_TRIES):
                records = change(self._store.claim())
                try:
                    self._store.write(records)
                except RebalanceNeeded:
                    continue  # another worker was faster
                return
        raise RebalanceNeeded(_NOT_NOW)

    def _await_group(self) -> None:
        """Wait a moment for this worker to be heard; who is not has no say."""
        deadline_s, never = self._clock.monotonic_s() + _HEARD_S_MAX, threading.Event()
        while not self._channel.is_member:
            if self._clock.monotonic_s() >= deadline_s:
                raise RebalanceNeeded(_NOT_NOW)
            self._clock.wait(never, _TICK_S)

    def _found(self, name: str) -> ConnectorStatus | None:
        plan = self.plan()
        connector = plan.connectors.get(name)
        if connector is None:
            return None
        share = plan.share_of(name)
        if share is None:
            # Nobody runs it, and who leads speaks for it; every worker gives the same answer.
            known = self._store.statuses().connectors.get(name)
            who = self._worker_id if known is None else known.worker_id
            return Reporter(self._worker, who).status(plan, name)
        if plan.of(name)[0].flow in self._own.running:
            return self._reporter.status(plan, name)
        return self._told(name, share)

    def _told(self, name: str, share: str) -> ConnectorStatus:
        """Return what the worker has said that has a connector."""
        statuses = self._store.statuses()
        known, owner = statuses.connectors.get(name), self._channel.owners().get(share)
        if known is None or owner != known.worker_id:
            trace = f"{share}: {f'begins on {owner}' if owner else 'waits for a worker'}"
            status = Status(
                state=WorkerState.UNASSIGNED, worker_id=owner or self._worker_id, trace=trace
            )
            return ConnectorStatus(name=name, connector=status, tasks=())
        tasks = statuses.tasks.get(name, {})
        return ConnectorStatus(
            name=name,
            connector=_status(known.state, known.worker_id, known.trace),
            tasks=tuple(
                _status(tasks[number].state, tasks[number].worker_id, tasks[number].trace)
                for number in sorted(tasks)
            ),
        )

    def _request_restart(self, request: RestartRequest) -> None:
        self._edit(lambda _: (request,))

    def _forget_topics(self, name: str) -> None:
        self._publisher.forget_topics(name)

    def _run_anywhere(self, flows: Collection[Flow]) -> bool:
        return self._worker.has_any(flows) or self._channel.holds(list(map(str, flows)))

    def _set_logger_elsewhere(self, name: str, level: str) -> None:
        self._store.put_logger_level(name, level)


def _status(state: WorkerState, worker_id: str, trace: str | None) -> Status:
    return Status(state=state, worker_id=worker_id, trace=trace or "")

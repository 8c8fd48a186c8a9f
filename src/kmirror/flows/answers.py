"""Since when a cluster has not answered: a dead one is to be seen before any request gives up."""

from __future__ import annotations

from kmirror.admin.connection import cluster_name
from kmirror.clock import Clock
from kmirror.ends.clients import FlowClients
from kmirror.model import Flow
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.state.progress import Progress

_ASK_INTERVAL_S = 2.0
# Brokers that act answer in milliseconds; on a slow link, what is copied is a sign of life, too.
_SILENT_S_MAX = 6.0


class Answers:
    """
    Asks the target every 2 s, the source while nothing is copied, and hears who else had an answer.

    Requests give up after `admin.timeout.ms`, which is longer than somebody wants to look at a
    flow that seems to run.

    Args:
        flow: Whose clusters they are.
        clients: Its clients.
        progress: How far it is: what is copied and committed, clusters have answered.
        clock: Where time comes from.
    """

    def __init__(self, flow: Flow, clients: FlowClients, progress: Progress, clock: Clock) -> None:
        self._flow = flow
        self._clients = clients
        self._progress = progress
        self._clock = clock
        self._source_s = self._target_s = clock.monotonic_s()
        self._seen = (0, 0)
        self._thread = PeriodicThread("kmirror-answers", clock, lambda _: True)
        self._thread.also(PeriodicTask(clock, _ASK_INTERVAL_S, self._ask, at_once=True))

    def start(self) -> None:
        """Begin to ask."""
        self._source_s = self._target_s = self._clock.monotonic_s()
        self._thread.start()

    def close(self) -> None:
        """Stop; an answer that is still on its way is not waited for."""
        self._thread.close()

    def heard_source(self) -> None:
        """Note that the source has answered somebody."""
        self._source_s = self._clock.monotonic_s()

    def _ask(self) -> None:
        self._clients.target.describe()
        self._target_s = self._clock.monotonic_s()
        if not (self._progress.positions or self._progress.waiting):
            # Nothing is copied, so nobody else asks the source for anything.
            self._clients.source.describe()
            self.heard_source()

    def silence(self) -> str:
        """Say which cluster has not answered for too long; empty when both have."""
        now_s = self._clock.monotonic_s()
        records, commit_ms = self._progress.records, self._progress.last_commit_ms
        if records != self._seen[0]:
            self._source_s = now_s
        if commit_ms != self._seen[1]:
            self._target_s = now_s
        self._seen = (records, commit_ms)
        for alias, heard_s, settings in (
            (self._flow.source, self._source_s, self._clients.source_rdkafka),
            (self._flow.target, self._target_s, self._clients.target_rdkafka),
        ):
            if now_s - heard_s > _SILENT_S_MAX:
                name = cluster_name(alias, settings)
                return f"{name}: no answer for {now_s - heard_s:.0f} s"
        return ""

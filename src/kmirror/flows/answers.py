"""Since when a cluster has not answered: a dead one is to be seen before any request gives up."""

from __future__ import annotations

import math

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import cluster_name
from kmirror.clock import Clock
from kmirror.ends.clients import FlowClients
from kmirror.model import Flow
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.state.progress import Progress

_ASK_INTERVAL_S = 2.0
# Whoever looks at the source's ends has heard it as lately as this.
_HEARD_S = 1.5
# Brokers that act answer in milliseconds; on a slow link, what is copied is a sign of life, too.
_SILENT_S_MAX = 5.0


class Answers:
    """
    Asks both clusters every 2 s, the source only when nobody else had an answer just now.

    Requests give up after `admin.timeout.ms`, which is longer than somebody wants to look at a
    flow that seems to run. Only a question that waits tells of silence: with very many partitions
    it takes seconds until somebody has something to ask.

    Args:
        flow: Whose clusters they are.
        clients: Its clients.
        progress: How far it is: what is copied and committed, clusters have answered.
        clock: Where time comes from.
    """

    def __init__(self, flow: Flow, clients: FlowClients, progress: Progress, clock: Clock) -> None:
        self._progress = progress
        self._clock = clock
        self._source = _Asked(cluster_name(flow.source, clients.source_rdkafka), clients.source)
        self._target = _Asked(cluster_name(flow.target, clients.target_rdkafka), clients.target)
        self._seen = (0, 0)
        self._thread = PeriodicThread("kmirror-answers", clock, lambda _: True)
        self._thread.also(
            PeriodicTask(clock, _ASK_INTERVAL_S, self._ask_target, at_once=True),
            PeriodicTask(clock, _ASK_INTERVAL_S, self._ask_source, at_once=True),
        )

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def close(self) -> None:
        """Stop; an answer that is still on its way is not waited for."""
        self._thread.close()

    def heard_source(self) -> None:
        """Note that the source has answered somebody."""
        self._source.heard_s = self._clock.monotonic_s()

    def _ask_target(self) -> None:
        self._target.ask(self._clock)

    def _ask_source(self) -> None:
        if self._clock.monotonic_s() - self._source.heard_s > _HEARD_S:
            self._source.ask(self._clock)

    def silence(self) -> str:
        """Say which cluster has not answered for too long; empty when both have."""
        now_s = self._clock.monotonic_s()
        records, commit_ms = self._progress.records, self._progress.last_commit_ms
        if records != self._seen[0]:
            self._source.heard_s = now_s
        if commit_ms != self._seen[1]:
            self._target.heard_s = now_s
        self._seen = (records, commit_ms)
        for asked in (self._source, self._target):
            if (silent_s := asked.silent_s(now_s)) > _SILENT_S_MAX:
                return f"{asked.name}: no answer for {silent_s:.0f} s"
        return ""


class _Asked:
    """
    What is known of one cluster.

    Args:
        name: It, for messages.
        admin: Its control plane.
    """

    def __init__(self, name: str, admin: ClusterAdmin) -> None:
        self.name = name
        self._admin = admin
        self.heard_s = -math.inf
        # Since when somebody waits here; `None` when nobody does.
        self._asked_s: float | None = None

    def ask(self, clock: Clock) -> None:
        """
        Ask, and wait.

        Raises:
            ClusterError: It does not answer, or refuses; it still owes the answer.
        """
        if self._asked_s is None:
            self._asked_s = clock.monotonic_s()
        self._admin.describe()
        self.heard_s, self._asked_s = clock.monotonic_s(), None

    def silent_s(self, now_s: float) -> float:
        """Return for how long it has owed an answer, and given nobody else one; seconds."""
        asked_s = self._asked_s  # another thread takes it away
        return 0.0 if asked_s is None else now_s - max(asked_s, self.heard_s)

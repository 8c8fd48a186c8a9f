"""Since when a cluster has not answered: a dead one is to be seen before any request gives up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kmirror.admin.base import ClusterAdmin
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
    Asks each cluster that has answered nobody for 2 s for a sign of life.

    Requests give up after `admin.timeout.ms`, which is longer than somebody wants to look at a
    flow that seems to run. Each cluster has a thread: what one of them takes long for, or does not
    answer, says nothing of the other.

    Args:
        flow: Whose clusters they are.
        clients: Its clients.
        progress: How far it is: what is copied and committed, clusters have answered.
        clock: Where time comes from.
    """

    def __init__(self, flow: Flow, clients: FlowClients, progress: Progress, clock: Clock) -> None:
        self._progress = progress
        self._source = _Cluster(
            flow.source, clients.source, clients.source_rdkafka, clock, "kmirror-source-answers"
        )
        self._target = _Cluster(
            flow.target, clients.target, clients.target_rdkafka, clock, "kmirror-target-answers"
        )
        self._seen = (0, 0)

    def start(self) -> None:
        """Begin to ask."""
        for cluster in (self._source, self._target):
            cluster.heard()
            cluster.thread.start()

    def close(self) -> None:
        """Stop; an answer that is still on its way is not waited for."""
        for cluster in (self._source, self._target):
            cluster.thread.close()

    def heard_source(self) -> None:
        """Note that the source has answered somebody."""
        self._source.heard()

    def heard_target(self) -> None:
        """Note that the target has answered somebody."""
        self._target.heard()

    def silence(self) -> str:
        """Say which cluster has not answered for too long; empty when both have."""
        records, commit_ms = self._progress.records, self._progress.last_commit_ms
        if records != self._seen[0]:
            self._source.heard()
        if commit_ms != self._seen[1]:
            self._target.heard()
        self._seen = (records, commit_ms)
        return self._source.silence() or self._target.silence()


class _Cluster:
    """
    One of the two.

    Args:
        alias: Its alias.
        admin: Its control plane.
        settings: librdkafka settings for it.
        clock: Where time comes from.
        name: Of the thread that asks.
    """

    def __init__(
        self, alias: str, admin: ClusterAdmin, settings: Mapping[str, Any], clock: Clock, name: str
    ) -> None:
        self._alias = alias
        self._admin = admin
        self._settings = settings
        self._clock = clock
        self._heard_s = clock.monotonic_s()
        self.thread = PeriodicThread(name, clock, lambda _: True)
        self.thread.also(PeriodicTask(clock, 0.0, self.ask))

    def heard(self) -> None:
        """Note that it has answered somebody."""
        self._heard_s = self._clock.monotonic_s()

    def ask(self) -> None:
        """Ask, if nobody else had an answer lately."""
        if self._clock.monotonic_s() - self._heard_s >= _ASK_INTERVAL_S:
            self._admin.describe()
            self.heard()

    def silence(self) -> str:
        """Say that it has not answered for too long; empty when it has."""
        silent_s = self._clock.monotonic_s() - self._heard_s
        if silent_s <= _SILENT_S_MAX:
            return ""
        return f"{cluster_name(self._alias, self._settings)}: no answer for {silent_s:.0f} s"

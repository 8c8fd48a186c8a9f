"""What a worker runs, as one file would say it: for those who know files only."""

from __future__ import annotations

import threading
from dataclasses import replace

from kmirror.config.connector_settings import config_of_connectors
from kmirror.config.connectors import ConnectorFlow, ConnectorFlows
from kmirror.config.load import MirrorConfig
from kmirror.config.worker import WorkerConfig
from kmirror.connect.abstract_herder import AbstractHerder
from kmirror.connect.plan import Plan
from kmirror.model import Flow


class WorkerFile:
    """
    A worker's file with all connectors of its cluster, whichever worker runs them.

    Args:
        worker: The file.
        herder: Knows the connectors.
    """

    def __init__(self, worker: WorkerConfig, herder: AbstractHerder) -> None:
        self.worker = worker
        self._herder = herder
        self._lock = threading.Lock()
        self._made: tuple[Plan, MirrorConfig] | None = None

    def built(self) -> ConnectorFlows:
        """Return what the connectors come to; what is stopped is in `stopped`."""
        return self._herder.plan().built

    def stopped(self) -> tuple[ConnectorFlow, ...]:
        """Return the flows whose source connectors are stopped."""
        return self._herder.plan().stopped

    def config(self) -> MirrorConfig:
        """Return the same as one file; it is the same object as long as nothing changes."""
        with self._lock:
            plan = self._herder.plan()
            if self._made is None or self._made[0] is not plan:
                config = config_of_connectors(plan.built, self.worker)
                flows = plan.work(plan.flows).flows
                # What the target state of a connector pauses is told, too.
                known = tuple(flows[each.flow] for each in config.flows)
                self._made = plan, replace(config, flows=known)
            return self._made[1]

    def owner(self, flow: Flow) -> str:
        """Name the other worker that has a flow; empty where none does, as far as is known."""
        found = self._herder.owner(flow)
        return f"worker {found}" if found else ""

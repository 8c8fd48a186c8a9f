"""Keeps ACLs as long as a flow runs, in a thread of its own."""

from __future__ import annotations

import math

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterError
from kmirror.events.emit import emit
from kmirror.events.topic_acls import TOPIC_ACLS_CRASHED, TOPIC_ACLS_FAILED
from kmirror.parity.acl_sync import AclSync
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle
from kmirror.state.status import FlowState


class AclParity:
    """
    Gives the target the source's ACLs; its trouble never stops the copy.

    Args:
        config: The flow.
        clients: Its clients; whoever opened them closes them.
        throttle: Keeps what of the flow's trouble is in the log already.
        clock: Where time comes from.
    """

    def __init__(
        self, config: FlowConfig, clients: FlowClients, throttle: Throttle, clock: Clock
    ) -> None:
        self._config = config
        self._throttle = throttle
        self._is_started = False
        self._is_closed = False
        self._acls = AclSync(config, clients, clock)
        self._thread = PeriodicThread("kmirror-acls", clock, self._failed, release=self._acls.close)
        self._task = PeriodicTask(clock, math.inf, self._sync)
        self._thread.also(self._task)

    def start(self) -> None:
        """Begin, if the file leaves something to do."""
        interval_s = self._config.acls.interval_s
        self._task.change(math.inf if interval_s is None else interval_s)
        if interval_s is not None and not self._is_started:
            self._is_started = True
            self._thread.start()

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*, when it is started again."""
        self._acls.follow(config)
        self._config = config

    def close(self, timeout_s: float) -> None:
        """
        Stop.

        Args:
            timeout_s: How long to wait for what is being done; 0 waits for nothing.
        """
        self._is_closed = True
        self._thread.close(timeout_s)

    def _sync(self) -> None:
        if self._config.acls.interval_s is None:
            return
        try:
            self._acls.sync()
        except ClusterError as error:
            # A cluster that is away is one trouble, whoever meets it.
            kind = FlowState.WAITING.value if error.retriable else TOPIC_ACLS_FAILED.name
            if self._throttle.allows(kind):
                emit(TOPIC_ACLS_FAILED, flow=self._config.flow, error=error)

    def _failed(self, error: Exception) -> bool:
        """Log an error that nobody foresaw and go on; clients that are closed end it."""
        if self._is_closed:
            return False
        if self._throttle.allows(f"acls {type(error).__name__}"):
            emit(TOPIC_ACLS_CRASHED, flow=self._config.flow, error=error, trace=error)
        return True

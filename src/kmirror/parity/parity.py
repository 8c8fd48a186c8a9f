"""What a running flow keeps equal besides records, in a thread of its own."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Callable

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterError
from kmirror.events.deletions import DELETIONS_FAILED
from kmirror.events.emit import emit
from kmirror.events.topic_settings import TOPIC_SETTINGS_CRASHED, TOPIC_SETTINGS_FAILED
from kmirror.parity.acl_parity import AclParity
from kmirror.parity.deletions import DeletionSync
from kmirror.parity.log_starts import LogStartSync
from kmirror.parity.settings_sync import SettingsSync
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle
from kmirror.state.status import FlowState

# Retention looks every five minutes.
_LOG_START_S = 60.0
# As the look for topics: what was deleted is seen when all topics are looked at.
_DELETIONS_SHARE = 0.01


class Parity:
    """
    Keeps settings and ACLs of topics equal as long as a flow runs, and minds deleted topics.

    Its trouble never stops the copy.

    Args:
        config: The flow.
        clients: Its clients; whoever opened them closes them.
        throttle: Keeps what of the flow's trouble is in the log already.
        clock: Where time comes from.
        bounded: The flow ends by itself, and does not look for topics again.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        throttle: Throttle,
        clock: Clock,
        *,
        bounded: bool = False,
    ) -> None:
        self._config = config
        self._clients = clients
        self._throttle = throttle
        self._is_closed = False
        self._thread = PeriodicThread("kmirror-parity", clock, self._failed)
        self._settings = SettingsSync(config, clients.source, clients.target)
        self._task = PeriodicTask(clock, _interval_s(config), self._sync)
        self._thread.also(self._task)
        self._is_started = False
        self._clock = clock
        self._by = f"process {os.getpid()} on {platform.node()}"
        self._deletions = DeletionSync(config, clients, clock, self._by)
        self._log_starts = LogStartSync(config, clients, clock)
        self._acls = AclParity(config, clients, throttle, clock)
        self._minds = not bounded and not config.policy.merges
        if self._minds and config.minds_deletions:
            self._thread.also(
                PeriodicTask(
                    clock,
                    config.refresh_topics_interval_s,
                    self._mind_deletions,
                    share=_DELETIONS_SHARE,
                    rest_s_max=config.refresh_topics_rest_s_max,
                )
            )
        if self._minds and config.sync_log_start:
            self._thread.also(PeriodicTask(clock, _LOG_START_S, self._trim, at_once=True))

    def start(self) -> None:
        """Begin, if the file leaves something to do."""
        config = self._config
        self._acls.start()
        minds = self._minds and (config.minds_deletions or config.sync_log_start)
        if config.sync_topic_configs_interval_s is not None:
            self._task.change(_interval_s(config))
        elif not minds:
            return
        if not self._is_started:
            self._is_started = True
            self._thread.start()

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*: compare at once what it wants to be kept equal."""
        self._settings = SettingsSync(config, self._clients.source, self._clients.target)
        self._deletions = DeletionSync(config, self._clients, self._clock, self._by)
        self._log_starts = LogStartSync(config, self._clients, self._clock)
        self._acls.follow(config)
        self._config = config
        self.start()

    def close(self, timeout_s: float) -> None:
        """
        Stop.

        Args:
            timeout_s: How long to wait for what is being done; 0 waits for nothing.
        """
        self._is_closed = True
        self._acls.close(timeout_s)
        self._thread.close(timeout_s)

    def _sync(self) -> None:
        if self._config.sync_topic_configs_interval_s is None:
            return
        try:
            self._settings.sync()
        except ClusterError as error:
            # A cluster that is away is one trouble, whoever meets it.
            kind = FlowState.WAITING.value if error.retriable else TOPIC_SETTINGS_FAILED.name
            if self._throttle.allows(kind):
                emit(TOPIC_SETTINGS_FAILED, flow=self._config.flow, error=error)

    def _mind_deletions(self) -> None:
        if self._config.refresh_topics_enabled:
            self._minded(self._deletions.sync)

    def _minded(self, sync: Callable[[], object]) -> None:
        try:
            sync()
        except ClusterError as error:
            kind = FlowState.WAITING.value if error.retriable else DELETIONS_FAILED.name
            if self._throttle.allows(kind):
                emit(DELETIONS_FAILED, flow=self._config.flow, error=error)

    def _trim(self) -> None:
        self._minded(self._log_starts.sync)

    def _failed(self, error: Exception) -> bool:
        """Log an error that nobody foresaw and go on; clients that are closed end it."""
        if self._is_closed:
            return False
        if self._throttle.allows(type(error).__name__):
            emit(TOPIC_SETTINGS_CRASHED, flow=self._config.flow, error=error, trace=error)
        return True


def _interval_s(config: FlowConfig) -> float:
    interval_s = config.sync_topic_configs_interval_s
    return math.inf if interval_s is None else interval_s

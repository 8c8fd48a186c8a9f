"""What a running flow keeps equal besides records, in a thread of its own."""

from __future__ import annotations

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterError
from kmirror.events.emit import emit
from kmirror.events.topic_settings import TOPIC_SETTINGS_CRASHED, TOPIC_SETTINGS_FAILED
from kmirror.parity.settings_sync import SettingsSync
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle
from kmirror.state.status import FlowState


class Parity:
    """
    Keeps settings of topics equal as long as a flow runs; its trouble never stops the copy.

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
        self._is_closed = False
        self._thread = PeriodicThread("kmirror-parity", clock, self._failed)
        self._settings = SettingsSync(config, clients.source, clients.target)
        interval_s = config.sync_topic_configs_interval_s
        self._has_work = interval_s is not None
        if interval_s is not None:
            self._thread.also(PeriodicTask(clock, interval_s, self._sync, at_once=True))

    def start(self) -> None:
        """Begin, if the file leaves something to do."""
        if self._has_work:
            self._thread.start()

    def close(self, timeout_s: float) -> None:
        """
        Stop.

        Args:
            timeout_s: How long to wait for what is being done; 0 waits for nothing.
        """
        self._is_closed = True
        self._thread.close(timeout_s)

    def _sync(self) -> None:
        try:
            self._settings.sync()
        except ClusterError as error:
            # A cluster that is away is one trouble, whoever meets it.
            kind = FlowState.WAITING.value if error.retriable else TOPIC_SETTINGS_FAILED.name
            if self._throttle.allows(kind):
                emit(TOPIC_SETTINGS_FAILED, flow=self._config.flow, error=error)

    def _failed(self, error: Exception) -> bool:
        """Log an error that nobody foresaw and go on; clients that are closed end it."""
        if self._is_closed:
            return False
        if self._throttle.allows(type(error).__name__):
            emit(TOPIC_SETTINGS_CRASHED, flow=self._config.flow, error=error, trace=error)
        return True

"""Sends metrics to a collector every so often, beside the flows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client.metrics_core import Metric as Family

from kmirror.clock import Clock
from kmirror.config.otlp import OtlpConfig
from kmirror.events.emit import emit
from kmirror.events.metrics import METRICS_SENDING, METRICS_TAKEN, METRICS_UNSENT
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle
from kmirror.state.otlp.collector_client import CollectorClient

_LAST_S_MAX = 2.0
_LOOK_S = 0.5
_UNSENT = "metrics are not taken"


class OtlpExport:
    """
    Sends all metrics to a collector from `start` to `stop`, in a thread of its own.

    A collector that is away, slow or in a bad mood is nobody's trouble but this thread's.

    Args:
        config: Where it is, and how it is spoken to.
        process: Names this process among others.
        clock: Where time comes from.

    Raises:
        ConfigError: A file that it names is not there.
    """

    def __init__(self, config: OtlpConfig, process: str, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._client = CollectorClient(config, process)
        self._throttle = Throttle(clock)
        self._fails = False
        self._has_ended = False

    def start(self, families: Callable[[], Iterable[Family]]) -> None:
        """
        Begin to send: now, every so often, and at the end.

        Args:
            families: Gives what `/metrics` would serve at this moment.
        """
        self._families = families
        self._began_ns = self._now_ns()
        self._thread = PeriodicThread(
            "kmirror-otlp", self._clock, self._failed, interval_s=_LOOK_S, finish=self._finish
        )
        self._thread.also(
            PeriodicTask(self._clock, self._config.interval_s, self._send, at_once=True)
        )
        emit(METRICS_SENDING, address=self._config.url)
        self._thread.start()

    def stop(self) -> None:
        """End: what a bounded copy did is still sent, but nobody is waited for for long."""
        self._thread.close(_LAST_S_MAX)
        # What is given up from now on is no trouble of the collector's.
        self._has_ended = True
        self._client.close()

    def _send(self) -> None:
        families, now_ns = self._families(), self._now_ns()
        if why := self._client.send(families, began_ns=self._began_ns, now_ns=now_ns):
            self._tell(why)
        elif self._fails:
            self._fails = False
            emit(METRICS_TAKEN, address=self._config.url)

    def _finish(self) -> None:
        if self._has_ended:
            return
        try:
            self._send()
        except Exception as error:  # noqa: BLE001 - the process ends, whatever it was
            self._failed(error)

    def _failed(self, error: Exception) -> bool:
        self._tell(f"{type(error).__name__}: {error}")
        return True

    def _tell(self, why: str) -> None:
        self._fails = True
        if not self._has_ended and self._throttle.allows(_UNSENT):
            emit(METRICS_UNSENT, address=self._config.url, reason=why)

    def _now_ns(self) -> int:
        return self._clock.wall_ms() * 1_000_000

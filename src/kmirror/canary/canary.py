"""Keeps a flow's canary going, in a thread, whatever happens to its clusters."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack

from confluent_kafka import KafkaException

from kmirror.admin import _errors
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.connection import cluster_name
from kmirror.canary.prober import DOING, CanarySide, Prober
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.errors import MirrorError
from kmirror.events.canary import (
    CANARY_CRASHED,
    CANARY_FAILED,
    CANARY_LOST,
    CANARY_STARTED,
    CANARY_WRONG,
)
from kmirror.events.emit import emit
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.schedule.throttle import Throttle
from kmirror.state.canary_figures import CanaryCounts, CanaryFigures

_STEP_S = 0.1
_PAUSE_S = 5.0
_TELL_S = 10.0


class Canary:
    """
    The canary of one flow.

    Args:
        config: The flow.
        figures: Take what it sees.
        clock: Where time comes from.
        topic: Another topic of the source that the flow copies; by default the canary's own.
        writes: Asked again and again whether records are written: not for a flow that another
            driver has.
    """

    def __init__(
        self,
        config: FlowConfig,
        figures: CanaryFigures,
        clock: Clock,
        *,
        topic: str | None = None,
        writes: Callable[[], bool] = lambda: True,
    ) -> None:
        self._config = config
        self._figures = figures
        self._clock = clock
        self._topic = topic or config.canary_topic
        self._writes = writes
        self._throttle = Throttle(clock)
        self._told = CanaryCounts()
        self._told_s = 0.0
        self._stop = threading.Event()
        self._has_begun = False
        self._thread = threading.Thread(
            target=self._keep, name=f"kmirror-canary-{config.flow}", daemon=True
        )

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._thread.is_alive()

    def close(self, timeout_s: float = 0.0) -> None:
        """
        End.

        Args:
            timeout_s: How long to wait for it.
        """
        self._stop.set()
        self._thread.join(timeout_s)

    def _keep(self) -> None:
        while not self._stop.is_set():
            try:
                self._run()
            except (MirrorError, KafkaException) as error:
                self._fail(error)
            except Exception as error:  # noqa: BLE001 - a canary that is gone would be a good sign
                self._crash(error)
            self._clock.wait(self._stop, _PAUSE_S)

    def _run(self) -> None:
        with ExitStack() as undo:
            source, target = self._sides(undo)
            prober = undo.enter_context(
                Prober(
                    source,
                    target,
                    self._figures,
                    interval_s=self._config.canary.interval_s,
                    clock=self._clock,
                )
            )
            prober.begin()
            self._figures.trouble = ""
            if not self._has_begun:
                emit(CANARY_STARTED, flow=self._config.flow, topic=self._topic)
            self._has_begun = True
            while not self._stop.is_set():
                prober.step(_STEP_S, writes=self._writes())
                self._tell()

    def _sides(self, undo: ExitStack) -> tuple[CanarySide, CanarySide]:
        config = self._config
        flow, copy = config.flow, config.topic_selection().remote_topic(self._topic)
        sides = []
        for alias, admin, topic in (
            (flow.source, config.source_admin, self._topic),
            (flow.target, config.target_admin, copy),
        ):
            settings = librdkafka_settings(admin)
            side = CanarySide(
                topic=topic,
                name=cluster_name(alias, settings),
                admin=KafkaAdmin(
                    alias, settings, timeout_s=config.admin_request_timeout_s, clock=self._clock
                ),
                settings=settings,
            )
            undo.callback(side.admin.close)
            sides.append(side)
        return sides[0], sides[1]

    def _fail(self, error: Exception) -> None:
        if not isinstance(error, MirrorError):
            error = _errors.translate(error, cluster=str(self._config.flow), doing=DOING)
        self._figures.trouble = str(error)
        if self._throttle.allows(type(error).__name__):
            emit(CANARY_FAILED, flow=self._config.flow, error=error)

    def _crash(self, error: Exception) -> None:
        self._figures.trouble = f"unexpected: {error!r}"
        if self._throttle.allows(f"crash {type(error).__name__}"):
            emit(CANARY_CRASHED, flow=self._config.flow, error=error, trace=error)

    def _tell(self) -> None:
        """Log what is wrong, a few seconds together."""
        now_s = self._clock.monotonic_s()
        if now_s - self._told_s < _TELL_S:
            return
        self._told_s = now_s
        before, now = self._told, self._figures.counts(self._clock.wall_ms() * 1000)
        self._told = now
        flow = self._config.flow
        if now.lost > before.lost:
            emit(CANARY_LOST, flow=flow, lost_records=now.lost - before.lost)
        twice, wrong = now.duplicated - before.duplicated, now.reordered - before.reordered
        if twice or wrong:
            emit(CANARY_WRONG, flow=flow, duplicated_records=twice, reordered_records=wrong)

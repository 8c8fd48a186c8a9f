"""Spark as flows see it: they begin while it still starts, and wait when they need it."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from pyspark.sql import SparkSession

from kmirror.clock import Clock
from kmirror.pipeline.executors import Executors

_POLL_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """
    Spark, started.

    Args:
        spark: The process's session.
        executors: Its executors.
    """

    spark: SparkSession
    executors: Executors


class EngineStart:
    """
    A Spark that may still be starting. If it never comes, whoever started it ends the waiting.

    Args:
        clock: For waiting.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine | None:
        """Spark, if it is there."""
        return self._engine

    def finish(self, engine: Engine) -> None:
        """Let everybody have it who waits."""
        self._engine = engine

    def wait(self, stop: threading.Event) -> Engine | None:
        """Return Spark as soon as it is there; `None` when *stop* was set before."""
        while (engine := self._engine) is None:
            if self._clock.wait(stop, _POLL_S):
                return None
        return engine

"""kmirror's own processes, as far as whoever serves the console knows them."""

from __future__ import annotations

from collections.abc import Callable

import kmirror
from kmirror.api.clusters import ProcessView
from kmirror.clock import Clock
from kmirror.console.kept_answers import KeptAnswers
from kmirror.pipeline.figures import JvmFigures, SparkFigures

# Asking a JVM takes milliseconds, and many tabs may look.
_KEEP_S = 2.0


class Processes:
    """
    Says what they use.

    Args:
        name: Of this process.
        role: What it is for.
        jvm: Says what Spark's JVMs use; `None` while there is none.
        clock: Where time comes from.
    """

    def __init__(
        self, name: str, role: str, jvm: Callable[[], SparkFigures | None], clock: Clock
    ) -> None:
        self._this = ProcessView(
            name=name, role=role, version=kmirror.__version__, since_ms=clock.wall_ms()
        )
        self._jvm = jvm
        self._kept = KeptAnswers[tuple[ProcessView, ...]](_KEEP_S, clock)

    def all(self) -> tuple[ProcessView, ...]:
        """Return them, this one first."""
        return self._kept.get("all", self._ask)

    def _ask(self) -> tuple[ProcessView, ...]:
        spark = self._jvm()
        if spark is None:
            return (self._this,)
        host = self._this.name.rpartition(":")[0]
        executors = (
            _view(each.executor, "executor of Spark", each.host, each.jvm)
            for each in spark.executors
        )
        return (self._this, _view(host, "driver of Spark", host, spark.driver), *executors)


def _view(name: str, role: str, host: str, jvm: JvmFigures) -> ProcessView:
    return ProcessView(
        name=name if name == host else f"{name} on {host}",
        role=role,
        heap_bytes=jvm.heap_bytes,
        heap_max_bytes=jvm.heap_max_bytes,
        nonheap_bytes=jvm.nonheap_bytes,
        threads=jvm.threads,
        gc_s=sum(seconds for _, _, seconds in jvm.collectors),
    )

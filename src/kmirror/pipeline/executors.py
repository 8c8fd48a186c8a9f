"""What Spark's executors offer: every slot needs a core of theirs, for as long as it runs."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from kmirror.pipeline.master import SPARE_CORES, Master


class Executors:
    """
    The executors of a session.

    Args:
        spark: The session.
        slots: Tasks that run at the same time, for ever.
    """

    def __init__(self, spark: SparkSession, slots: int) -> None:
        context = spark.sparkContext
        self._master = Master(context.master or "")
        self._context: Any = context._jsc.sc()  # noqa: SLF001 - PySpark's own way to Spark
        self._slots = slots

    def need(self, slots: int) -> None:
        """Have other flows' slots from now on."""
        self._slots = slots

    def lack_for(self, slots: int) -> str:
        """Say what more slots than now would lack; empty when there is a core for each."""
        if slots <= self._slots:
            return ""
        if self._master.is_one_process:
            cores = int(self._context.defaultParallelism()) - SPARE_CORES
        else:
            cores = self._cores()
        if cores >= slots:
            return ""
        return f"{self._master.url} has room for {cores} slots, and {slots} would be needed"

    def shortage(self) -> str:
        """
        Say what is missing; empty when every slot has its core.

        Spark itself lets a task without a core wait, and says nothing.
        """
        if self._master.is_one_process:
            return ""
        cores = self._cores()
        if cores >= self._slots:
            return ""
        return (
            f"{self._master.url} offers {cores} cores, the flows need {self._slots}: one for each "
            "slot"
        )

    def _cores(self) -> int:
        # `defaultParallelism` would say 2 where there is none.
        found = self._context.statusStore().executorList(True)
        return sum(found.apply(at).totalCores() for at in range(found.size()))

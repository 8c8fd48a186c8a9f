"""What Spark's executors offer: every slot needs a core of theirs, for as long as it runs."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from kmirror.pipeline.master import Master


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

    def shortage(self) -> str:
        """
        Say what is missing; empty when every slot has its core.

        Spark itself lets a task without a core wait, and says nothing.
        """
        if self._master.is_one_process:
            return ""
        # `defaultParallelism` would say 2 where there is none.
        found = self._context.statusStore().executorList(True)
        cores = sum(found.apply(at).totalCores() for at in range(found.size()))
        if cores >= self._slots:
            return ""
        return (
            f"{self._master.url} offers {cores} cores, the flows need {self._slots}: one for each "
            "slot"
        )

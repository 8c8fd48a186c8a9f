"""One flow's streaming query, from the `kmirror` source to the `kmirror` sink."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kmirror.clock import Clock
from kmirror.errors import PipelineError
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.transform import Transform, apply_transform

_POLL_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec:
    """
    How to run a flow's query.

    Args:
        flow: `S->T`.
        generation: The generation that the plan is for.
        plan: The plan file.
        checkpoint: A folder of Spark's own, fresh for every start: state lives on the target.
        transform: What happens to records on their way.
        bounded: Copy up to the ends named in the plan, then finish.
        batch_duration_s: How long one real-time batch lasts, seconds.
    """

    flow: str
    generation: int
    plan: Path
    checkpoint: Path
    transform: Transform
    bounded: bool
    batch_duration_s: int


class FlowQuery:
    """A running query; `start` makes one."""

    def __init__(self, spec: QuerySpec, query: StreamingQuery, desk: Desk, clock: Clock) -> None:
        self._spec = spec
        self._query = query
        self._desk = desk
        self._clock = clock

    @classmethod
    @calling_jvm()
    def start(cls, spark: SparkSession, spec: QuerySpec, desk: Desk, clock: Clock) -> FlowQuery:
        """
        Start the query.

        Raises:
            PipelineError: Spark refused it.
        """
        try:
            source = spark.readStream.format("kmirror").option("plan", str(spec.plan)).load()
            writer: Any = apply_transform(source, spec.transform).writeStream.format("kmirror")
            writer = writer.queryName(f"{spec.flow} generation {spec.generation}")
            writer = writer.option("checkpointLocation", str(spec.checkpoint)).outputMode("update")
            if spec.bounded:
                writer = writer.trigger(availableNow=True)
            else:
                writer = writer.trigger(realTime=f"{spec.batch_duration_s} seconds")
            # Its tasks inherit it; `log4j2.properties` writes it.
            spark.sparkContext.setLocalProperty("mdc.flow", spec.flow)
            query = writer.start()
        except PySparkException as error:
            raise PipelineError(f"{spec.flow}: Spark refused the query: {error}") from error
        return cls(spec, query, desk, clock)

    @property
    @calling_jvm()
    def active(self) -> bool:
        """Whether the query still runs."""
        return bool(self._query.isActive)

    @property
    @calling_jvm()
    def has_run(self) -> bool:
        """Whether a batch of it has come to its end."""
        return self._query.lastProgress is not None

    @calling_jvm()
    def failure(self) -> str:
        """Say why the query ended, in one line; empty when it ended well."""
        error = self._query.exception()
        return _root_cause(str(error)) if error is not None else ""

    @calling_jvm()
    def stop(self, timeout_s: float) -> bool:
        """
        Let the lanes finish their transactions, then end the query.

        Args:
            timeout_s: After this long the query is ended all the same; what was open is aborted by
                whoever comes next.

        Returns:
            Whether the lanes came to rest in time, without a failure.
        """
        deadline_s = self._clock.monotonic_s() + timeout_s
        never = threading.Event()
        self._desk.stop(self._spec.flow, self._spec.generation)
        while self.active and not self._drained():
            if self._clock.monotonic_s() > deadline_s:
                break
            self._clock.wait(never, _POLL_S)
        drained = self._drained() or not (self.active or self.failure())
        self._query.stop()
        return drained

    def _drained(self) -> bool:
        return self._desk.drained(self._spec.flow, self._spec.generation)


def _root_cause(text: str) -> str:
    """Find the innermost cause in Spark's wrapping of wrappings."""
    causes = [line.strip() for line in text.splitlines() if line.strip().startswith("Caused by:")]
    if causes:
        return causes[-1].removeprefix("Caused by:").strip()
    for line in text.splitlines():
        if "Exception" in line and "StreamingQueryException" not in line:
            return line.strip()
    return text.splitlines()[0] if text else "unknown"

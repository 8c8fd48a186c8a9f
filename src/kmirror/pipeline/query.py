"""One flow's streaming query, from the `kmirror` source to the `kmirror` sink."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kmirror.clock import Clock
from kmirror.errors import JvmLost, PipelineError
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.engine import EngineStart
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.transform import Transform, apply_transform

_POLL_S = 0.05
# Spark writes Java for each query, and compiles that: for rows that name a batch it takes longer
# than it ever saves.
_INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec:
    """
    How to run a flow's query.

    Args:
        flow: `S->T`.
        number: Which of the process's queries of the flow it is, for people.
        plan: The plan file. The query may begin before it is there: its tasks wait for it.
        checkpoint: A folder of Spark's own, fresh for every start: state lives on the target.
        transform: What happens to records on their way.
        whole_batches: Rows are record batches; otherwise they are records. The plan says it, too.
        bounded: Copy up to the ends named in the plan, then finish.
        batch_duration_s: How long one real-time batch lasts, seconds.
    """

    flow: str
    number: int
    plan: Path
    checkpoint: Path
    transform: Transform
    whole_batches: bool
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
            session = _interpreting(spark) if spec.whole_batches else spark
            reader = session.readStream.format("kmirror").option("plan", str(spec.plan))
            source = reader.option("whole-batches", spec.whole_batches).load()
            writer: Any = apply_transform(source, spec.transform).writeStream.format("kmirror")
            writer = writer.queryName(f"{spec.flow} query {spec.number}")
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
    def stop(self, generation: int, timeout_s: float) -> bool:
        """
        Let the lanes finish their transactions, then end the query.

        Args:
            generation: The generation that the plan is for.
            timeout_s: After this long the query is ended all the same; what was open is aborted by
                whoever comes next.

        Returns:
            Whether the lanes came to rest in time, without a failure.
        """
        deadline_s = self._clock.monotonic_s() + timeout_s
        never = threading.Event()
        flow, drained = self._spec.flow, self._desk.drained
        self._desk.stop(flow, generation)
        while self.active and not drained(flow, generation):
            if self._clock.monotonic_s() > deadline_s:
                break
            self._clock.wait(never, _POLL_S)
        is_at_rest = drained(flow, generation) or not (self.active or self.failure())
        self._query.stop()
        return is_at_rest

    @calling_jvm()
    def abort(self) -> None:
        """End the query; what is open is aborted by whoever comes next."""
        self._query.stop()


class QueryStart:
    """
    A query that begins by itself while other things are done, as soon as Spark is there.

    Args:
        spark: The process's Spark.
        spec: The query.
        desk: The lanes' desk.
        clock: Where time comes from.
    """

    def __init__(self, spark: EngineStart, spec: QuerySpec, desk: Desk, clock: Clock) -> None:
        self.spec = spec
        self._spark, self._desk, self._clock = spark, desk, clock
        self._given_up = threading.Event()
        self._query: Future[FlowQuery | None] = Future()
        threading.Thread(target=self._run, name=f"{spec.flow} query", daemon=True).start()

    def query(self) -> FlowQuery:
        """
        Return the query. Spark has to be there.

        Raises:
            PipelineError: Spark refused it.
        """
        query = self._query.result()
        assert query is not None, "it was not given up"
        return query

    def close(self) -> None:
        """Remove what it had on the disk; a query that nobody has asked for is given up."""
        self._given_up.set()
        self._query.add_done_callback(self._remove)

    def _run(self) -> None:
        try:
            engine = self._spark.wait(self._given_up)
            query = None
            if engine is not None:
                query = FlowQuery.start(engine.spark, self.spec, self._desk, self._clock)
        except BaseException as error:  # noqa: BLE001 - whoever asks for the query raises it
            self._query.set_exception(error)
        else:
            self._query.set_result(query)

    def _remove(self, started: Future[FlowQuery | None]) -> None:
        query = None if started.exception() else started.result()
        if query is not None:
            with suppress(JvmLost):
                query.abort()
        self.spec.plan.unlink(missing_ok=True)
        shutil.rmtree(self.spec.checkpoint, ignore_errors=True)


def _interpreting(spark: SparkSession) -> SparkSession:
    """Return a session whose queries are not compiled."""
    session = spark.newSession()
    for name, value in _INTERPRETED.items():
        session.conf.set(name, value)
    return session


def _root_cause(text: str) -> str:
    """Find the innermost cause in Spark's wrapping of wrappings."""
    causes = [line.strip() for line in text.splitlines() if line.strip().startswith("Caused by:")]
    if causes:
        return causes[-1].removeprefix("Caused by:").strip()
    for line in text.splitlines():
        if "Exception" in line and "StreamingQueryException" not in line:
            return line.strip()
    return text.splitlines()[0] if text else "unknown"

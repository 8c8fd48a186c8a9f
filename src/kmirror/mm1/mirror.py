"""MirrorMaker 1 on Spark: one process, one query, a task for each stream."""

from __future__ import annotations

import enum
import threading

from kmirror.clock import Clock
from kmirror.errors import ConfigError, JvmLost
from kmirror.events.emit import emit
from kmirror.events.mm1 import (
    STREAM_ASSIGNED,
    STREAM_COMMIT_DELAYED,
    STREAM_COMMIT_REFUSED,
    STREAM_DIED,
    STREAM_DROPPED,
    STREAM_LOST,
    STREAM_REVOKED,
    STREAM_WAITING,
    STREAMS_COPIED,
    STREAMS_PROGRESS,
    STREAMS_STARTED,
    STREAMS_UNFINISHED,
)
from kmirror.events.table import SPARK_STARTING
from kmirror.mm1.config import Mm1Config
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.streams import (
    StreamEvent,
    StreamsQuery,
    StreamsReport,
    StreamsSpec,
    streams_problems,
)
from kmirror.plans.text import first_few
from kmirror.schedule.throttle import Throttle

_TICK_S = 0.2
_PROGRESS_S = 60.0
# SIGTERM promises an end within 10 s: to flush and commit, to leave the group; the rest is Spark's.
_END_S_MAX = 6.0
_ABANDON_S_MAX = 1.5
# One that dies takes nobody's time: the others may wait for the target as long as one poll may.
_END_DYING_S_MAX = 60.0
_WAITING_S_MIN = 10.0


class Mm1Outcome(enum.Enum):
    """How a MirrorMaker 1 ended."""

    STOPPED = "stopped"
    DIED = "died"


class Mm1:
    """
    Make it in the main thread: Spark's JVM is started here. See `SparkProcess`.

    Args:
        config: What it does.
        clock: Where time comes from.

    Raises:
        EnvironmentProblem: Java or the jars are missing.
    """

    def __init__(self, config: Mm1Config, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._throttle = Throttle(clock)
        self._told_s = clock.monotonic_s()
        self._told = (0, 0)
        emit(SPARK_STARTING, master="in this process")
        launch = SparkLaunch(app=f"kmirror mm1 {config.group}", slots=config.streams)
        self._folder = launch.folder
        self._spark = SparkProcess(launch, clock)

    def __enter__(self) -> Mm1:
        return self

    def __exit__(self, *_: object) -> None:
        self._spark.close()

    def run(self, stop: threading.Event) -> Mm1Outcome:
        """
        Copy until *stop* is set, or a stream dies; may be called once.

        Raises:
            ConfigError: A client, or Java, refuses what the files or the command line say.
            EnvironmentProblem: Spark does not start.
            PipelineError: Spark refused the query.
            JvmLost: The JVM ended.
        """
        session = self._spark.open(self._clock, stop)
        if session is None:
            return Mm1Outcome.STOPPED
        spec, jvm = self._spec(), self._spark.gateway.jvm
        if problems := streams_problems(jvm, spec):
            raise ConfigError(problems, self._config.warnings)
        query = StreamsQuery.start(session, jvm, spec, self._folder)
        config = self._config
        emit(
            STREAMS_STARTED,
            group=config.group,
            stream_count=config.streams,
            patterns=(config.topics,),
        )
        self._told_s = self._clock.monotonic_s()
        try:
            return self._watch(query, stop)
        except JvmLost as error:
            raise JvmLost(self._spark.end() or str(error)) from error

    def _watch(self, query: StreamsQuery, stop: threading.Event) -> Mm1Outcome:
        while not self._clock.wait(stop, _TICK_S):
            report = query.report()
            self._tell(report)
            self._tell_progress(report)
            if report.failure is not None:
                break
            if not query.active:
                self._say_died(0, query.failure() or "Spark ended the query")
                return Mm1Outcome.DIED
        return self._end(query, dying=not stop.is_set())

    def _end(self, query: StreamsQuery, *, dying: bool) -> Mm1Outcome:
        """Let the streams flush, commit and leave the group; then end the query."""
        query.end_streams()
        report = self._await_rest(query, _END_DYING_S_MAX if dying else _END_S_MAX)
        if not report.is_at_rest:
            emit(STREAMS_UNFINISHED, group=self._config.group)
            query.abandon_streams()
            report = self._await_rest(query, _ABANDON_S_MAX)
        if report.is_at_rest:
            query.stop()  # otherwise it would be torn from what it is at, and say so at length
        failure = report.failure
        if failure is not None:
            self._say_died(failure.stream, failure.error.words)
        emit(
            STREAMS_COPIED,
            group=self._config.group,
            records=report.records,
            bytes=report.bytes,
            skipped_records=report.dropped,
        )
        return Mm1Outcome.STOPPED if failure is None else Mm1Outcome.DIED

    def _await_rest(self, query: StreamsQuery, s_max: float) -> StreamsReport:
        """Tell what streams have to say, until all have ended, or for so long."""
        deadline_s = self._clock.monotonic_s() + s_max
        never = threading.Event()
        while True:
            report = query.report()
            self._tell(report)
            if report.is_at_rest or not query.active or self._clock.monotonic_s() > deadline_s:
                return report
            self._clock.wait(never, _TICK_S)

    def _tell(self, report: StreamsReport) -> None:
        for event in report.events:
            self._tell_event(event)
        for drops in report.drops:
            emit(
                STREAM_DROPPED,
                group=self._config.group,
                skipped_records=drops.count,
                topic=drops.topic,
                reason=drops.error.words,
            )

        for wait in report.waits:
            if wait.s >= _WAITING_S_MIN and self._throttle.allows(str(wait.stream)):
                emit(
                    STREAM_WAITING,
                    group=self._config.group,
                    stream=wait.stream,
                    topic=wait.topic,
                    duration_s=wait.s,
                )

    def _tell_event(self, event: StreamEvent) -> None:
        group, stream = self._config.group, event.stream
        places = first_few(event.partitions)
        reason = "" if event.error is None else event.error.words
        match event.kind:
            case "assigned":
                emit(STREAM_ASSIGNED, group=group, stream=stream, places=places)
            case "revoked":
                emit(STREAM_REVOKED, group=group, stream=stream, places=places)
            case "lost":
                emit(STREAM_LOST, group=group, stream=stream, places=places)
            case "commit_refused":
                emit(STREAM_COMMIT_REFUSED, group=group, stream=stream, reason=reason)
            case "commit_late":
                emit(STREAM_COMMIT_DELAYED, group=group, stream=stream, reason=reason)
            case unknown:
                raise AssertionError(f"the connector tells of {unknown}")

    def _tell_progress(self, report: StreamsReport) -> None:
        now_s = self._clock.monotonic_s()
        passed_s = now_s - self._told_s
        if passed_s < _PROGRESS_S:
            return
        records, size = self._told
        self._told_s, self._told = now_s, (report.records, report.bytes)
        emit(
            STREAMS_PROGRESS,
            group=self._config.group,
            records_per_s=(report.records - records) / passed_s,
            bytes_per_s=(report.bytes - size) / passed_s,
        )

    def _say_died(self, stream: int, why: str) -> None:
        emit(STREAM_DIED, group=self._config.group, stream=stream, reason=why)

    def _spec(self) -> StreamsSpec:
        config = self._config
        return StreamsSpec(
            group=config.group,
            topics=config.topics,
            streams=config.streams,
            commit_interval_ms=config.commit_interval_ms,
            abort_on_send_failure=config.abort_on_send_failure,
            one_by_one=config.one_by_one,
            consumer=config.consumer,
            producer=config.producer,
        )

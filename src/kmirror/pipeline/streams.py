"""
The streams of a MirrorMaker 1 in Spark's JVM (`io.kmirror.Streams`): one query, a task for each.

Each task reads as a member of a consumer group on the source. Driver and tasks are one process, so
what streams tell needs no way of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kmirror.config.client_properties import ClientProperties
from kmirror.errors import PipelineError, Problem
from kmirror.model import ClientError
from kmirror.pipeline.client_check import client_problems
from kmirror.pipeline.java_errors import client_error
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.private_file import write_private

# A stream looks so often whether it has to end, or to commit.
_POLL_MS = 100
# As MirrorMaker 1 waits before it tries a commit again.
_COMMIT_RETRY_MS = 100
# SIGTERM promises an end within 10 s: a commit and the group's goodbye have so long each.
_END_MS = 3_000
_BATCH_S = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsSpec:
    """
    What the streams do.

    Args:
        group: The consumer group on the source.
        topics: A regular expression of Java's.
        streams: How many.
        commit_interval_ms: Time between two commits.
        abort_on_send_failure: End when a record cannot be sent.
        one_by_one: Wait for each record's acknowledgement.
        consumer, producer: Java client properties.
    """

    group: str
    topics: str
    streams: int
    commit_interval_ms: int
    abort_on_send_failure: bool
    one_by_one: bool
    consumer: ClientProperties
    producer: ClientProperties


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """
    Something happened to a stream.

    Args:
        stream: Which, from 0.
        kind: `assigned`, `revoked`, `lost`, `commit_refused` or `commit_late`.
        partitions: Whose, as `topic-0`.
        error: Why a commit did not succeed.
    """

    stream: int
    kind: str
    partitions: tuple[str, ...] = ()
    error: ClientError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drops:
    """
    Records that could not be sent, and that the copy goes on without.

    Args:
        topic: Whose.
        count: How many, since they were told last.
        error: Why the last of them was not.
    """

    topic: str
    count: int
    error: ClientError


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamWait:
    """
    A stream that has a record which its producer does not take yet.

    Args:
        stream: Which, from 0.
        topic: Of the target.
        s: For how long, seconds.
    """

    stream: int
    topic: str
    s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFailure:
    """
    Why a stream died.

    Args:
        stream: Which, from 0.
        error: What a client of Kafka said.
    """

    stream: int
    error: ClientError


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsReport:
    """
    What streams tell.

    Args:
        records: Sent since the start.
        bytes: Of those: keys, values and headers.
        dropped: Left out since the start.
        events: What has happened since they were asked last.
        drops: What was left out since then.
        waits: Who waits for the target at this moment.
        failure: Why one died; the others end then.
        is_at_rest: All have committed what they could, and left the group.
    """

    records: int
    bytes: int
    dropped: int
    events: tuple[StreamEvent, ...]
    drops: tuple[Drops, ...]
    waits: tuple[StreamWait, ...]
    failure: StreamFailure | None
    is_at_rest: bool


def streams_problems(jvm: Any, spec: StreamsSpec) -> tuple[Problem, ...]:
    """
    Return what only the JVM can say of a spec: classes, key stores, Java's regular expressions.

    Args:
        jvm: The JVM, with the connector on its class path.
        spec: What the streams shall do.
    """
    with calling_jvm():
        found = [
            *client_problems(jvm, "consumer", spec.consumer),
            *client_problems(jvm, "producer", spec.producer),
        ]
        wrong = jvm.io.kmirror.Streams.problem(spec.topics)
    if wrong:
        words = f"Invalid expression syntax: {wrong}"
        found.append(
            Problem(where="the command line", key="--include", value=spec.topics, expected=words)
        )
    return tuple(found)


class StreamsQuery:
    """
    A running query; `start` makes one.

    Args:
        query: Spark's.
        jvm: Its JVM.
    """

    def __init__(self, query: StreamingQuery, jvm: Any) -> None:
        self._query = query
        self._streams = jvm.io.kmirror.Streams

    @classmethod
    @calling_jvm()
    def start(cls, spark: SparkSession, jvm: Any, spec: StreamsSpec, folder: Path) -> StreamsQuery:
        """
        Start the query.

        Args:
            spark: The session, with a core for each stream.
            jvm: Its JVM.
            spec: What the streams do.
            folder: A private one, for the spec and Spark's checkpoint.

        Raises:
            PipelineError: Spark refused it.
        """
        file = folder / "streams.json"
        write_private(file, json.dumps(_fields(spec)))
        jvm.io.kmirror.Streams.begin()
        try:
            rows = spark.readStream.format("kmirror").option("streams", str(file)).load()
            writer: Any = rows.writeStream.format("kmirror").option("streams", str(file))
            writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
            writer = writer.queryName(f"mm1 {spec.group}").outputMode("update")
            query = writer.trigger(realTime=f"{_BATCH_S} seconds").start()
        except PySparkException as error:
            raise PipelineError(f"{spec.group}: Spark refused the query: {error}") from error
        return cls(query, jvm)

    @calling_jvm()
    def report(self) -> StreamsReport:
        """Return what streams have to tell since the last call."""
        return _report(json.loads(self._streams.collect()))

    @property
    @calling_jvm()
    def active(self) -> bool:
        """Whether the query still runs."""
        return bool(self._query.isActive)

    @calling_jvm()
    def failure(self) -> str:
        """Say why the query ended; empty when it ended well."""
        error = self._query.exception()
        return "" if error is None else str(error).splitlines()[0]

    @calling_jvm()
    def end_streams(self) -> None:
        """Have the streams flush, commit and leave the group; `report` tells when all have."""
        self._streams.stop()

    @calling_jvm()
    def abandon_streams(self) -> None:
        """Have them leave the group as they are: a cluster does not answer in time."""
        self._streams.abandon()

    @calling_jvm()
    def stop(self) -> None:
        """End the query."""
        self._query.stop()


def _fields(spec: StreamsSpec) -> Mapping[str, object]:
    return {
        "group": spec.group,
        "topics": spec.topics,
        "streams": spec.streams,
        "commit_interval_ms": spec.commit_interval_ms,
        "commit_retry_ms": _COMMIT_RETRY_MS,
        "poll_ms": _POLL_MS,
        "end_ms": _END_MS,
        "abort_on_send_failure": spec.abort_on_send_failure,
        "waits_for_each": spec.one_by_one,
        "consumer": spec.consumer.reveal(),
        "producer": spec.producer.reveal(),
    }


def _report(told: Mapping[str, Any]) -> StreamsReport:
    failure = told["failure"]
    return StreamsReport(
        records=told["records"],
        bytes=told["bytes"],
        dropped=told["dropped"],
        events=tuple(
            StreamEvent(
                stream=event["stream"],
                kind=event["kind"],
                partitions=tuple(event.get("partitions", ())),
                error=client_error(event) if "error" in event else None,
            )
            for event in told["events"]
        ),
        drops=tuple(
            Drops(topic=drop["topic"], count=drop["count"], error=client_error(drop))
            for drop in told["drops"]
        ),
        waits=tuple(
            StreamWait(stream=wait["stream"], topic=wait["topic"], s=wait["ms"] / 1000)
            for wait in told["waiting"]
        ),
        failure=None
        if failure is None
        else StreamFailure(stream=failure["stream"], error=client_error(failure)),
        is_at_rest=told["at_rest"],
    )

"""What a lane reports of itself once a second: its time, its latencies, its clients."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kmirror.policy.bottlenecks import LaneTimes

HISTOGRAM_BUCKETS = 40
"""Of `io.kmirror.driver.Histogram`: the n-th counts up to 2^n ms, and the last one the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """
    Times by how long they were.

    Args:
        sum_ms: All of them together, milliseconds.
        counts: How many were up to 1, 2, 4, 8 … milliseconds, and longer than the bucket before.
    """

    sum_ms: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFigures:
    """
    What a client of Kafka measures of itself.

    Args:
        kind: `consumer` or `producer`.
        number: Which of the lane's clients of that kind.
        values: By the names that the client gives them, such as `fetch-size-avg`.
    """

    kind: str
    number: int
    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneFigures:
    """
    What a lane has counted since it was opened.

    Args:
        times: What it did with its time.
        seams: Batches of Spark that it has begun.
        age: How old records were when they were fetched.
        latency: How long they took from there to their commit.
        commits: How long the target took for each commit.
        clients: Every 5 s; otherwise empty.
    """

    times: LaneTimes
    seams: int
    age: Histogram
    latency: Histogram
    commits: Histogram
    clients: tuple[ClientFigures, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JvmFigures:
    """
    What a JVM uses.

    Args:
        heap_bytes, nonheap_bytes: Memory.
        heap_max_bytes: How large the heap can grow.
        threads: How many.
        collectors: Each with how often it ran and how many seconds that took.
    """

    heap_bytes: int
    heap_max_bytes: int
    nonheap_bytes: int
    threads: int
    collectors: tuple[tuple[str, int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorFigures:
    """
    What an executor says of itself.

    Args:
        executor: Spark's id of it; `driver` where executors are threads of the driver.
        host: Where it runs.
        jvm: What its JVM uses.
    """

    executor: str
    host: str
    jvm: JvmFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkFigures:
    """
    What Spark's JVMs use.

    Args:
        driver: The driver's.
        executors: Those of its executors, as each has said it lately.
    """

    driver: JvmFigures
    executors: tuple[ExecutorFigures, ...] = ()


def spark_figures(driver: str, executors: str) -> SparkFigures:
    """Read what the connector wrote (`io.kmirror.driver.JvmFigures` and `ExecutorFigures`)."""
    return SparkFigures(
        driver=_jvm_figures(json.loads(driver)),
        executors=tuple(
            ExecutorFigures(executor=each["executor"], host=each["host"], jvm=_jvm_figures(each))
            for each in json.loads(executors)
        ),
    )


def _jvm_figures(fields: dict[str, Any]) -> JvmFigures:
    collectors = fields["collectors"].items()
    return JvmFigures(
        heap_bytes=fields["heap_bytes"],
        heap_max_bytes=fields["heap_max_bytes"],
        nonheap_bytes=fields["nonheap_bytes"],
        threads=fields["threads"],
        collectors=tuple((name, count, seconds) for name, (count, seconds) in collectors),
    )


def lane_figures(fields: dict[str, Any]) -> LaneFigures:
    """Read what the connector wrote (`io.kmirror.lane.LaneFigures`)."""
    source, convert, target, throttled, idle = (ms / 1000 for ms in fields["times_ms"])
    return LaneFigures(
        times=LaneTimes(
            source=source, convert=convert, target=target, throttled=throttled, idle=idle
        ),
        seams=fields["seams"],
        age=_histogram(fields["age"]),
        latency=_histogram(fields["latency"]),
        commits=_histogram(fields["commits"]),
        clients=tuple(
            ClientFigures(
                kind=each["kind"], number=each["number"], values=tuple(each["values"].items())
            )
            for each in fields.get("clients", ())
        ),
    )


def _histogram(numbers: Sequence[int]) -> Histogram:
    return Histogram(sum_ms=numbers[0], counts=tuple(numbers[1:]))

"""Queries that copy nothing, after which the first flow's starts in a part of the time."""

from __future__ import annotations

import threading
from pathlib import Path

from pyspark.sql import SparkSession

from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.plan_file import FlowPlan, SlotWork, write_plan
from kmirror.pipeline.query import FlowQuery, QuerySpec
from kmirror.pipeline.transform import Transform

_POLL_S = 0.02
_S_MAX = 10.0
# No flow has such a name: there is no arrow in it.
_NAME = "warm-up"
_BATCH_S = 5


def warm_up(
    spark: SparkSession,
    desk: Desk,
    folder: Path,
    clock: Clock,
    stop: threading.Event,
    *,
    timeout_s: float = _S_MAX,
) -> bool:
    """
    Run queries as flows' are, with tasks that open nothing.

    No cluster is asked, and nothing is written.

    Spark loads and compiles some thousand classes for its first streaming query, with which whoever
    takes a flow over would spend more time than with all the rest.

    Args:
        spark: The session.
        desk: The lanes' desk, at which nobody reports.
        folder: A private one, for the plan and the checkpoint.
        clock: Where time comes from.
        stop: Ends the waiting.
        timeout_s: Ends it, too, seconds.

    Returns:
        Whether a batch of each has run to its end.

    Raises:
        PipelineError: Spark refused one.
    """
    # Spark compiles the one that looks inside records, and interprets the other.
    queries = [
        _start(spark, desk, folder, clock, whole_batches=whole_batches)
        for whole_batches in (True, False)
    ]
    until_s = clock.monotonic_s() + timeout_s
    try:
        while not (have_run := all(query.has_run for query in queries)):
            if clock.monotonic_s() > until_s or clock.wait(stop, _POLL_S):
                break
        return have_run
    finally:
        for query in queries:
            query.stop(0, 0)


def _start(
    spark: SparkSession, desk: Desk, folder: Path, clock: Clock, *, whole_batches: bool
) -> FlowQuery:
    name = f"{_NAME}-{'batches' if whole_batches else 'records'}"
    plan = folder / f"{name}.json"
    write_plan(_plan(name, whole_batches=whole_batches), plan)
    spec = QuerySpec(
        flow=name,
        number=0,
        plan=plan,
        checkpoint=folder / f"{name}-checkpoint",
        transform=Transform(target_topic="topic"),
        whole_batches=whole_batches,
        bounded=False,
        batch_duration_s=_BATCH_S,
    )
    return FlowQuery.start(spark, spec, desk, clock)


def _plan(name: str, *, whole_batches: bool) -> FlowPlan:
    nothing = ClientProperties()
    return FlowPlan(
        flow=name,
        generation=0,
        version=0,
        driver="",
        group="",
        owner_topic="",
        offset_map_topic="",
        dlq_topic="",
        whole_batches=whole_batches,
        exactly_once=True,
        commit_interval_ms=0,
        commit_bytes_max=0,
        connections_max=0,
        consumer=nothing,
        producer=nothing,
        admin=nothing,
        slots=(SlotWork(transactional_ids=(), shares=()),),
    )

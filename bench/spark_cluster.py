"""What it costs that executors are processes of their own: a Spark cluster against local mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.arena import Arena
from bench.catch_up import CatchUpRun, copy
from bench.contestant import KMIRROR_2_EXECUTORS, KMIRROR_2_SLOTS, in_turn
from bench.workload import Workload
from kmirror.clock import Clock

_PAIR = (KMIRROR_2_SLOTS, KMIRROR_2_EXECUTORS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkClusterRun:
    """
    The same backlog, copied by two slots in one process and by two executors with one slot each.

    Args:
        workload: Its topic.
        local: The copy in one process.
        cluster: The copy on the Spark cluster.
    """

    workload: str
    local: CatchUpRun
    cluster: CatchUpRun


def run_spark_cluster(
    folder: Path,
    workload: Workload,
    *,
    runs: int,
    clock: Clock,
    tell: Callable[[str], None],
) -> Iterator[SparkClusterRun]:
    """
    Copy a workload both ways, in turn.

    Args:
        folder: For clusters and logs.
        workload: What is copied.
        runs: How often.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell(f"spark-cluster: starting clusters, writing {workload.label}")
    with Arena(folder / "spark-cluster") as arena:
        workload.write(arena.source)
        # Brokers that are just started take twice the processor time: one of both would meet them.
        for each in _PAIR:
            tell(f"{workload.label}, not measured: {each.label}")
            copy(arena, each, workload, clock)
        for number in range(runs):
            copies = {}
            for each in in_turn(_PAIR, number):
                tell(f"{workload.label}, run {number + 1} of {runs}: {each.label}")
                copies[each.name] = copy(arena, each, workload, clock)
            yield SparkClusterRun(
                workload=workload.topic,
                local=copies[KMIRROR_2_SLOTS.name],
                cluster=copies[KMIRROR_2_EXECUTORS.name],
            )


def steps(*, runs: int) -> int:
    """Say how many results there will be."""
    return runs

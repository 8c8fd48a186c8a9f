"""Everything that one run of the benchmark has measured."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from bench.audit import AuditBeside, AuditRun
from bench.batches import BatchesRun
from bench.catch_up import CatchUpRun
from bench.commits import CommitsRun
from bench.groups import GroupsRun
from bench.latency import LatencyRun
from bench.limit import LimitRun
from bench.many_topics import ManyTopicsRun
from bench.partitions import PartitionsRun
from bench.plan_changes import Change, PlanChangeRun
from bench.producer_perf import ProducerPerfRun
from bench.scale_case import ScaleRun
from bench.spark_cluster import SparkClusterRun
from bench.start import StartRun
from bench.streams import StreamsRun
from bench.takeover import TakeoverRun
from kmirror.admin.base import Isolation
from kmirror.jvm import find_java

Run = (
    CatchUpRun
    | ProducerPerfRun
    | LatencyRun
    | PartitionsRun
    | GroupsRun
    | ManyTopicsRun
    | LimitRun
    | SparkClusterRun
    | TakeoverRun
    | StreamsRun
    | StartRun
    | AuditRun
    | AuditBeside
    | ScaleRun
    | BatchesRun
    | PlanChangeRun
    | CommitsRun
)

_PARTS: dict[type[Run], str] = {
    CatchUpRun: "catch_up",
    ProducerPerfRun: "producer_perf",
    LatencyRun: "latency",
    PartitionsRun: "partitions",
    GroupsRun: "groups",
    ManyTopicsRun: "many_topics",
    LimitRun: "limits",
    SparkClusterRun: "spark_cluster",
    TakeoverRun: "takeovers",
    StreamsRun: "streams",
    StartRun: "starts",
    AuditRun: "audits",
    AuditBeside: "audits_beside",
    ScaleRun: "scale_runs",
    BatchesRun: "batches",
    PlanChangeRun: "plan_changes",
    CommitsRun: "commits",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """
    Where it was measured.

    Args:
        processor: Its model.
        cores: How many the benchmark may use.
        memory_gib: All of it.
        system: Kernel and release.
        java: The JVM's version.
        kmirror: Its version.
        pyspark: Its version.
    """

    processor: str
    cores: int
    memory_gib: float
    system: str
    java: str
    kmirror: str
    pyspark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """
    What was measured; a part that was left out is empty.

    Args:
        machine: Where.
        runs: How often each contestant did the same.
        scale: The part of the records that was used; only 1.0 is a result.
        catch_up: Copies of what lay in the source.
        producer_perf: Kafka's own producer, writing as much.
        latency: Steady streams.
        partitions: Many partitions.
        groups: Many consumer groups.
        many_topics: Many topics of one partition.
        limits: Copies with and without a limit.
        spark_cluster: Copies in one process and on a Spark cluster.
        takeovers: Nodes that ended, and others that went on.
        streams: Backlogs drained by streams of `kmirror mm1`.
        starts: Starts, from nothing and after a kill.
        audits: Comparisons of what was copied.
        audits_beside: Drivers that do it all the time.
        scale_runs: More and more partitions, and flows.
        batches: Short batches of Spark, and one long one.
        plan_changes: Plans that followed each other.
        commits: Streams with commits when they pay, and by the clock.
    """

    machine: Machine
    runs: int
    scale: float
    catch_up: tuple[CatchUpRun, ...] = ()
    producer_perf: tuple[ProducerPerfRun, ...] = ()
    latency: tuple[LatencyRun, ...] = ()
    partitions: tuple[PartitionsRun, ...] = ()
    groups: tuple[GroupsRun, ...] = ()
    many_topics: tuple[ManyTopicsRun, ...] = ()
    limits: tuple[LimitRun, ...] = ()
    spark_cluster: tuple[SparkClusterRun, ...] = ()
    takeovers: tuple[TakeoverRun, ...] = ()
    streams: tuple[StreamsRun, ...] = ()
    starts: tuple[StartRun, ...] = ()
    audits: tuple[AuditRun, ...] = ()
    audits_beside: tuple[AuditBeside, ...] = ()
    scale_runs: tuple[ScaleRun, ...] = ()
    batches: tuple[BatchesRun, ...] = ()
    plan_changes: tuple[PlanChangeRun, ...] = ()
    commits: tuple[CommitsRun, ...] = ()

    @property
    def place(self) -> str:
        """Which kmirror was measured, and where."""
        machine = self.machine
        return (
            f"kmirror {machine.kmirror}, PySpark {machine.pyspark}: "
            f"{machine.cores} x {machine.processor}, {machine.memory_gib:g} GiB, {machine.system}"
        )

    def with_run(self, run: Run) -> Results:
        """Give the results with one more run."""
        part = _PARTS[type(run)]
        longer: dict[str, Any] = {part: (*getattr(self, part), run)}
        return replace(self, **longer)

    def joined(self, others: Iterable[Results]) -> Results:
        """Give these and *others*, measured on the same machine, as one."""
        everything = (self, *others)
        longer: dict[str, Any] = {
            part: tuple(run for each in everything for run in getattr(each, part))
            for part in _PARTS.values()
        }
        return replace(self, **longer)

    def catch_up_runs(self, contestant: str, workload: str) -> list[CatchUpRun]:
        """Give the copies of a workload by a contestant."""
        return [
            run
            for run in self.catch_up
            if run.contestant == contestant and run.workload == workload
        ]

    def catch_up_median(
        self, contestant: str, workload: str, what: Callable[[CatchUpRun], float]
    ) -> float | None:
        """Give the median of something over the copies; None when there are none."""
        return _median(map(what, self.catch_up_runs(contestant, workload)))

    def producer_perf_rates(self, workload: str) -> list[float]:
        """Give the rates of Kafka's own producer, records/s."""
        return [run.records_per_s for run in self.producer_perf if run.workload == workload]

    def producer_perf_median(self, workload: str) -> float | None:
        """Give the median rate of Kafka's own producer, records/s; None when it did not run."""
        return _median(self.producer_perf_rates(workload))

    def latency_runs(self, contestant: str, rate: int, isolation: Isolation) -> list[LatencyRun]:
        """Give a contestant's steady streams."""
        asked = (contestant, rate, isolation)
        return [run for run in self.latency if (run.contestant, run.rate, run.isolation) == asked]

    def latency_median(
        self,
        contestant: str,
        rate: int,
        isolation: Isolation,
        what: Callable[[LatencyRun], float],
    ) -> float | None:
        """Give the median of something over steady streams; None when there are none."""
        return _median(map(what, self.latency_runs(contestant, rate, isolation)))

    def limit_values(
        self, contestant: str, what: Callable[[LimitRun], float | None]
    ) -> list[float]:
        """Give something of the copies beside producers, where it was measured."""
        runs = [what(run) for run in self.limits if run.contestant == contestant]
        return [value for value in runs if value is not None]

    def limit_median(
        self, contestant: str, what: Callable[[LimitRun], float | None]
    ) -> float | None:
        """Give the median of something over copies beside producers; None when there are none."""
        return _median(self.limit_values(contestant, what))

    def spark_cluster_median(
        self, workload: str, what: Callable[[SparkClusterRun], float]
    ) -> float | None:
        """Give the median of something over the copies both ways; None when there are none."""
        return _median(what(run) for run in self.spark_cluster if run.workload == workload)

    def standstills_s(self, contestant: str, nodes: int, ending: str) -> list[float]:
        """Give how long copies stood still when one of *nodes* ended."""
        asked = (contestant, nodes, ending)
        return [
            run.standstill_s
            for run in self.takeovers
            if (run.contestant, run.nodes, run.ending) == asked
        ]

    def start_runs(self, contestant: str, *, take_over: bool) -> list[StartRun]:
        """Give the starts of a contestant: from nothing, or after a kill."""
        return [
            run
            for run in self.starts
            if run.contestant == contestant and run.take_over is take_over
        ]

    def plan_changes_ms(self, change: Change) -> list[float]:
        """Give how old records got when plans changed for that reason."""
        return [run.oldest_ms for run in self.plan_changes if run.change is change]

    def commits_of(self, contestant: str) -> list[CommitsRun]:
        """Give the streams of one that commits by a rule."""
        return [run for run in self.commits if run.contestant == contestant]

    def save(self, path: Path) -> None:
        """Write everything as JSON, completely or not at all."""
        draft = path.with_name(f".{path.name}")
        draft.write_text(json.dumps(asdict(self), indent=1) + "\n")
        draft.replace(path)


def _median(values: Iterable[float]) -> float | None:
    found = list(values)
    return median(found) if found else None


def this_machine() -> Machine:
    """Describe the machine that this runs on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        processor=next(models, platform.machine()),
        cores=len(os.sched_getaffinity(0)),
        memory_gib=round(pages / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        java=find_java().build.splitlines()[0],
        kmirror=version("kmirror"),
        pyspark=version("pyspark"),
    )

"""Everything that one run of the benchmark has measured."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median

from bench.catch_up import CatchUpRun
from bench.groups import GroupsRun
from bench.latency import LatencyRun
from bench.partitions import PartitionsRun
from bench.producer_perf import ProducerPerfRun
from bench.recovery import RecoveryRun
from kmirror.admin.base import Isolation
from kmirror.jvm import find_java

Run = CatchUpRun | ProducerPerfRun | LatencyRun | RecoveryRun | PartitionsRun | GroupsRun


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
        recovery: Kills.
        partitions: Many partitions.
        groups: Many consumer groups.
    """

    machine: Machine
    runs: int
    scale: float
    catch_up: tuple[CatchUpRun, ...] = ()
    producer_perf: tuple[ProducerPerfRun, ...] = ()
    latency: tuple[LatencyRun, ...] = ()
    recovery: tuple[RecoveryRun, ...] = ()
    partitions: tuple[PartitionsRun, ...] = ()
    groups: tuple[GroupsRun, ...] = ()

    def with_run(self, run: Run) -> Results:
        """Give the results with one more run."""
        match run:
            case CatchUpRun():
                return replace(self, catch_up=(*self.catch_up, run))
            case ProducerPerfRun():
                return replace(self, producer_perf=(*self.producer_perf, run))
            case LatencyRun():
                return replace(self, latency=(*self.latency, run))
            case RecoveryRun():
                return replace(self, recovery=(*self.recovery, run))
            case PartitionsRun():
                return replace(self, partitions=(*self.partitions, run))
            case GroupsRun():
                return replace(self, groups=(*self.groups, run))

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
        found = self.catch_up_runs(contestant, workload)
        return median(map(what, found)) if found else None

    def producer_perf_median(self, workload: str) -> float | None:
        """Give the median rate of Kafka's own producer, records/s; None when it did not run."""
        found = [run.records_per_s for run in self.producer_perf if run.workload == workload]
        return median(found) if found else None

    def latency_of(self, contestant: str, rate: int, isolation: Isolation) -> LatencyRun | None:
        """Give a contestant's steady stream; None when there is none."""
        for run in self.latency:
            if (run.contestant, run.rate, run.isolation) == (contestant, rate, isolation):
                return run
        return None

    def recovery_median_s(self, contestant: str) -> float | None:
        """Give the median time to flowing again; None when there is none."""
        found = [run.flowing_again_s for run in self.recovery if run.contestant == contestant]
        return median(found) if found else None

    def save(self, path: Path) -> None:
        """Write everything as JSON, completely or not at all."""
        draft = path.with_name(f".{path.name}")
        draft.write_text(json.dumps(asdict(self), indent=1) + "\n")
        draft.replace(path)


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

"""Runs the parts of the benchmark one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress, TaskID

from bench import (
    audit,
    catch_up,
    commits,
    latency,
    limit,
    plan_changes,
    spark_cluster,
    start,
    streams,
    takeover,
)
from bench.batches import BATCHES_S, run_batches
from bench.contestant import Contestant
from bench.groups import run_groups
from bench.many_topics import run_many_topics
from bench.part import Part
from bench.partitions import Case, run_partitions
from bench.results import Results, Run, this_machine
from bench.scale import run_scale
from bench.scale import steps as scale_steps
from bench.scale_case import Shape
from bench.workload import BACKLOG, LONG_BACKLOG, Workload
from kmirror.clock import SystemClock

# A steady stream takes minutes: fewer of them have to do.
_LATENCY_RUNS_MAX = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """
    What the command line says.

    Args:
        runs: Repetitions.
        scale: The part of the work.
        workloads: Catch-ups of these.
        contestants: Catch-ups by these.
        rates: Latencies at so many records a second.
        cases: Many partitions.
        shapes: By what the cost is measured.
        latency_seconds: How long each latency is measured.
        results: The folder for JSON, table and plots.
    """

    runs: int
    scale: float
    workloads: tuple[Workload, ...]
    contestants: tuple[Contestant, ...]
    rates: tuple[int, ...]
    cases: tuple[Case, ...]
    shapes: tuple[Shape, ...]
    latency_seconds: int
    results: Path

    @property
    def latency_runs(self) -> int:
        """How often each latency is measured."""
        return min(self.runs, _LATENCY_RUNS_MAX)


class Runner:
    """
    Runs parts, and saves after each measurement.

    Args:
        options: What is wanted.
        folder: For clusters and logs.
        progress: Shows how far it is.
    """

    def __init__(self, options: Options, folder: Path, progress: Progress) -> None:
        self.found = Results(machine=this_machine(), runs=options.runs, scale=options.scale)
        self._options = options
        self._folder = folder
        self._progress = progress
        self._task = TaskID(0)
        self._clock = SystemClock()

    def measure(self, part: Part) -> None:
        """Measure one part."""
        self._task = self._progress.add_task(part.value, total=self._steps_of(part))
        for run in self._runs_of(part):
            self.found = self.found.with_run(run)
            self.found.save(self._options.results / "results.json")
            self._progress.advance(self._task)
        self._tell(f"{part}: done")

    def _steps_of(self, part: Part) -> int:
        options, runs = self._options, self._options.runs
        steps = {
            Part.CATCH_UP: catch_up.steps(options.workloads, options.contestants, runs=runs),
            Part.LATENCY: latency.steps(options.rates, runs=options.latency_runs),
            Part.PARTITIONS: len(options.cases),
            Part.SCALE: scale_steps(options.shapes, options.scale),
            Part.GROUPS: 1,
            Part.MANY_TOPICS: 1,
            Part.LIMIT: limit.steps(runs=runs),
            Part.AUDIT: audit.steps(),
            Part.BATCHES: len(BATCHES_S),
            Part.PLANS: plan_changes.steps(runs=runs),
            Part.COMMITS: commits.steps(runs=runs),
            Part.START: start.steps(runs=runs),
            Part.STREAMS: streams.steps(runs=runs),
            Part.SPARK_CLUSTER: spark_cluster.steps(runs=runs),
            Part.TAKEOVER: takeover.steps(runs=runs),
        }
        return steps[part]

    def _runs_of(self, part: Part) -> Iterator[Run]:
        folder, options, clock, tell = self._folder, self._options, self._clock, self._tell
        runs, scale = options.runs, options.scale
        backlog = BACKLOG.scaled(scale)
        backlogs = [workload.scaled(scale) for workload in options.workloads]
        begins: dict[Part, Callable[[], Iterator[Run]]] = {
            Part.CATCH_UP: lambda: catch_up.run_catch_up(
                folder, backlogs, options.contestants, runs=runs, clock=clock, tell=tell
            ),
            Part.LATENCY: lambda: latency.run_latency(
                folder,
                options.rates,
                runs=options.latency_runs,
                seconds=options.latency_seconds,
                clock=clock,
                tell=tell,
            ),
            Part.PARTITIONS: lambda: run_partitions(
                folder, options.cases, scale=scale, clock=clock, tell=tell
            ),
            Part.SCALE: lambda: run_scale(
                folder, options.shapes, scale=scale, clock=clock, tell=tell
            ),
            Part.GROUPS: lambda: run_groups(folder, scale=scale, clock=clock, tell=tell),
            Part.MANY_TOPICS: lambda: run_many_topics(folder, scale=scale, clock=clock, tell=tell),
            Part.LIMIT: lambda: limit.run_limit(folder, backlog, runs=runs, clock=clock, tell=tell),
            Part.AUDIT: lambda: audit.run_audit(folder, backlog, clock=clock, tell=tell),
            Part.BATCHES: lambda: run_batches(folder, scale=scale, clock=clock, tell=tell),
            Part.PLANS: lambda: plan_changes.run_plan_changes(
                folder, runs=runs, clock=clock, tell=tell
            ),
            Part.COMMITS: lambda: commits.run_commits(folder, runs=runs, clock=clock, tell=tell),
            Part.START: lambda: start.run_starts(folder, runs=runs, clock=clock, tell=tell),
            Part.STREAMS: lambda: streams.run_streams(
                folder, backlog, runs=runs, clock=clock, tell=tell
            ),
            Part.SPARK_CLUSTER: lambda: spark_cluster.run_spark_cluster(
                folder, LONG_BACKLOG.scaled(scale), runs=runs, clock=clock, tell=tell
            ),
            Part.TAKEOVER: lambda: takeover.run_takeover(folder, runs=runs, clock=clock, tell=tell),
        }
        return begins[part]()

    def _tell(self, text: str) -> None:
        self._progress.update(self._task, description=text)
        if not self._progress.console.is_terminal:
            # Bars are drawn on terminals only.
            self._progress.console.print(text, highlight=False)

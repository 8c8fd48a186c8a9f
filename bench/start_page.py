"""The page that says where each second of a start goes, written from what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from textwrap import fill

from pydantic import TypeAdapter

from bench.contestant import KMIRROR, MM2_DEFAULT, MM2_EXACTLY_ONCE
from bench.quantiles import spread
from bench.results import Machine, Results
from bench.start import StartRun

_DOCS = Path(__file__).parents[1] / "docs"
STARTS_PAGE = _DOCS / "starts.md"
STARTS_FILE = _DOCS / "performance" / "starts.json"
_CONTESTANTS = (MM2_DEFAULT, MM2_EXACTLY_ONCE, KMIRROR)
_COLUMNS = 100
_INTRO = """\
# Starts

Where each second goes between `kmirror run` and the first record on the target, and between a
`kill -9` and flowing again. This page is written by `python -m bench --only start`.

What needs no Spark runs while Spark starts: finding topics and making copies, fencing the drivers
before this one, deciding positions, writing the plan. Four things keep their order:

- **No cluster is asked before the whole file is known to be right.** The JVM checks the clients'
  settings, so flows begin when it answers. A file with SQL waits for Spark, which checks the SQL.
  [Nodes](nodes.md) that share flows only listen to each other before that.
- **Fence first, read second.** A flow claims the target and fences all slots before it reads a
  position, [as always](../ARCHITECTURE.md#fence-first-read-second). Before its query gets its
  plan it asks once more whether somebody else has taken it over meanwhile.
- **What can be open before the claim, is**: topics, operators' orders, the clients for consumers'
  offsets, and, where Spark is there, the query, which waits for its plan. From the claim to the
  first record nobody copies.
- **On a Spark cluster flows wait for their cores** before they claim anything. Executors may be
  long in coming, and whoever had the flow copies meanwhile.

[An archive of classes](design/spark.md#the-jvm) makes the JVM start with half the processor time.
`--log-level debug` logs the steps of the tables below, as the event `start.step`
([events](events.md)).
"""
_KINDS = (("## From nothing", False), ("## After `kill -9`", True))
_WHAT = {
    False: "Topics, positions and internal topics are made. Until a record of each partition is "
    "committed on the target, and the processor time of all processes by then:",
    True: "Killed at 1,000 records/s and started at once. From the kill to the first record that "
    "was written after it; the processor time is the new process's:",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedStarts:
    """
    The starts that the documentation shows.

    Args:
        machine: Where they were measured.
        starts: They.
    """

    machine: Machine
    starts: tuple[StartRun, ...]

    @property
    def results(self) -> Results:
        """They, as what was measured."""
        return Results(machine=self.machine, runs=1, scale=1, starts=self.starts)


def save_starts(results: Results, path: Path) -> None:
    """Write the page, if starts were measured."""
    if results.starts:
        path.write_text(starts_page(results), encoding="utf-8")


def publish_starts(results: Results) -> None:
    """Write the documentation's page and what it is made of, if starts were measured."""
    if results.starts:
        published = PublishedStarts(machine=results.machine, starts=results.starts)
        STARTS_FILE.write_text(json.dumps(asdict(published), indent=1) + "\n", encoding="utf-8")
        save_starts(results, STARTS_PAGE)


def load_starts() -> Results:
    """Read what the documentation's page is made of."""
    text = STARTS_FILE.read_text(encoding="utf-8")
    return TypeAdapter(PublishedStarts).validate_json(text).results


def starts_page(results: Results) -> str:
    """
    Write the page.

    Args:
        results: With starts.
    """
    parts = [_INTRO, *_kinds(results), _where(results)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _where(results: Results) -> str:
    machine = results.machine
    words = (
        f"Measured on {machine.cores} cores ({machine.processor}), {machine.memory_gib:g} GiB, "
        f"{machine.system}, {machine.java}: medians, with the smallest and the largest value where "
        f"there were several. {beside(results.starts)}"
    )
    return fill(words, _COLUMNS)


def beside(starts: Sequence[StartRun]) -> str:
    """Say what else the machine did."""
    loads = sorted(run.load for run in starts)
    return (
        f"Besides, {loads[0]:.0f} to {loads[-1]:.0f} processes wanted a processor at any time: "
        "where these are more than the cores, only the processor time says what a step costs."
    )


def _kinds(results: Results) -> Iterator[str]:
    for title, take_over in _KINDS:
        runs = results.start_runs(KMIRROR.name, take_over=take_over)
        if not runs:
            continue
        yield title
        yield fill(_WHAT[take_over], _COLUMNS)
        yield _contestants(results, take_over=take_over)
        yield "kmirror's steps, from the start of its process:"
        yield _steps(runs)


def _contestants(results: Results, *, take_over: bool) -> str:
    lines = ["| | s | CPU s | runs |", "|---|---|---|---|"]
    for contestant in _CONTESTANTS:
        runs = results.start_runs(contestant.name, take_over=take_over)
        if runs:
            first, cpu = spread([r.first_record_s for r in runs]), spread([r.cpu_s for r in runs])
            lines.append(f"| {contestant.label} | {first} | {cpu} | {len(runs)} |")
    return "\n".join(lines)


def _steps(runs: Sequence[StartRun]) -> str:
    lines = ["| step | after, s | CPU s by then |", "|---|---|---|"]
    names = {step.name: None for run in runs for step in run.steps}
    found = {
        name: [step for run in runs for step in run.steps if step.name == name] for name in names
    }
    for name, steps in sorted(found.items(), key=lambda each: median(s.at_s for s in each[1])):
        at, cpu = spread([s.at_s for s in steps]), spread([s.cpu_s for s in steps])
        lines.append(f"| {name} | {at} | {cpu} |")
    return "\n".join(lines)

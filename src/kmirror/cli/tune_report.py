"""What `kmirror tune` reports: of MirrorMaker 2's file, or of MirrorMaker 1's two."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.status import Status

from kmirror.cli.exits import Exit
from kmirror.cli.files import load_or_exit
from kmirror.cli.terminal import refuse
from kmirror.clock import SystemClock
from kmirror.config.load import MirrorLines, load, read_lines
from kmirror.ends.clients import open_clients
from kmirror.errors import ClusterError, ConfigError, Problem
from kmirror.inspect.kernel_files import PROC_SYS, read_kernel
from kmirror.inspect.link_survey import LinkSurvey, survey_link
from kmirror.model import Flow
from kmirror.tune.advise import Advice, Question, advise
from kmirror.tune.finding import KMIRROR_ONLY, Finding, Level, Line, Program
from kmirror.tune.kernel import KernelSettings
from kmirror.tune.link import LONG_MS, Link, Measured
from kmirror.tune.live_figures import LiveFigures, read_figures

_NEAR_RTT_MS = 1.0
_METRICS_BYTES_MAX = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """
    What the command line assumes, and asks for.

    Args:
        rtt_ms, bytes_per_s, record_bytes, partitions, beside: What is assumed; None for nothing.
        programs: Who runs the file.
        measure_s: How long to read from each source; None for not at all.
        metrics: The file with a running mirror's figures, `-` for standard input.
        kernel: Where the kernel shows its settings.
    """

    rtt_ms: float | None
    bytes_per_s: float | None
    record_bytes: int | None
    partitions: int | None
    beside: str | None
    programs: frozenset[Program]
    measure_s: float | None
    metrics: str | None
    kernel: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All there is to print."""

    file: str
    known: dict[Flow, Measured]
    remarks: tuple[str, ...]
    advice: Advice


def report_of_file(file: Path, flow: str | None, given: Given) -> Report:
    """Return advice for a file, or exit with what is wrong with it."""
    lines = _lines_or_exit(file)
    flows = _flows_or_exit(lines, flow)
    surveys = {} if given.measure_s is None else measure(lines.path, flows, given.measure_s)
    known = {
        each: completed(surveys[each].measured, given) if surveys else assumed(given)
        for each in flows
    }
    question = Question(
        lines=lines,
        measured=known,
        programs=given.programs,
        kernel=kernel_of(given),
        figures=_figures(given, flows),
    )
    advice = advise(question)
    if Program.KMIRROR in given.programs:
        told = {line.where for finding in advice.findings for line in finding.lines}
        news = [each for each in _of_kmirror(lines.path) if each.lines[0].where not in told]
        advice = replace(advice, findings=(*advice.findings, *news))
    return Report(
        file=str(lines.path),
        known=known,
        remarks=(*remarks_of(surveys, known), *_silent(question.figures)),
        advice=advice,
    )


def kernel_of(given: Given) -> KernelSettings | None:
    """Return what the kernel says, if that was asked for."""
    if given.kernel is None and given.measure_s is None:
        return None
    return read_kernel(given.kernel or PROC_SYS)


def _figures(given: Given, flows: tuple[Flow, ...]) -> dict[Flow, LiveFigures]:
    if given.metrics is None:
        return {}
    try:
        if given.metrics == "-":
            text = sys.stdin.read(_METRICS_BYTES_MAX)
        else:
            with Path(given.metrics).open(encoding="utf-8", errors="replace") as file:
                text = file.read(_METRICS_BYTES_MAX)
    except OSError as error:
        refuse(f"{given.metrics} cannot be read: {error.strerror}", Exit.CONFIG)
    return read_figures(text, flows)


def _silent(figures: Mapping[Flow, LiveFigures]) -> Iterator[str]:
    for flow, known in figures.items():
        if not known.known:
            yield f"{flow}: --metrics has no figures of its clients"


def _lines_or_exit(file: Path) -> MirrorLines:
    try:
        return read_lines(file, environ=os.environ)
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise SystemExit(Exit.CONFIG) from error


def _flows_or_exit(lines: MirrorLines, name: str | None) -> tuple[Flow, ...]:
    chosen = tuple(flow for flow in lines.flows if name in {None, str(flow)})
    if not chosen:
        names = ", ".join(map(str, lines.flows))
        print(f"{lines.path}: there is no enabled flow {name}; there are: {names}", file=sys.stderr)
        raise SystemExit(Exit.CONFIG)
    return chosen


def measure(file: Path, flows: tuple[Flow, ...], seconds: float) -> dict[Flow, LinkSurvey]:
    """Measure flows of a file, or exit with what is wrong with it, or with a cluster."""
    config, clock = load_or_exit(file), SystemClock()
    surveys = {}
    for flow in flows:
        settings = config.flow(flow)
        clients = open_clients(settings, clock)
        try:
            with Console(stderr=True).status(f"{flow}") as progress:
                surveys[flow] = survey_link(
                    settings,
                    clients,
                    clock,
                    seconds_max=seconds,
                    tell=partial(_tell, progress, flow),
                )
        except ClusterError as error:
            print(f"{flow}: {error}", file=sys.stderr)
            raise SystemExit(Exit.START_FAILED) from error
        finally:
            clients.close()
    return surveys


def _tell(progress: Status, flow: Flow, doing: str) -> None:
    progress.update(f"{flow}: {doing}")


def remarks_of(surveys: dict[Flow, LinkSurvey], known: dict[Flow, Measured]) -> Iterator[str]:
    """Say what could not be measured."""
    for flow, survey in surveys.items():
        yield from (f"{flow}: {said}" for said in survey.remarks)
        target = known[flow].target
        if (target.rtt_ms or 0.0) >= LONG_MS and target.bytes_per_s is None:
            yield (
                f"{flow}: --measure writes nothing, so the rate to {flow.target} is unknown; give "
                "--bandwidth"
            )


def assumed(given: Given) -> Measured:
    """Return what the command line assumes of every flow."""
    far = Link(rtt_ms=given.rtt_ms, bytes_per_s=given.bytes_per_s)
    near = Link(rtt_ms=_NEAR_RTT_MS)
    return Measured(
        source=near if given.beside == "source" else far,
        target=near if given.beside == "target" else far,
        record_bytes=given.record_bytes,
        partitions=given.partitions,
        placed=given.beside is not None,
    )


def completed(measured: Measured, given: Given) -> Measured:
    """Replace measured values with those of the command line."""
    source, target = measured.source, measured.target
    if given.bytes_per_s is not None:
        # It is the rate between the clusters, so that of the longer link.
        if (target.rtt_ms or 0.0) > (source.rtt_ms or 0.0):
            target = replace(target, bytes_per_s=given.bytes_per_s)
        else:
            source = replace(source, bytes_per_s=given.bytes_per_s)
    return replace(
        measured,
        source=source,
        target=target,
        record_bytes=given.record_bytes or measured.record_bytes,
        partitions=given.partitions or measured.partitions,
    )


def _of_kmirror(file: Path) -> list[Finding]:
    """Say what kmirror itself would: what it does not start with, or does not do as written."""
    try:
        return [_note(each, "") for each in load(file, environ=os.environ).warnings]
    except ConfigError as error:
        return [_note(each, "kmirror does not start with this: ") for each in error.problems]


def _note(problem: Problem, before: str) -> Finding:
    return Finding(
        level=Level.NOTE,
        flow="",
        lines=(Line(key=problem.key, value=problem.value or "", where=problem.where),),
        says=f"{before}{problem.expected}",
        concerns=KMIRROR_ONLY,
    )


def report_as_json(report: Report) -> dict[str, Any]:
    """Return a report for programs."""
    advice = report.advice
    return {
        "file": report.file,
        "flows": [{"flow": str(flow)} | asdict(known) for flow, known in report.known.items()],
        "remarks": list(report.remarks),
        "findings": [_finding_as_json(finding) for finding in advice.findings],
        "settings": [asdict(setting) for setting in advice.settings],
        "kernel": [
            asdict(each) | {"line": each.line if each.changes else None} for each in advice.kernel
        ],
    }


def _finding_as_json(finding: Finding) -> dict[str, Any]:
    scenario = finding.scenario
    return {
        "level": finding.level.value,
        "flow": finding.flow or None,
        "lines": [asdict(line) for line in finding.lines],
        "says": finding.says,
        "why": finding.why,
        "instead": [{"key": line.key, "value": line.value} for line in finding.instead],
        "scenario": None if scenario is None else scenario.title,
        "shows": None if scenario is None else scenario.shows,
        "kmirror": finding.kmirror,
        "concerns": sorted(program.value for program in finding.concerns),
    }

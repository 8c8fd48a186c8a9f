"""`kmirror tune`: find what is dangerous in a file, and what would suit its links."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.status import Status

from kmirror.cli.exits import Exit
from kmirror.cli.files import File, load_or_exit
from kmirror.cli.terminal import wide_console
from kmirror.cli.tune_view import render, snippet
from kmirror.clock import SystemClock
from kmirror.config.load import MirrorLines, load, read_lines
from kmirror.ends.clients import open_clients
from kmirror.errors import ClusterError, ConfigError, Problem
from kmirror.inspect.link_survey import LinkSurvey, survey_link
from kmirror.model import Flow
from kmirror.tune.advise import Advice, Question, advise
from kmirror.tune.finding import BOTH, KMIRROR_ONLY, MM2_ONLY, Finding, Level, Line, Program
from kmirror.tune.link import LONG_MS, Link, Measured
from kmirror.tune.link_units import parse_rate, parse_rtt_ms, parse_size
from kmirror.units import UnitProblem

_NEAR_RTT_MS = 1.0

T = TypeVar("T")


class Reader(StrEnum):
    """Who runs the file."""

    KMIRROR = "kmirror"
    MM2 = "mm2"
    BOTH = "both"


_PROGRAMS = {Reader.KMIRROR: KMIRROR_ONLY, Reader.MM2: MM2_ONLY, Reader.BOTH: BOTH}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What the command line assumes."""

    rtt_ms: float | None
    bytes_per_s: float | None
    record_bytes: int | None
    partitions: int | None
    beside: str | None
    programs: frozenset[Program]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    """All there is to print."""

    file: str
    known: dict[Flow, Measured]
    remarks: tuple[str, ...]
    advice: Advice


def tune(  # noqa: PLR0917 - the parameters are the command line
    file: File,
    flow: Annotated[
        str | None, typer.Option(help="Only this flow, A->B. Default: all enabled flows.")
    ] = None,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Measure round trips, the source's rate and its records. Only reads; writes and "
            "creates nothing.",
        ),
    ] = False,
    seconds: Annotated[
        float, typer.Option(min=1, max=300, help="Seconds that --measure reads from each source.")
    ] = 6.0,
    rtt: Annotated[
        str | None, typer.Option(help="Assume this round trip between the clusters, such as 100ms.")
    ] = None,
    bandwidth: Annotated[
        str | None,
        typer.Option(help="Assume this rate between the clusters, such as 10mbit or 5MB/s."),
    ] = None,
    record_size: Annotated[
        str | None, typer.Option(help="Assume records of this size, such as 1000 or 16KiB.")
    ] = None,
    partitions: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Assume this many partitions.")
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(help="Assume that the mirror runs beside the `source` or the `target`."),
    ] = None,
    program: Annotated[
        Reader,
        typer.Option(
            "--for", help="The program that runs the file; shows only what matters to it."
        ),
    ] = Reader.KMIRROR,
    only_snippet: Annotated[
        bool, typer.Option("--snippet", help="Print only the lines to add to the file.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """
    Find what in FILE can duplicate, reorder, lose or delay records, and what suits its links.

    With --for mm2 it judges what MirrorMaker 2 does with the file: each finding names the
    experiment that shows it, and says what kmirror does instead. Exit code 1 if something is
    dangerous.
    """
    given = _Given(
        rtt_ms=_option("--rtt", rtt, parse_rtt_ms),
        bytes_per_s=_option("--bandwidth", bandwidth, parse_rate),
        record_bytes=_option("--record-size", record_size, parse_size),
        partitions=partitions,
        beside=beside,
        programs=_PROGRAMS[program],
    )
    _check(given, measure=measure)
    lines = _lines_or_exit(file)
    report = _report(lines, _flows_or_exit(lines, flow), given, seconds if measure else None)
    if as_json:
        print(json.dumps(_as_json(report)))
    else:
        if not only_snippet:
            wide_console().print(render(report.known, report.remarks, report.advice))
        print(snippet(report.known, report.advice), end="")
    raise SystemExit(Exit.DIFFERENT if report.advice.dangerous else Exit.OK)


def _report(
    lines: MirrorLines, flows: tuple[Flow, ...], given: _Given, measure_s: float | None
) -> _Report:
    surveys = {} if measure_s is None else _measure(lines.path, flows, measure_s)
    known = {
        flow: _completed(surveys[flow].measured, given) if surveys else _assumed(given)
        for flow in flows
    }
    advice = advise(Question(lines=lines, measured=known, programs=given.programs))
    if Program.KMIRROR in given.programs:
        told = {line.where for finding in advice.findings for line in finding.lines}
        news = [each for each in _of_kmirror(lines.path) if each.lines[0].where not in told]
        advice = replace(advice, findings=(*advice.findings, *news))
    return _Report(
        file=str(lines.path),
        known=known,
        remarks=tuple(_remarks(surveys, known)),
        advice=advice,
    )


def _option(name: str, text: str | None, parse: Callable[[str], T]) -> T | None:
    try:
        return None if text is None else parse(text)
    except UnitProblem as problem:
        raise typer.BadParameter(f"{name} {text}: {problem}") from problem


def _check(given: _Given, *, measure: bool) -> None:
    if given.beside not in {None, "source", "target"}:
        raise typer.BadParameter(f"--beside {given.beside}: expected source or target")
    if measure and (given.rtt_ms is not None or given.beside is not None):
        raise typer.BadParameter("--measure measures round trips; leave out --rtt and --beside")


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


def _measure(file: Path, flows: tuple[Flow, ...], seconds: float) -> dict[Flow, LinkSurvey]:
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


def _remarks(surveys: dict[Flow, LinkSurvey], known: dict[Flow, Measured]) -> Iterator[str]:
    for flow, survey in surveys.items():
        yield from (f"{flow}: {said}" for said in survey.remarks)
        target = known[flow].target
        if (target.rtt_ms or 0.0) >= LONG_MS and target.bytes_per_s is None:
            yield (
                f"{flow}: --measure writes nothing, so the rate to {flow.target} is unknown; give "
                "--bandwidth"
            )


def _assumed(given: _Given) -> Measured:
    far = Link(rtt_ms=given.rtt_ms, bytes_per_s=given.bytes_per_s)
    near = Link(rtt_ms=_NEAR_RTT_MS)
    return Measured(
        source=near if given.beside == "source" else far,
        target=near if given.beside == "target" else far,
        record_bytes=given.record_bytes,
        partitions=given.partitions,
    )


def _completed(measured: Measured, given: _Given) -> Measured:
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


def _as_json(report: _Report) -> dict[str, Any]:
    advice = report.advice
    return {
        "file": report.file,
        "flows": [{"flow": str(flow)} | asdict(known) for flow, known in report.known.items()],
        "remarks": list(report.remarks),
        "findings": [_finding_as_json(finding) for finding in advice.findings],
        "settings": [asdict(setting) for setting in advice.settings],
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

"""`kmirror tune`: find what is dangerous in a file, and what would suit its links."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import wide_console
from kmirror.cli.tune_mm1 import Mm1Given, report_of_mm1
from kmirror.cli.tune_report import Given, report_as_json, report_of_file
from kmirror.cli.tune_view import render, snippet, snippet_mm1
from kmirror.tune.finding import BOTH, KMIRROR_ONLY, MM2_ONLY
from kmirror.tune.link_units import parse_rate, parse_rtt_ms, parse_size
from kmirror.units import UnitProblem

T = TypeVar("T")


class Reader(StrEnum):
    """Who runs the file."""

    KMIRROR = "kmirror"
    MM2 = "mm2"
    BOTH = "both"


_PROGRAMS = {Reader.KMIRROR: KMIRROR_ONLY, Reader.MM2: MM2_ONLY, Reader.BOTH: BOTH}


_File = Annotated[
    Path | None, typer.Argument(help="MirrorMaker 2's properties file.", show_default=False)
]
_Flow = Annotated[
    str | None, typer.Option(help="Only this flow, A->B. Default: all enabled flows.")
]
_Measure = Annotated[
    bool,
    typer.Option(
        "--measure",
        help="Measure round trips, the source's rate and its records, and read this machine's "
        "kernel settings. Only reads; writes and creates nothing.",
    ),
]
_Seconds = Annotated[
    float, typer.Option(min=1, max=300, help="Seconds that --measure reads from each source.")
]
_Rtt = Annotated[
    str | None, typer.Option(help="Assume this round trip between the clusters, such as 100ms.")
]
_Bandwidth = Annotated[
    str | None,
    typer.Option(help="Assume this rate between the clusters, such as 10mbit or 5MB/s."),
]
_RecordSize = Annotated[
    str | None, typer.Option(help="Assume records of this size, such as 1000 or 16KiB.")
]
_Partitions = Annotated[
    int | None, typer.Option(min=1, max=1_000_000, help="Assume this many partitions.")
]
_Beside = Annotated[
    str | None,
    typer.Option(help="Assume that the mirror runs beside the `source` or the `target`."),
]
_Program = Annotated[
    Reader,
    typer.Option("--for", help="The program that runs the file; shows only what matters to it."),
]
_Metrics = Annotated[
    str | None,
    typer.Option(
        help="Figures of the running mirror: what its /metrics gave, in a file; - for standard "
        "input."
    ),
]
_Kernel = Annotated[
    Path | None,
    typer.Option(help="Where the kernel shows its settings; with --measure it is /proc/sys."),
]
_Consumer = Annotated[
    Path | None,
    typer.Option("--consumer.config", help="Judge MirrorMaker 1 instead of FILE: its consumer."),
]
_Producer = Annotated[
    Path | None, typer.Option("--producer.config", help="MirrorMaker 1's producer.")
]
_Streams = Annotated[str | None, typer.Option("--num.streams", help="MirrorMaker 1's streams.")]
_Commit = Annotated[
    str | None,
    typer.Option("--offset.commit.interval.ms", help="MirrorMaker 1's time between commits."),
]
_Abort = Annotated[
    str | None,
    typer.Option("--abort.on.send.failure", help="Whether MirrorMaker 1 ends: true or false."),
]
_Whitelist = Annotated[
    str | None,
    typer.Option(
        "--whitelist", "--include", help="MirrorMaker 1's topics, for --measure. Default: all."
    ),
]
_Snippet = Annotated[
    bool, typer.Option("--snippet", help="Print only the lines to add to the file.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def tune(  # noqa: PLR0917 - the parameters are the command line
    file: _File = None,
    flow: _Flow = None,
    measure: _Measure = False,
    seconds: _Seconds = 6.0,
    rtt: _Rtt = None,
    bandwidth: _Bandwidth = None,
    record_size: _RecordSize = None,
    partitions: _Partitions = None,
    beside: _Beside = None,
    program: _Program = Reader.KMIRROR,
    metrics: _Metrics = None,
    kernel: _Kernel = None,
    consumer_config: _Consumer = None,
    producer_config: _Producer = None,
    num_streams: _Streams = None,
    commit_interval: _Commit = None,
    abort: _Abort = None,
    whitelist: _Whitelist = None,
    only_snippet: _Snippet = False,
    as_json: _Json = False,
) -> None:
    """
    Find what in FILE can duplicate, reorder, lose or delay records, and what suits its links.

    With --consumer.config and --producer.config it judges MirrorMaker 1. With --for mm2 it judges
    what MirrorMaker 2 does with the file: each finding names the experiment that shows it, and says
    what kmirror does instead. Exit code 1 if something is dangerous.
    """
    given = Given(
        rtt_ms=_option("--rtt", rtt, parse_rtt_ms),
        bytes_per_s=_option("--bandwidth", bandwidth, parse_rate),
        record_bytes=_option("--record-size", record_size, parse_size),
        partitions=partitions,
        beside=beside,
        programs=_PROGRAMS[program],
        measure_s=seconds if measure else None,
        metrics=metrics,
        kernel=kernel,
    )
    _check(given)
    is_mm1 = consumer_config is not None or producer_config is not None
    if is_mm1 and (file is not None or metrics is not None):
        raise typer.BadParameter(
            "--consumer.config and --producer.config stand for FILE; MirrorMaker 1 has no --metrics"
        )
    if is_mm1:
        options = {
            "num.streams": num_streams,
            "offset.commit.interval.ms": commit_interval,
            "abort.on.send.failure": abort,
        }
        mm1 = Mm1Given(
            consumer=consumer_config, producer=producer_config, options=options, whitelist=whitelist
        )
        report = report_of_mm1(mm1, given)
    elif file is None:
        raise typer.BadParameter("expected FILE, or --consumer.config and --producer.config")
    else:
        report = report_of_file(file, flow, given)
    if as_json:
        print(json.dumps(report_as_json(report)))
    else:
        if not only_snippet:
            wide_console().print(render(report.known, report.remarks, report.advice))
        lines = snippet_mm1(report.advice) if is_mm1 else snippet(report.known, report.advice)
        print(lines, end="")
    raise SystemExit(Exit.DIFFERENT if report.advice.dangerous else Exit.OK)


def _option(name: str, text: str | None, parse: Callable[[str], T]) -> T | None:
    try:
        return None if text is None else parse(text)
    except UnitProblem as problem:
        raise typer.BadParameter(f"{name} {text}: {problem}") from problem


def _check(given: Given) -> None:
    if given.beside not in {None, "source", "target"}:
        raise typer.BadParameter(f"--beside {given.beside}: expected source or target")
    if given.measure_s is not None and (given.rtt_ms is not None or given.beside is not None):
        raise typer.BadParameter("--measure measures round trips; leave out --rtt and --beside")

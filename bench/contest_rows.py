"""What is measured of several contestants, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from statistics import median

from bench.catch_up import CatchUpRun
from bench.latency import ISOLATIONS, LATENCIES, RATES
from bench.limit import CopyBeside, LimitRun
from bench.part import Part
from bench.results import Results
from bench.row import ABSENT, CPU_UNIT, MIB, NAMES, RATE_UNIT, Group, Row, cell
from bench.start import STARTS
from bench.start_page import beside
from bench.takeover import ENDINGS, NODES
from bench.target import Measure
from bench.workload import WORKLOADS

CATCH_UP: tuple[tuple[str, str, Callable[[CatchUpRun], float]], ...] = (
    (RATE_UNIT, "{:,.0f}", lambda run: run.records_per_s),
    ("MB/s", "{:,.1f}", lambda run: run.bytes_per_s / 1e6),
    (CPU_UNIT, "{:,.1f}", lambda run: run.cpu_s_per_gb),
    ("the brokers' CPU s per GB", "{:,.1f}", lambda run: run.brokers_cpu_s_per_gb),
    ("peak RSS, MiB", "{:,.0f}", lambda run: run.peak_rss_bytes / MIB),
    ("start to first record, s", "{:,.1f}", lambda run: run.first_record_s),
    ("start to last record, s", "{:,.1f}", lambda run: run.total_s),
    ("records copied twice", "{:,.0f}", lambda run: run.copied - run.records),
)
"""Measures of a copy, how to write them, and where they are found."""

_LIMITS: tuple[tuple[str, str, Callable[[LimitRun], float | None], str | None], ...] = (
    ("without a limit, MB/s", "{:,.1f}", lambda run: run.free.bytes_per_s / 1e6, None),
    (
        "with half of that as the limit, MB/s",
        "{:,.1f}",
        lambda run: None if run.limited is None else run.limited.bytes_per_s / 1e6,
        None,
    ),
    ("off the limit, %", "{:.1f}", lambda run: run.off_limit_percent, "limit"),
    ("producers' p99 alone, ms", "{:,.1f}", lambda run: run.alone_ms.p99, None),
    ("producers' p99 without a limit, ms", "{:,.1f}", lambda run: run.free.waits_ms.p99, "free"),
    (
        "producers' p99 with the limit, ms",
        "{:,.1f}",
        lambda run: None if run.limited is None else run.limited.waits_ms.p99,
        "limited",
    ),
    (
        "those of a cluster without a part in it: p99 meanwhile without a limit, ms",
        "{:,.1f}",
        lambda run: _bystanders_p99(run.free),
        None,
    ),
    (
        "those of a cluster without a part in it: p99 meanwhile with the limit, ms",
        "{:,.1f}",
        lambda run: _bystanders_p99(run.limited),
        None,
    ),
)


def _bystanders_p99(copy: CopyBeside | None) -> float | None:
    return None if copy is None or copy.bystanders_ms is None else copy.bystanders_ms.p99


def contests(results: Results) -> list[Group]:
    """Give what was measured of several contestants."""
    return [
        *_catch_up(results),
        *_latency(results),
        *_limits(results),
        *_takeovers(results),
        *_starts(results),
    ]


def _catch_up(results: Results) -> Iterator[Group]:
    aims = {RATE_UNIT: Measure.CATCH_UP, CPU_UNIT: Measure.CPU}
    for workload in WORKLOADS:
        runs = [results.catch_up_runs(name, workload.topic) for name in NAMES]
        if not any(runs):
            continue
        records = max(run.records for each in runs for run in each)
        yield Group(
            part=Part.CATCH_UP,
            title=f"catch-up, {replace(workload, records=records).label}",
            runs=_most(runs),
            rows=[
                Row(
                    measure=unit,
                    cells=[cell([what(run) for run in each], form) for each in runs],
                    aim=(aims[unit], workload.topic) if unit in aims else None,
                )
                for unit, form, what in CATCH_UP
            ]
            + _producer_perf(results, workload.topic),
        )


def _producer_perf(results: Results, workload: str) -> list[Row]:
    rates = results.producer_perf_rates(workload)
    if not rates:
        return []
    cells = [ABSENT] * (len(NAMES) - 1) + [cell(rates, "{:,.0f}")]
    aim = (Measure.PRODUCER_PERF, workload)
    return [Row(measure="kafka-producer-perf-test alone, records/s", cells=cells, aim=aim)]


def _latency(results: Results) -> Iterator[Group]:
    for rate, isolation in product(RATES, ISOLATIONS):
        runs = [results.latency_runs(name, rate, isolation) for name in NAMES]
        if any(runs):
            measure = Measure.LATENCY if isolation == ISOLATIONS[0] else Measure.COMMITTED
            seconds = max(run.seconds for each in runs for run in each)
            yield Group(
                part=Part.LATENCY,
                title=f"latency at {rate:,}/s, {isolation}, {seconds} s",
                runs=_most(runs),
                rows=[
                    Row(
                        measure=f"{label}, ms",
                        cells=[cell([of(run) for run in each], "{:,.1f}") for each in runs],
                        aim=(measure, f"{rate} {label}"),
                    )
                    for label, of in LATENCIES.items()
                ],
            )


def _limits(results: Results) -> Iterator[Group]:
    if results.limits:
        yield Group(
            part=Part.LIMIT,
            title="catch-up beside the target's own producers",
            runs=_most(
                [results.limit_values(name, lambda run: run.alone_ms.p99) for name in NAMES]
            ),
            rows=[
                Row(
                    measure=measure,
                    cells=[cell(results.limit_values(name, what), form) for name in NAMES],
                    aim=None if of is None else (Measure.BESIDE, of),
                )
                for measure, form, what, of in _LIMITS
            ],
        )


def _takeovers(results: Results) -> Iterator[Group]:
    for nodes, ending in product(NODES, ENDINGS):
        found = [results.standstills_s(name, nodes, ending.name) for name in NAMES]
        if any(found):
            yield Group(
                part=Part.TAKEOVER,
                title=f"{ending.name} of the node that copies, of {nodes}",
                runs=_most(found),
                rows=[
                    Row(
                        measure=f"standstill, {label}, s",
                        cells=[cell([of(each)] if each else [], "{:,.1f}") for each in found],
                        aim=(Measure.TAKEOVER, f"{nodes} {ending.name} {label}"),
                    )
                    for label, of in (("p50", median), ("max", max))
                ],
            )


def _starts(results: Results) -> Iterator[Group]:
    if not results.starts:
        return
    rows, most = [], 0
    for take_over, words in STARTS:
        runs = [results.start_runs(name, take_over=take_over) for name in NAMES]
        most = max(most, _most(runs))
        cells = [cell([run.first_record_s for run in each], "{:,.1f}") for each in runs]
        aim = (Measure.START, str(take_over))
        rows.append(Row(measure=f"{words}, s", cells=cells, aim=aim))
    yield Group(part=Part.START, title="starts", rows=rows, runs=most, note=beside(results.starts))


def _most(runs: Sequence[Sequence[object]]) -> int:
    """Say how often the same was done: by whoever did it most often."""
    return max(map(len, runs))

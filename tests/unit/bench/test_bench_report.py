"""Medians, ratios, targets, the table, the JSON and the plots of made-up measurements."""

from __future__ import annotations

import io
import json
from pathlib import Path

from rich.console import Console

from bench.catch_up import CatchUpRun
from bench.contestant import CONTESTANTS, KMIRROR, MM2_DEFAULT, MM2_TUNED
from bench.groups import GroupsRun
from bench.latency import ISOLATIONS, RATES, LatencyRun
from bench.partitions import CASES, PartitionsRun
from bench.plot import save_plots
from bench.producer_perf import ProducerPerfRun
from bench.quantiles import quantiles
from bench.recovery import RecoveryRun
from bench.report import groups, render, save_markdown
from bench.results import Machine, Results
from bench.target import Measure, ratio, targets
from bench.workload import WORKLOADS

MACHINE = Machine(
    processor="abacus", cores=2, memory_gib=8.0, system="Linux", java="17", kmirror="1", pyspark="4"
)
SPEEDS = {"mm2-default": 100e3, "mm2-tuned": 300e3, "mm2-exactly-once": 200e3}
SPEEDS |= {"kmirror-records": 440e3, "bare-copier": 600e3, "kmirror": 450e3}


def copy(contestant: str, workload: str, records_per_s: float) -> CatchUpRun:
    """Make one copy at a speed."""
    return CatchUpRun(
        contestant=contestant,
        workload=workload,
        records=3_000_000,
        size_bytes=100,
        records_per_s=records_per_s,
        bytes_per_s=records_per_s * 100,
        first_record_s=4,
        total_s=20,
        cpu_s=30,
        cpu_total_s=40,
        cpu_s_per_gb=100,
        brokers_cpu_s_per_gb=20,
        peak_rss_bytes=2**30,
        copied=3_000_000,
    )


def steady(contestant: str, rate: int, isolation: str, factor: float) -> LatencyRun:
    """Make one steady stream with latencies from 1 to 100 times *factor*."""
    return LatencyRun(
        contestant=contestant,
        rate=rate,
        isolation="read_committed" if isolation == "read_committed" else "read_uncommitted",
        seconds=180,
        warm_up_s=205,
        latency_ms=quantiles([factor * number for number in range(1, 101)]),
        peak_rss_bytes=2**30,
    )


def made_up() -> Results:
    """Make the results of a complete benchmark."""
    return Results(
        machine=MACHINE,
        runs=3,
        scale=1.0,
        catch_up=tuple(
            copy(contestant.name, workload.topic, SPEEDS[contestant.name] * factor)
            for workload in WORKLOADS
            for contestant in CONTESTANTS
            for factor in (1.0, 0.1, 7.0)
        ),
        producer_perf=tuple(
            ProducerPerfRun(workload=workload.topic, records_per_s=150e3) for workload in WORKLOADS
        ),
        latency=tuple(
            steady(name, rate, isolation, factor)
            for rate in RATES
            for isolation in ISOLATIONS
            for name, factor in ((MM2_DEFAULT.name, 1.0), (KMIRROR.name, 0.5))
        ),
        recovery=tuple(
            RecoveryRun(contestant=name, flowing_again_s=seconds)
            for name in (MM2_DEFAULT.name, KMIRROR.name)
            for seconds in (5.0, 9.0, 6.0)
        ),
        partitions=tuple(
            PartitionsRun(
                case=case.label,
                partitions=case.partitions,
                rate=case.rate,
                seconds=3,
                peak_rss_bytes=2 * 2**30,
                age_ms=quantiles([50.0]),
                lag=(1000, 30_000, 2000),
            )
            for case in CASES
        ),
        groups=(
            GroupsRun(
                groups=1000,
                partitions=50,
                follows_ms=quantiles([900.0, 3500.0]),
                round_ms=quantiles([800.0, 2500.0, 2600.0]),
                rss_before_bytes=2**30,
                peak_rss_bytes=2**30 + 150 * 2**20,
            ),
        ),
    )


def test_medians_and_ratios() -> None:
    """One wild run in three changes nothing."""
    found = made_up()
    assert found.catch_up_median(KMIRROR.name, "bench-100", lambda run: run.records_per_s) == 450e3
    assert found.recovery_median_s(KMIRROR.name) == 6
    assert found.recovery_median_s(MM2_TUNED.name) is None
    assert ratio(450e3, 100e3) == 4.5
    assert ratio(None, 100e3) is None
    assert ratio(450e3, None) is None


def test_targets_are_met_or_missed() -> None:
    """Faster than 4 times the default, but not than 1.8 times the tuned one."""
    by_text = {f"{each.measure} {each.of} {each.limit:g}": each for each in targets(made_up())}
    assert by_text["catch-up bench-100 4"].reached
    assert by_text["catch-up bench-100 1.4"].value == 1.5
    assert not by_text["catch-up bench-1000 1.8"].reached
    assert not by_text["latency 100 p50 0.4"].reached
    assert by_text["latency 100 p50 0.35"].value == 0.5
    assert by_text["latency 5000 p99 1.2"].reached
    assert by_text["memory 1000@20000 2.5"].value == 2
    assert by_text["lag 1000@20000 1"].value == 1.5
    assert by_text["lag 10000@50000 1"].value == 0.6
    assert by_text["catch-up bench-100 0.9"].value == 0.75
    assert by_text["producer-perf bench-100 2.5"].value == 3
    assert not by_text["cpu bench-lz4 0.1"].reached
    assert by_text["groups 1000x50 2"].value == 2.5
    assert by_text["groups' memory 1000x50 200"].reached
    assert len(by_text) == 31


def test_every_target_has_a_row() -> None:
    """A promise that no row shows would be forgotten."""
    found = made_up()
    shown = {row.aim for group in groups(found) for row in group.rows if row.aim}
    assert {(each.measure, each.of) for each in targets(found)} <= shown
    assert {measure for measure, _ in shown} == set(Measure)


def test_the_table_says_what_was_reached() -> None:
    """Ratios stand beside the numbers that they are made of."""
    out = io.StringIO()
    Console(file=out, width=300).print(render(made_up()))
    line = next(line for line in out.getvalue().splitlines() if "records/s" in line)
    assert "450,000" in line
    assert ">= 4 x MM2 default: 4.50, reached" in line
    assert "MISSED" in out.getvalue()


def test_what_was_not_measured_is_left_out() -> None:
    """A part that was not asked for leaves no row, no target and no plot."""
    nothing = Results(machine=MACHINE, runs=5, scale=0.5)
    assert groups(nothing) == []
    assert targets(nothing) == []
    out = io.StringIO()
    Console(file=out, width=300).print(render(nothing))
    assert "no result" in out.getvalue()


def test_everything_is_written(tmp_path: Path) -> None:
    """JSON with every run, a table for a page, a plot for each part."""
    found = made_up()
    found.save(tmp_path / "results.json")
    read = json.loads((tmp_path / "results.json").read_text())
    assert len(read["catch_up"]) == 72
    assert read["latency"][0]["latency_ms"]["p50"] == 50
    save_markdown(found, tmp_path / "table.md")
    lines = (tmp_path / "table.md").read_text().splitlines()
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1
    plots = save_plots(found, tmp_path)
    assert {path.stem for path in plots} == {"catch-up", "latency", "recovery", "partitions"}
    assert all(path.stat().st_size > 10_000 for path in plots)

"""Medians, ratios, targets, the table, the JSON and the plots of made-up measurements."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter
from rich.console import Console

from bench.audit import AuditBeside
from bench.catch_up import CatchUpRun
from bench.contestant import (
    CONTESTANTS,
    KMIRROR,
    KMIRROR_2_EXECUTORS,
    KMIRROR_2_SLOTS,
    MM2_DEFAULT,
    MM2_EXACTLY_ONCE,
    MM2_TUNED,
)
from bench.groups import GroupsRun
from bench.latency import ISOLATIONS, RATES, LatencyRun
from bench.limit import CopyBeside, LimitRun
from bench.many_topics import ManyTopicsRun
from bench.partitions import CASES, TAKEN, PartitionsRun
from bench.plan_changes import Change, PlanChangeRun
from bench.plot import save_plots
from bench.producer_perf import ProducerPerfRun
from bench.quantiles import quantiles
from bench.report import groups, render, save_markdown
from bench.results import Machine, Results
from bench.scale_case import Cost, ScaleRun, Shape
from bench.spark_cluster import SparkClusterRun
from bench.start import StartRun
from bench.takeover import ENDINGS, NODES, TakeoverRun
from bench.target import Measure, ratio
from bench.targets import targets
from bench.workload import WORKLOADS

MACHINE = Machine(
    processor="abacus", cores=2, memory_gib=8.0, system="Linux", java="17", kmirror="1", pyspark="4"
)
SPEEDS = {"mm2-default": 100e3, "mm2-tuned": 300e3, "mm2-exactly-once": 200e3}
SPEEDS |= {
    "kmirror-provenance": 430e3,
    "kmirror-records": 440e3,
    "bare-copier": 600e3,
    "kmirror": 450e3,
}


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
        first_minute_ms=quantiles([factor * number for number in range(1, 201)]),
        peak_rss_bytes=2**30,
    )


def spread_out() -> tuple[SparkClusterRun, ...]:
    """Make copies in one process and on two executors."""
    return tuple(
        SparkClusterRun(
            workload="bench-long",
            local=copy(KMIRROR_2_SLOTS.name, "bench-long", 500e3),
            cluster=copy(KMIRROR_2_EXECUTORS.name, "bench-long", speed),
        )
        for speed in (400e3, 475e3, 900e3)
    )


def ended_nodes() -> tuple[TakeoverRun, ...]:
    """Make standstills when nodes end."""
    return tuple(
        TakeoverRun(contestant=name, nodes=nodes, ending=ending.name, standstill_s=factor * s)
        for name, factor in ((MM2_EXACTLY_ONCE.name, 10.0), (KMIRROR.name, 1.0))
        for nodes in NODES
        for ending in ENDINGS
        for s in (0.5, 2.5, 4.0)
    )


def beside_producers() -> tuple[LimitRun, ...]:
    """Make copies beside the target's own producers."""
    free = CopyBeside(bytes_per_s=100e6, waits_ms=quantiles([3.9]), bystanders_ms=quantiles([4.2]))
    ours = LimitRun(
        contestant="kmirror",
        alone_ms=quantiles([2]),
        free=free,
        limited=CopyBeside(
            bytes_per_s=47e6,
            waits_ms=quantiles([3]),
            limit_bytes_per_s=50_000_000,
            bystanders_ms=quantiles([3.3]),
        ),
    )
    theirs = LimitRun(contestant="mm2-tuned", alone_ms=quantiles([2]), free=free)
    return theirs, ours


def cost(cores: float) -> Cost:
    """Make what was used for a while."""
    return Cost(
        seconds=60,
        cpu_share=cores,
        control_cpu_share=cores / 2,
        brokers_cpu_share=0.5,
        rss_bytes=2**31,
        requests_per_s={"Fetch": 200.4, "ListOffsets": 100, "Metadata": 20, "A": 9, "B": 1},
    )


def grown() -> tuple[ScaleRun, ...]:
    """Make processes with more and more partitions, and flows."""
    sizes = [(Shape.PARTITIONS, 1, number) for number in (100, 1_000, 10_000)]
    sizes += [(Shape.FLOWS, number, 10) for number in (1, 10, 100)]
    return tuple(
        ScaleRun(
            shape=shape,
            flows=flows,
            partitions=partitions,
            start_s=10 + flows,
            threads=100,
            peak_rss_bytes=2**31,
            rest=cost(0.1),
            rate=1_000,
            busy=cost(0.4),
        )
        for shape, flows, partitions in sizes
    )


def started() -> tuple[StartRun, ...]:
    """Make starts."""
    return tuple(
        StartRun(
            contestant=name,
            take_over=take_over,
            first_record_s=seconds,
            cpu_s=9.0,
            load=2.0,
            steps=(),
        )
        for take_over in (False, True)
        for name in (MM2_DEFAULT.name, KMIRROR.name)
        for seconds in (5.0, 9.0, 6.0)
    )


def many_partitions() -> tuple[PartitionsRun, ...]:
    """Make streams of many partitions."""
    return tuple(
        PartitionsRun(
            case=case.label,
            partitions=case.partitions,
            rate=case.rate,
            seconds=3,
            peak_rss_bytes=2 * 2**30,
            age_ms=quantiles([50.0]),
            lag=(1000, 30_000, 2000),
        )
        for case in (*CASES, TAKEN)
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
            for name, factor in (
                (MM2_DEFAULT.name, 1.0),
                (MM2_EXACTLY_ONCE.name, 0.4),
                (KMIRROR.name, 0.5),
            )
        ),
        starts=started(),
        partitions=many_partitions(),
        scale_runs=grown(),
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
        many_topics=(
            ManyTopicsRun(
                topics=10_000,
                plan_s=12.5,
                apply_s=90.0,
                plan_again_s=25.0,
                copied_s=60.0,
                steady_s=180.0,
                control_cpu_share=0.05,
                cpu_share=0.25,
                peak_rss_bytes=2**30,
                pause_s=0.7,
                refused_requests=1,
            ),
        ),
        spark_cluster=spread_out(),
        takeovers=ended_nodes(),
        limits=beside_producers(),
        plan_changes=tuple(PlanChangeRun(change=each, oldest_ms=15.0) for each in Change),
        audits_beside=(
            AuditBeside(workload="bench-backlog", rate=5_000_000, cores=0.05, copy_cores=0.8),
        ),
    )


def lasting() -> Results:
    """Make the same with streams that were measured for ten minutes."""
    found = made_up()
    return replace(found, latency=tuple(replace(each, seconds=600) for each in found.latency))


def test_medians_and_ratios() -> None:
    """One wild run in three changes nothing."""
    found = made_up()
    assert found.catch_up_median(KMIRROR.name, "bench-100", lambda run: run.records_per_s) == 450e3
    assert found.producer_perf_median("bench-100") == 150e3
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
    assert by_text["plan 10000x1 20"].value == 25
    assert by_text["control plane 10000x1 0.1"].reached
    assert not by_text["requests 10000x1 0"].reached
    assert by_text["pause 10000x1 2"].reached
    assert by_text["Spark cluster bench-long 0.9"].value == 0.95
    assert by_text["takeover 2 SIGKILL p50 3"].value == 2.5
    assert by_text["takeover 3 SIGKILL max 5"].reached
    assert not by_text["takeover 3 SIGTERM max 1"].reached
    assert by_text["age 10000@taken 1"].value == 0.05
    assert not by_text["start of many flows 100x10 60"].reached
    assert by_text["memory of many flows 100x10 3"].value == 2
    assert by_text["rest of many flows 100x10 0.15"].reached
    assert by_text["latency of committed records 5000 p99 1"].value == 1.25
    assert not by_text["latency of committed records 100 p50 5"].reached
    assert by_text["latency 100 first minute: max 1"].value == 1.25
    assert by_text["catch-up bench-long-100 0.6"].value == 0.45
    assert by_text["cpu bench-long-1000 0.5"].value == 5
    assert not by_text["cpu bench-long-1000 1.6"].reached
    assert not by_text["start False 4"].reached
    assert by_text["start True 6"].reached
    assert by_text["audit beside a copy bench-backlog 5"].value == 6.25
    assert len(by_text) == 83


def test_ten_minutes_say_more_of_the_slowest() -> None:
    """Beside MirrorMaker 2's exactly once, and for both ways to read."""
    short, found = made_up(), lasting()
    of = {f"{each.measure} {each.of}" for each in targets(found)}
    assert of - {f"{each.measure} {each.of}" for each in targets(short)} == {
        "latency 100 p99.9",
        "latency 5000 p99.9",
        "latency 100 max",
        "latency 5000 max",
        "latency of committed records 100 p99.9",
        "latency of committed records 5000 p99.9",
        "latency of committed records 100 max",
        "latency of committed records 5000 max",
    }


def test_every_target_has_a_row() -> None:
    """A promise that no row shows would be forgotten."""
    found = lasting()
    shown = {row.aim for group in groups(found) for row in group.rows if row.aim}
    assert {(each.measure, each.of) for each in targets(found)} <= shown
    assert {measure for measure, _ in shown} == set(Measure)


def test_the_table_says_what_was_reached() -> None:
    """Ratios stand beside the numbers that they are made of."""
    out = io.StringIO()
    Console(file=out, width=600).print(render(made_up()))
    line = next(line for line in out.getvalue().splitlines() if "records/s" in line)
    assert "450,000 (45,000 to 3,150,000)" in line
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
    text = (tmp_path / "results.json").read_text()
    assert TypeAdapter(Results).validate_json(text) == found
    read = json.loads(text)
    assert len(read["catch_up"]) == 3 * len(WORKLOADS) * len(CONTESTANTS)
    assert read["latency"][0]["latency_ms"]["p50"] == 50
    save_markdown(found, tmp_path / "table.md")
    lines = (tmp_path / "table.md").read_text().splitlines()
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1
    plots = save_plots(found, tmp_path)
    shapes = {"scale-partitions", "scale-flows"}
    assert {path.stem for path in plots} == shapes | {
        "catch-up",
        "latency",
        "start",
        "partitions",
    }
    assert all(path.stat().st_size > 10_000 for path in plots)


def test_a_limit_stands_beside_what_was_read() -> None:
    """With what the target's own producers waited, alone and beside each copy; MM2 has no limit."""
    found = replace(Results(machine=MACHINE, runs=1, scale=1), limits=beside_producers())
    (group,) = groups(found)
    cells = [row.cells[CONTESTANTS.index(KMIRROR)] for row in group.rows]
    assert cells == ["100.0", "47.0", "6.0", "2.0", "3.9", "3.0", "4.2", "3.3"]
    cells = [row.cells[CONTESTANTS.index(MM2_TUNED)] for row in group.rows]
    assert cells == ["100.0", "-", "-", "2.0", "3.9", "-", "4.2", "-"]
    reached = {target.of: target.reached for target in targets(found)}
    assert reached == {"limit": False, "free": True, "limited": False}

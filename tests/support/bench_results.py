"""Made-up measurements of the benchmark, one of every kind."""

from __future__ import annotations

from dataclasses import replace

from bench.audit import AuditBeside
from bench.catch_up import CatchUpRun
from bench.commits import BY_THE_CLOCK, CommitsRun
from bench.contestant import (
    CONTESTANTS,
    KMIRROR,
    KMIRROR_2_EXECUTORS,
    KMIRROR_2_SLOTS,
    MM2_DEFAULT,
    MM2_EXACTLY_ONCE,
    Contestant,
)
from bench.groups import GroupsRun
from bench.latency import ISOLATIONS, RATES, LatencyRun
from bench.limit import CopyBeside, LimitRun
from bench.many_topics import ManyTopicsRun
from bench.partitions import CASES, TAKEN, PartitionsRun
from bench.plan_changes import Change, PlanChangeRun
from bench.producer_perf import ProducerPerfRun
from bench.quantiles import quantiles
from bench.results import Machine, Results
from bench.scale_case import Cost, ScaleRun, Shape
from bench.spark_cluster import SparkClusterRun
from bench.start import StartRun
from bench.takeover import ENDINGS, NODES, TakeoverRun
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
        commits=(committed(KMIRROR, 0.9), committed(BY_THE_CLOCK, 0.8)),
        audits_beside=(
            AuditBeside(workload="bench-backlog", rate=5_000_000, cores=0.05, copy_cores=0.8),
        ),
    )


def committed(contestant: Contestant, brokers_cores: float) -> CommitsRun:
    """Make up a stream whose brokers need so much of the processors."""
    return CommitsRun(
        contestant=contestant.name,
        rate=5_000,
        partitions=4,
        brokers_cores=brokers_cores,
        cores=0.4,
        markers_per_s=264,
        age_ms=quantiles([9.0, 10.0, 11.0]),
    )


def lasting() -> Results:
    """Make the same with streams that were measured for ten minutes."""
    found = made_up()
    return replace(found, latency=tuple(replace(each, seconds=600) for each in found.latency))

"""What a catch-up has to reach."""

from __future__ import annotations

from collections.abc import Iterator

from bench.contestant import BARE_COPIER, KMIRROR, MM2_DEFAULT, MM2_TUNED
from bench.results import Results
from bench.target import Measure, Target, ratio_target
from bench.workload import LONG_WORKLOADS, WORKLOADS

_RATIOS_MIN = (
    ("bench-100", MM2_DEFAULT, 4.0),
    ("bench-100", MM2_TUNED, 1.4),
    ("bench-1000", MM2_DEFAULT, 2.8),
    ("bench-1000", MM2_TUNED, 1.8),
    # With whole batches.
    ("bench-100", MM2_DEFAULT, 18.0),
    ("bench-100", MM2_TUNED, 6.0),
    ("bench-1000", MM2_DEFAULT, 5.0),
    ("bench-1000", MM2_TUNED, 3.0),
    ("bench-small", MM2_DEFAULT, 8.0),
    ("bench-small", MM2_DEFAULT, 9.0),
    ("bench-lz4", MM2_DEFAULT, 15.0),
    ("bench-lz4", MM2_DEFAULT, 20.0),
    # What it costs that batches are Spark's rows.
    ("bench-100", BARE_COPIER, 0.9),
    ("bench-1000", BARE_COPIER, 0.9),
    *((workload.topic, BARE_COPIER, 0.95) for workload in LONG_WORKLOADS),
)
_PRODUCER_PERF_RATIOS_MIN = (("bench-100", 2.5), ("bench-1000", 1.5))
_CPU_RATIO_MAX = 0.1
# Where it takes so long that it is steady: processor seconds for a gigabyte; beside both brokers';
# and the rate beside that of a mirror that leaves every core to the brokers.
_CPU_S_PER_GB_MAX, _BROKERS_CPU_RATIO_MAX, _FREE_MIRROR_RATIO_MIN = 1.6, 0.5, 0.6
_GB = 1e9


def catch_up_targets(results: Results) -> Iterator[Target]:
    """Compare copies of what lay in the source with what was promised."""
    yield from _rates(results)
    yield from _cpu(results)
    for workload in LONG_WORKLOADS:
        yield from _steady(results, workload.topic)


def _rates(results: Results) -> Iterator[Target]:
    def rate(name: str, workload: str) -> float | None:
        return results.catch_up_median(name, workload, lambda run: run.records_per_s)

    for workload, other, limit in _RATIOS_MIN:
        ours, theirs = rate(KMIRROR.name, workload), rate(other.name, workload)
        yield from ratio_target(Measure.CATCH_UP, workload, limit, ours, theirs, than=other.label)
    for workload, limit in _PRODUCER_PERF_RATIOS_MIN:
        ours, theirs = rate(KMIRROR.name, workload), results.producer_perf_median(workload)
        yield from ratio_target(
            Measure.PRODUCER_PERF, workload, limit, ours, theirs, than="producer-perf"
        )


def _cpu(results: Results) -> Iterator[Target]:
    for workload in WORKLOADS:
        ours, theirs = (
            results.catch_up_median(name, workload.topic, lambda run: run.cpu_s_per_gb)
            for name in (KMIRROR.name, MM2_DEFAULT.name)
        )
        yield from ratio_target(
            Measure.CPU, workload.topic, _CPU_RATIO_MAX, ours, theirs, than=MM2_DEFAULT.label
        )


def _steady(results: Results, workload: str) -> Iterator[Target]:
    cpu, brokers_cpu, bytes_per_s = (
        results.catch_up_median(KMIRROR.name, workload, what)
        for what in (
            lambda run: run.cpu_s_per_gb,
            lambda run: run.brokers_cpu_s_per_gb,
            lambda run: run.bytes_per_s,
        )
    )
    if cpu is None or brokers_cpu is None:
        return
    yield Target(measure=Measure.CPU, of=workload, limit=_CPU_S_PER_GB_MAX, unit="s", value=cpu)
    yield from ratio_target(
        Measure.CPU, workload, _BROKERS_CPU_RATIO_MAX, cpu, brokers_cpu, than="both brokers'"
    )
    yield from ratio_target(
        Measure.CATCH_UP,
        workload,
        _FREE_MIRROR_RATIO_MIN,
        bytes_per_s,
        _GB * results.machine.cores / brokers_cpu,
        than="a mirror that costs nothing",
    )

"""What was measured of kmirror alone, as groups of the report; numbers made up."""

from __future__ import annotations

from bench.audit import AuditBeside, AuditRun
from bench.batches import BatchesRun
from bench.commits import BY_THE_CLOCK
from bench.contestant import CONTESTANTS, KMIRROR
from bench.plan_changes import Change, PlanChangeRun
from bench.report import groups
from bench.results import Results
from bench.streams import StreamsRun
from bench.targets import targets
from tests.support.bench_results import MACHINE, committed


def test_streams_have_a_group_each() -> None:
    """Of each number of streams the medians, and what was there twice; a link is not here."""
    results = Results(machine=MACHINE, runs=1, scale=1)
    for streams, rtt_ms, rate in ((1, 0, 100e3), (1, 50, 1e3), (2, 0, 150e3), (2, 0, 170e3)):
        run = StreamsRun(
            streams=streams,
            records=1000,
            size_bytes=100,
            rtt_ms=rtt_ms,
            records_per_s=rate,
            cpu_s_per_gb=50,
            copied=1001,
        )
        results = results.with_run(run)
    one, two, far = groups(results)
    assert far.who == "at least once"
    assert far.title == "kmirror mm1, 1 stream, 1,000 records, read over 50 ms"
    place = CONTESTANTS.index(KMIRROR)
    assert [row.cells[place] for row in one.rows] == ["100,000", "50.0", "1"]
    assert [row.cells[place] for row in two.rows] == [
        "160,000 (150,000 to 170,000)",
        "50.0 (50.0 to 50.0)",
        "2",
    ]


def test_an_audit_stands_beside_the_copy() -> None:
    """All at once, and what it adds to a copy when it goes on all the time."""
    run = AuditRun(
        workload="bench-backlog",
        total_s=600,
        cpu_s_per_gb=10,
        copy_cpu_s_per_gb=4,
        start_cpu_s=12,
        peak_rss_bytes=2**30,
    )
    beside = AuditBeside(workload="bench-backlog", rate=5_000_000, cores=0.05, copy_cores=0.8)
    found = Results(machine=MACHINE, runs=1, scale=1).with_run(run).with_run(beside)
    cells = [
        [row.cells[CONTESTANTS.index(KMIRROR)] for row in group.rows] for group in groups(found)
    ]
    assert cells == [["10.0", "4.0", "600", "12.0", "1,024"], ["0.050", "0.80", "6.2"]]
    assert [target.reached for target in targets(found)] == [False]


def test_an_hour_is_told_from_its_beginning_to_its_end() -> None:
    """One batch is one that lasts longer than the hour."""
    results = Results(machine=MACHINE, runs=1, scale=1)
    for batch_s, collections in ((300, 3), (86_400, 1)):
        run = BatchesRun(
            batch_s=batch_s,
            seconds=3600,
            rate=1000,
            live_bytes=(60 * 2**20, 64 * 2**20),
            rss_bytes=(2**29, 2**29),
            full_collections=collections,
            full_collections_s=0.25,
        )
        results = results.with_run(run)
    found = groups(results)
    assert [group.title for group in found] == [
        "60 minutes at 1,000/s, batches of 300 s",
        "60 minutes at 1,000/s, one batch",
    ]
    cells = [row.cells[CONTESTANTS.index(KMIRROR)] for row in found[1].rows]
    assert cells == ["60, in the end 64", "512, in the end 512", "1", "0.25"]


def test_a_changed_plan_is_compared_with_none() -> None:
    """What counts is how much older records get than without one."""
    results = Results(machine=MACHINE, runs=1, scale=1)
    for change, ages in ((Change.NOTHING, (12, 14, 40)), (Change.MOVE, (30, 34, 36))):
        for oldest_ms in ages:
            results = results.with_run(PlanChangeRun(change=change, oldest_ms=oldest_ms))
    (found,) = groups(results)
    cells = [row.cells[CONTESTANTS.index(KMIRROR)] for row in found.rows]
    assert cells == ["14.0 (12.0 to 40.0)", "34.0 (30.0 to 36.0)"]
    assert [target.words for target in targets(results)] == ["<= 20 ms more: 20.00"]


def test_commits_are_compared_with_the_clock() -> None:
    """What the brokers need more than with commits by the clock is the target."""
    results = Results(machine=MACHINE, runs=3, scale=1)
    for contestant, cores in ((KMIRROR, (0.9, 0.88, 1.2)), (BY_THE_CLOCK, (0.8, 0.7, 0.81))):
        for brokers_cores in cores:
            results = results.with_run(committed(contestant, brokers_cores))
    (found,) = groups(results)
    first = found.rows[0].cells[CONTESTANTS.index(KMIRROR)]
    assert first == "0.900 (0.880 to 1.200); by the clock 0.800 (0.700 to 0.810)"
    (target,) = targets(results)
    assert target.words == "<= 1.15 x commits by the clock: 1.12"

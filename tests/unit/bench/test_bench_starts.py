"""Starts: steps are read from the log, and the page says where the seconds go."""

from __future__ import annotations

import json

from bench.results import Machine, Results
from bench.start import StartRun, StartStep, moments
from bench.start_page import starts_page

MACHINE = Machine(
    processor="P", cores=2, memory_gib=8.0, system="Linux", java="17", kmirror="0", pyspark="4"
)


def line(event: str, second: int, **fields: str) -> str:
    """Write a line of a log."""
    return json.dumps({"time": f"2026-01-01T00:00:{second:02}.500Z", "event": event, **fields})


def test_steps_are_read_from_the_log() -> None:
    """Each at its first time, in their order; what is no JSON is some other program's."""
    found = moments(
        [
            "WARNING: something",
            line("spark.starting", 1),
            line("start.step", 4, step="Spark is there"),
            line("start.step", 3, step="the flow is claimed"),
            line("plan.made", 5),
            line("plan.made", 9),
            line("flow.progress", 10),
        ]
    )
    assert list(found) == [
        "the file is read",
        "the flow is claimed",
        "Spark is there",
        "the plan is handed out",
    ]
    assert found["the plan is handed out"] - found["the file is read"] == 4 * 10**9


def test_the_page_has_medians_and_spread() -> None:
    """Of each step, in the order of time; without a take-over there is no such table."""
    runs = [
        StartRun(
            contestant="kmirror",
            take_over=False,
            first_record_s=seconds,
            cpu_s=9.0,
            load=2.0,
            steps=(
                StartStep(name="Spark is there", at_s=seconds / 2, cpu_s=4.0),
                StartStep(name="the file is read", at_s=1.0, cpu_s=1.0),
            ),
        )
        for seconds in (4.0, 6.0, 5.0)
    ]
    results = Results(machine=MACHINE, runs=3, scale=1.0, starts=tuple(runs))
    page = starts_page(results)
    assert "| kmirror, exactly once | 5.0 (4.0 to 6.0) | 9.0 (9.0 to 9.0) | 3 |" in page
    assert "| Spark is there | 2.5 (2.0 to 3.0) | 4.0 (4.0 to 4.0) |" in page
    assert page.index("the file is read |") < page.index("Spark is there |")
    assert "After `kill -9`" not in page

"""Medians, ratios, targets, the table, the JSON and the plots of made-up measurements."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter
from rich.console import Console

from bench.contestant import CONTESTANTS, KMIRROR, MM2_TUNED
from bench.plot import save_plots
from bench.report import groups, render, save_markdown
from bench.results import Results
from bench.target import Measure, ratio
from bench.targets import targets
from bench.workload import WORKLOADS
from tests.support.bench_results import MACHINE, beside_producers, lasting, made_up


def test_medians_and_ratios() -> None:
    """One wild run in three changes nothing."""
    found = made_up()
    assert found.catch_up_median(KMIRROR.name, "bench-100", lambda run: run.records_per_s) == 450e3
    assert found.producer_perf_median("bench-100") == 150e3
    assert ratio(450e3, 100e3) == 4.5
    assert ratio(None, 100e3) is None
    assert ratio(450e3, None) is None


def test_pieces_are_one_measurement() -> None:
    """What was measured in two pieces counts as what was measured at once."""
    found = made_up()
    pieces = (replace(found, latency=()), Results(machine=MACHINE, runs=5, scale=1))
    last = replace(pieces[1], latency=found.latency)
    joined = pieces[0].joined((pieces[1], last))
    assert joined == found


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
    assert by_text["brokers' share of commits brokers 1.15"].reached
    assert len(by_text) == 84


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

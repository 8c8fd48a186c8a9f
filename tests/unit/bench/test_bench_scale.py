"""More and more partitions and flows: cases, their file, and what brokers count."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.broker_requests import RequestCounts, sums
from bench.partitions import TAKEN
from bench.scale import steps
from bench.scale_case import ScaleCase, Shape, cases, file_text, flows_of, topic_of
from kmirror.config.load import load


def test_the_whole_and_a_try() -> None:
    """Of a small part several may be the same: they are measured once."""
    whole = cases(tuple(Shape), 1.0)
    sizes = [(case.flows, case.partitions) for case in whole]
    assert sizes == [(1, 100), (1, 1_000), (1, 10_000), (1, 10), (10, 10), (100, 10)]
    assert steps(tuple(Shape), 1.0) == 7
    small = cases(tuple(Shape), 0.02)
    assert [case.label for case in small] == ["1x16", "1x20", "1x200", "1x10", "2x10"]
    assert steps((Shape.TAKEN,), 0.02) == 1


@pytest.mark.parametrize("flows", [1, 100])
def test_the_file_is_right(tmp_path: Path, flows: int) -> None:
    """Each flow has a source alias and a topic of its own; all go into one target."""
    case = ScaleCase(shape=Shape.FLOWS, flows=flows, partitions=10)
    named = flows_of(case, 3)
    file = tmp_path / "mm2.properties"
    file.write_text(
        file_text(case, named, source_bootstrap="localhost:1", target_bootstrap="localhost:2")
    )
    found = load(file, environ={})
    assert found.warnings == ()
    assert {flow.flow for flow in found.flows if flow.flow.target == "B3"} == set(named)
    assert len({topic_of(flow) for flow in named}) == flows


def test_slots_are_written_where_they_count() -> None:
    """As many as the other parts with many partitions have."""
    case = cases((Shape.PARTITIONS,), 1.0)[0]
    text = file_text(case, flows_of(case, 1), source_bootstrap="s:1", target_bootstrap="t:1")
    assert "A1x0->B1.kmirror.slots = 4" in text


def test_requests_are_added_up() -> None:
    """A kind counts once for each version and broker, and a fetch once for all."""
    lines = ["Fetch 3", "FetchConsumer 3", "Fetch 4", "BrokerHeartbeat 9", "Metadata 1"]
    assert sums(lines) == {"Fetch": 7, "Metadata": 1}


def test_requests_a_second() -> None:
    """The most frequent first; what rests is left out."""
    before = RequestCounts(at_s=10, by_kind={"Fetch": 10, "Metadata": 5})
    after = RequestCounts(at_s=20, by_kind={"Fetch": 30, "Metadata": 5, "Produce": 100})
    assert list(after.per_s_since(before).items()) == [("Produce", 10), ("Fetch", 2)]


def test_what_the_source_takes_has_a_name() -> None:
    """Its rate is measured, and differs each time."""
    assert TAKEN.label == "10000@taken"
